public import StorageDriver

/// A vector of 32-bit floats, such as an embedding: 4 bytes an element, in one column.
///
/// ```swift
/// @Storable struct Page {
///     var id: Int
///     var embedding: Vector
/// }
/// let question: Vector = [0.1, 0.7, 0.2]
/// let nearest = try await store.select(Page.self)
///     .order { $0.embedding.distance(to: question, by: .cosine) }.limit(10).all()
/// ```
/// Every distance is computed, so a query takes time for each vector that it looks at: about a microsecond for 1,000
/// elements. Vectors of one property may have different numbers of elements.
///
/// -0.0 is kept as 0.0 and every NaN as one, so that vectors are equal where their elements are. Vectors are equal or not,
/// and have no order.
public struct Vector: Sendable, Hashable, ExpressibleByArrayLiteral {
    /// The elements, in order.
    public let elements: [Float]

    /// A vector of these elements.
    public init(_ elements: some Sequence<Float>) { self.elements = elements.map(VectorBytes.canonical) }

    public init(arrayLiteral elements: Float...) { self.init(elements) }

    /// The measure of distance between two vectors.
    public typealias Metric = VectorMetric

    /// Returns the distance of another vector from this one, as queries compute it; see `VectorMetric.distance(_:_:)`.
    public func distance(to other: Vector, by metric: Metric) -> Double {
        guard case .double(let distance) = metric.distance(value, other.value) else { return .nan }
        return distance
    }

    // Every NaN is the same here, as all vectors' are.
    public static func == (left: Vector, right: Vector) -> Bool {
        left.elements.elementsEqual(right.elements) { $0.bitPattern == $1.bitPattern }
    }

    public func hash(into hasher: inout Hasher) {
        for element in elements { hasher.combine(element.bitPattern) }
    }
}

// The elements, as every array of floats is coded.
extension Vector: Codable {
    public init(from decoder: any Decoder) throws { self.init(try [Float](from: decoder)) }

    public func encode(to encoder: any Encoder) throws { try elements.encode(to: encoder) }
}

extension Vector: ScalarValue {
    @inlinable public static var columnType: ColumnType { .vector }

    public static func decode(_ cell: Cell) -> Vector? {
        cell.tag == .blob ? VectorBytes.elements(cell.bytes).map(Vector.init) : nil
    }

    public func encode(into row: inout RowWriter) {
        VectorBytes.bytes(elements).withUnsafeBytes { row.put($0, as: .blob) }
    }

    public static func decode(_ json: inout JSONReader) -> Vector? { VectorBytes.read(&json).map(Vector.init) }
    public func encode(into json: inout JSONWriter) { VectorBytes.write(elements, to: &json) }
    public var value: Value { .blob(VectorBytes.bytes(elements)) }
}
