/// Vectors as the bytes of their elements: 32-bit floats, 4 bytes each, the lowest byte first.
///
/// -0.0 is stored as 0.0, and every NaN as one NaN, so that equal vectors have equal bytes.
package enum VectorBytes {
    package static func bytes(_ elements: some Collection<Float>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.count * 4)
        for element in elements {
            withUnsafeBytes(of: canonical(element).bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes
    }

    /// An element as it is stored.
    package static func canonical(_ element: Float) -> Float { element == 0 ? 0 : element.isNaN ? .nan : element }

    /// The bytes with each element as it is stored; nil if they are not a whole number of elements.
    package static func canonical(_ stored: [UInt8]) -> [UInt8]? { elements(stored).map { bytes($0) } }

    package static func elements(_ bytes: [UInt8]) -> [Float]? { bytes.withUnsafeBytes { elements($0) } }

    package static func elements(_ bytes: UnsafeRawBufferPointer) -> [Float]? {
        guard bytes.count.isMultiple(of: 4) else { return nil }
        return (0..<bytes.count / 4).map { element(bytes, $0) }
    }

    @inline(__always)
    private static func element(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Float {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
    }

    // MARK: Text

    /// The elements as a JSON array of numbers, each with the fewest digits that identify it.
    static func text(_ bytes: [UInt8]) -> String? {
        guard let elements = elements(bytes) else { return nil }
        var json = JSONWriter()
        write(elements, to: &json)
        return String(decoding: json.bytes, as: UTF8.self)
    }

    package static func write(_ elements: [Float], to json: inout JSONWriter) {
        json.appendArray(elements) { element, json in
            if element.isFinite { json.append(element.description) } else { json.append(Double(element)) }
        }
    }

    static func bytes(of text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            guard let elements = read(&json), json.isAtEnd else { return nil }
            return Self.bytes(elements)
        }
    }

    /// The elements of a JSON array of numbers, each as the nearest Float; nil if an element is not a number.
    package static func read(_ json: inout JSONReader) -> [Float]? {
        guard json.enterArray() else { return nil }
        var elements: [Float] = []
        while let hasNext = json.hasNext(isFirst: elements.isEmpty) {
            guard hasNext else { return elements }
            guard let number = json.readDouble() else { return nil }
            let element = Float(number)
            guard element.isFinite || !number.isFinite else { return nil }
            elements.append(element)
        }
        return nil
    }
}

/// A distance between two vectors.
public enum VectorMetric: String, Hashable, Sendable {
    /// 1 less the cosine of the angle between them: 0 for one direction, 1 for a right angle, 2 for opposite directions.
    case cosine
    /// The length of their difference.
    case euclidean

    /// The distance of two stored vectors, the same on every backend.
    ///
    /// Computes with Doubles, by IEEE 754. Products are added to four sums, the elements 0, 4, 8 and so on to
    /// the first; the distance uses (first + second) + (third + fourth). NaN, which sorts after all numbers, if the
    /// vectors have different numbers of elements; with `cosine` also if one has no direction. Null if one is null or
    /// not a vector.
    public func distance(_ left: Value, _ right: Value) -> Value {
        guard case .blob(let left) = left, case .blob(let right) = right, left.count.isMultiple(of: 4),
            right.count.isMultiple(of: 4)
        else { return .null }
        guard left.count == right.count else { return .double(.nan) }
        return left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in .double(distance(left, right)) }
        }
    }

    private func distance(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Double {
        switch self {
        case .euclidean:
            let squares = Self.sum(left, right) { left, right in
                let difference = left - right
                return difference * difference
            }
            return squares.squareRoot()
        case .cosine:
            let product = Self.sum(left, right) { $0 * $1 }
            let lengths =
                Self.sum(left, left) { $0 * $1 }.squareRoot() * Self.sum(right, right) { $0 * $1 }.squareRoot()
            let distance = 1 - product / lengths
            return lengths == 0 || distance.isNaN ? .nan : distance
        }
    }

    @inline(__always)
    private static func sum(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer,
        _ term: (SIMD4<Double>, SIMD4<Double>) -> SIMD4<Double>
    ) -> Double {
        var sums = SIMD4<Double>.zero
        let count = left.count / 4
        var index = 0
        while index + 4 <= count {
            sums += term(four(left, index), four(right, index))
            index += 4
        }
        var (lastLeft, lastRight) = (SIMD4<Double>.zero, SIMD4<Double>.zero)
        for place in 0..<count - index {
            lastLeft[place] = Double(element(left, index + place))
            lastRight[place] = Double(element(right, index + place))
        }
        if index < count { sums += term(lastLeft, lastRight) }
        return (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    @inline(__always)
    private static func four(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> SIMD4<Double> {
        SIMD4(
            Double(element(bytes, index)), Double(element(bytes, index + 1)), Double(element(bytes, index + 2)),
            Double(element(bytes, index + 3)))
    }

    /// The element at an index that the caller has checked.
    @inline(__always)
    private static func element(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Float {
        Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
    }
}
