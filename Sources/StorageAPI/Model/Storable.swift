public import StorageDriver

/// A struct that can be stored: what `@Storable` writes, and what can be written by hand instead.
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
///         private let path: PropertyPath
///         init(_ path: PropertyPath) { self.path = path }
///         var id: QueryExpression<Int> { QueryExpression(path, 0) }
///         var color: QueryExpression<String> { QueryExpression(path, 1) }
///     }
/// }
/// ```
///
/// Reading and writing name every property once, in the order of the schema; a wrong number or type is an error of the
/// first read or write, never a wrong value.
public protocol Storable: Sendable {
    /// The type of the key: the key property's type without its Optional, or a tuple for several. `Never` for a type
    /// without a key, which other models can own, and which has no records of its own.
    associatedtype Key: Sendable
    /// The properties as terms of queries.
    associatedtype Columns: ColumnSet

    /// The name, properties, key and indexes. Evaluated once for each store.
    static var schema: ModelSchema { get }

    /// Makes the model from a row: one `read` for each property, in the schema's order.
    ///
    /// - Throws: `typeMismatch` where a stored value does not fit, naming the property; what the reads throw.
    init(reading row: inout RowReader) throws(StorageError)

    /// Writes the model to a row: one `write` for each property, in the schema's order.
    func write(into row: inout RowWriter)

    /// Writes the key properties alone, in the schema's order.
    func writeKey(into row: inout RowWriter)

    /// The values of a key that stands without its model, one for each key property.
    static func values(of key: Key) -> [Value]

    /// Reads a key that stands without its model.
    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key

    /// Takes the key that the store has assigned. Only called on models whose key is one Optional integer.
    mutating func assign(_ key: Key)

    /// Takes the key that the store has assigned, as a row that consists of it. Never needs to be written: the default calls
    /// ``assign(_:)``.
    mutating func _assign(from row: inout RowReader) throws(StorageError)

    /// The stored name of the model whose record this is, where the type does not say it. For the library alone: nil for
    /// every type but ``DynamicRecord``.
    var _recordedModel: String? { get }

    /// The place in the schema of the property that a key path leads to, for Foundation's predicates and sort
    /// descriptors. Where it is not written, these are `invalidQuery`.
    static func ordinal(of property: PartialKeyPath<Self>) -> Int?

    /// Decodes at most `limit` rows into models. Never needs to be written: the default is compiled into the model's
    /// own module, where the loop costs no generic call per row.
    static func read(_ rows: inout RowCursor, limit: Int, into models: inout [Self]) throws(StorageError)

    /// Writes models from an index on, as many as the rows take at once, and returns the index of the next. Never needs
    /// to be written either.
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

    /// Encodes model after model by ``write(into:)``, as long as there is room.
    @inlinable
    public static func write(
        _ models: [Self], from index: Int, into rows: inout RowCollector
    ) throws(StorageError) -> Int {
        var index = index
        while index < models.count, rows.hasRoom {
            if rows.needsKey {
                var key = rows.beginKey()
                models[index].writeKey(into: &key)
                try rows.endKey(key)
            }
            var row = rows.begin()
            models[index].write(into: &row)
            guard try rows.end(row) else { return index }
            index &+= 1
        }
        return index
    }

    /// Leaves the model as it is: its key is none that the store assigns.
    public mutating func assign(_ key: Key) {}

    @inlinable public var _recordedModel: String? { nil }

    /// Takes the key by ``assign(_:)``.
    public mutating func _assign(from row: inout RowReader) throws(StorageError) { assign(try Self.readKey(&row)) }

    /// No property: predicates and sort descriptors over a model without this function of its own are `invalidQuery`.
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

/// A type that others own needs no key. To open it as a model of its own is `configuration`.
extension Storable where Key == Never {
    /// Writes nothing.
    public func writeKey(into row: inout RowWriter) {}

    /// Is never called: there is no such key.
    public static func values(of key: Never) -> [Value] {}

    /// Throws `configuration`: there is no such key.
    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Never {
        throw SchemaValidation.noKey(schema.name)
    }
}

extension Storable where Key: RawRepresentable, Key.RawValue: ScalarValue {
    /// The one value of the key.
    @inlinable
    public static func values(of key: Key) -> [Value] { [key.rawValue.value] }

    /// Reads the one value of the key.
    @inlinable
    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Key { try row.read(Key.self) }
}
