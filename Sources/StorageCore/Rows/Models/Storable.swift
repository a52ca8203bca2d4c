public import StorageDriver

/// A struct that can be stored. `@Storable` writes the conformance; you can also write it by hand.
///
/// ```swift
/// struct Pen: Storable {
///     var id: Int
///     var color: String
///
///     typealias Key = Int
///     static var schema: ModelSchema {
///         ModelSchema("Pen", [
///             Property("id", Int.self, .key),
///             Property("color", String.self),
///         ])
///     }
///     init(reading row: inout RowReader) throws(StorageError) {
///         id = try row.read(Int.self)
///         color = try row.read(String.self)
///     }
///     func write(into row: inout RowWriter) {
///         row.write(id)
///         row.write(color)
///     }
///     func writeKey(into row: inout RowWriter) {
///         row.write(id)
///     }
///     struct Columns: ColumnSet {
///         let _propertyPath: PropertyPath
///         init(_ path: PropertyPath) { _propertyPath = path }
///         var id: QueryExpression<Int> { .init(_propertyPath, 0) }
///         var color: QueryExpression<String> { .init(_propertyPath, 1) }
///     }
/// }
/// ```
///
/// Reading and writing name every property once, in the order of the schema. A wrong number or type makes the first
/// read or write throw; it never gives a wrong value.
public protocol Storable: Relatable where _Related == Self {
    /// The type of the key: the key property's type without its Optional, or a tuple for several. `Never` for a type
    /// without a key, which other models can own but which is not stored by itself.
    associatedtype Key: Sendable
    /// The properties as terms of queries.
    associatedtype Columns: ColumnSet

    /// The name, properties, key and indexes. Evaluated once for each store.
    static var schema: ModelSchema { get }

    /// Makes the model from a row: one `read` for each property, in the schema's order.
    ///
    /// - Throws: `typeMismatch` if a stored value does not fit its property, which the error names; errors of the
    ///   reads.
    init(reading row: inout RowReader) throws(StorageError)

    /// Writes the model to a row: one `write` for each property, in the schema's order.
    func write(into row: inout RowWriter)

    /// Writes the key properties alone, in the schema's order.
    func writeKey(into row: inout RowWriter)

    /// The values of a key, one for each key property.
    static func values(of key: Key) -> [Value]

    /// The key of a record; nil if the store has not assigned it yet. The default writes and reads a row, which costs a
    /// thousand times as much as a property.
    static func key(of record: Self) -> Key?

    /// Reads a key from a row that has only the key.
    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key

    /// Returns whether two keys are equal, for ``Ref``. Do not implement it.
    static func _isEqual(_ left: Key, _ right: Key) -> Bool

    /// Hashes a key, for ``Ref``. Do not implement it.
    static func _hash(_ key: Key, into hasher: inout Hasher)

    /// The number of values in a key. Do not implement it.
    static var _keyWidth: Int { get }

    /// Writes a key to a row that refers to the record. Do not implement it.
    static func _write(_ key: Key, into row: inout RowWriter)

    /// Sets the key that the store has assigned. Called only on models whose key is one Optional integer or UUID.
    mutating func assign(_ key: Key)

    /// Takes the key that the store has assigned, as a row that consists of it. Never needs to be written: the default calls
    /// ``assign(_:)``.
    mutating func _assign(from row: inout RowReader) throws(StorageError)

    /// The stored name of this record's model, if the type does not determine it. For the library only: nil for every
    /// type but ``DynamicRecord``.
    var _recordedModel: String? { get }

    /// The index in the schema of a key path's property, for Foundation's predicates and sort descriptors. Without this
    /// function these throw `invalidQuery`.
    static func ordinal(of property: PartialKeyPath<Self>) -> Int?

    /// Decodes at most `limit` rows into models. Do not implement it: the default is compiled into the module of the
    /// model, where the loop makes no generic call for each row.
    static func read(_ rows: inout RowCursor, limit: Int, into models: inout [Self]) throws(StorageError)

    /// Writes models from an index on, as many as the rows take at once, and returns the index of the next. Do not
    /// implement it.
    static func write(_ models: [Self], from index: Int, into rows: inout RowCollector) throws(StorageError) -> Int
}

extension Storable {
    /// Decodes row after row by ``init(reading:)``.
    @inlinable
    public static func read(
        _ rows: inout RowCursor, limit: Int, into models: inout [Self]
    ) throws(StorageError) {
        var left = limit
        while left > 0, try rows.next() {
            var row = rows.row
            models.append(try Self(reading: &row))
            try row.finish()
            left &-= 1
        }
    }

    /// Encodes model after model by ``write(into:)``, until the rows are full.
    @inlinable
    public static func write(
        _ models: [Self], from index: Int, into rows: inout RowCollector
    ) throws(StorageError) -> Int {
        var index = index
        while index < models.count, rows.hasRoom {
            guard try models[index].write(into: &rows) else { return index }
            index &+= 1
        }
        return index
    }

    /// Encodes the model; false if the rows must be written before it.
    @inlinable
    package func write(into rows: inout RowCollector) throws(StorageError) -> Bool {
        if rows.needsKey {
            var key = rows.beginKey()
            writeKey(into: &key)
            try rows.endKey(key)
        }
        var row = rows.begin()
        write(into: &row)
        return try rows.end(row)
    }

    /// Has no effect, because the store does not assign this model's key.
    public mutating func assign(_ key: Key) {}

    @inlinable public var _recordedModel: String? { nil }

    /// Takes the key by ``assign(_:)``.
    public mutating func _assign(from row: inout RowReader) throws(StorageError) { assign(try Self.readKey(&row)) }

    /// Returns nil, so predicates and sort descriptors over the model throw `invalidQuery`.
    public static func ordinal(of property: PartialKeyPath<Self>) -> Int? { nil }
}

extension Storable where Key: ScalarValue {
    /// The one value of the key.
    @inlinable
    public static func values(of key: Key) -> [Value] { [key.value] }

    /// Reads the one value of the key.
    @inlinable
    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Key { try row.read(Key.self) }
}

extension Storable where Key: RawRepresentable, Key.RawValue: ScalarValue {
    /// The one value of the key.
    @inlinable
    public static func values(of key: Key) -> [Value] { [key.rawValue.value] }

    /// Reads the one value of the key.
    @inlinable
    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Key { try row.read(Key.self) }
}
