internal import CPostgreSQL
internal import StorageDriver

/// The parameters of a statement, in PostgreSQL's binary form.
struct Parameters {
    /// Never empty, so that an empty value has an address.
    private var bytes: [UInt8] = [0]
    /// The start of each value and its length, or -1 for null.
    private var ranges: [(start: Int, length: Int32)] = []

    var count: Int { ranges.count }

    /// The bytes of all values.
    var size: Int { bytes.count }

    mutating func add(_ cell: Cell, as form: WireForm) {
        let start = bytes.count
        let isNull = !bytes.append(cell, as: form)
        ranges.append((start, isNull ? -1 : Int32(clamping: bytes.count - start)))
    }

    mutating func add(_ number: Int64?) { add(number.map(Cell.int) ?? .null, as: .int8) }

    mutating func add(_ text: String) {
        var text = text
        let start = bytes.count
        text.withUTF8 { EscapedText.append(UnsafeRawBufferPointer($0), to: &bytes) }
        ranges.append((start, Int32(clamping: bytes.count - start)))
    }

    /// Adds text that is not escaped.
    mutating func add(plain text: String?) {
        let start = bytes.count
        if let text { bytes += text.utf8 }
        ranges.append((start, text == nil ? -1 : Int32(clamping: bytes.count - start)))
    }

    /// Adds an array of cells that are `stride` apart.
    mutating func add(
        array first: UnsafePointer<Cell>, count: Int, stride: Int, as form: WireForm, oid: UInt32
    ) {
        let start = bytes.count
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        // The flag that the array may have nulls.
        bytes.append(bigEndian: Int32(1))
        bytes.append(bigEndian: oid)
        if count > 0 {
            bytes.append(bigEndian: Int32(clamping: count))
            bytes.append(bigEndian: Int32(1))
        }
        for index in 0..<count { bytes.append(measured: first[index * stride], as: form) }
        ranges.append((start, Int32(clamping: bytes.count - start)))
    }

    /// Calls the body with the addresses, lengths and formats for libpq, which are valid during the call.
    func withAddresses<T>(
        _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> T
    ) -> T {
        bytes.withUnsafeBytes { bytes in
            let addresses = ranges.map { range in
                // The start of a value is within the bytes, or at their end for an empty one.
                range.length < 0
                    ? nil
                    : bytes.baseAddress.map { ($0 + range.start).assumingMemoryBound(to: CChar.self) }
            }
            return body(addresses, ranges.map(\.length), [Int32](repeating: 1, count: ranges.count))
        }
    }
}

extension [UInt8] {
    /// Appends an integer in the order of the network.
    mutating func append<I: FixedWidthInteger>(bigEndian integer: I) {
        Swift.withUnsafeBytes(of: integer.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a value with its length in front, or null.
    mutating func append(measured cell: Cell, as form: WireForm) {
        let start = count
        append(bigEndian: Int32(-1))
        guard append(cell, as: form) else { return }
        let length = UInt32(truncatingIfNeeded: count - start - 4)
        Swift.withUnsafeBytes(of: length.bigEndian) { replaceSubrange(start..<start + 4, with: $0) }
    }

    /// Appends a value without its length; false for null.
    mutating func append(_ cell: Cell, as form: WireForm) -> Bool {
        if cell.isNull { return false }
        switch form {
        case .bool: append(cell.bits == 0 ? 0 : 1)
        // The store gives values of their columns' types, which fit.
        case .int2: append(bigEndian: Int16(truncatingIfNeeded: cell.int))
        case .int4: append(bigEndian: Int32(truncatingIfNeeded: cell.int))
        case .int8: append(bigEndian: cell.int)
        case .float4: append(bigEndian: Float(cell.number).bitPattern)
        case .float8, .whole: append(bigEndian: cell.number.bitPattern)
        case .text where EscapedText.isNeeded(cell.bytes): EscapedText.append(cell.bytes, to: &self)
        case .text, .plainText, .bytes, .number: append(contentsOf: cell.bytes)
        case .digits: self += (cell.tag == .unsigned ? String(cell.bits) : String(cell.int)).utf8
        }
        return true
    }
}

extension Cell {
    /// The value of a number.
    fileprivate var number: Double { tag == .double ? double : Double(int) }
}
