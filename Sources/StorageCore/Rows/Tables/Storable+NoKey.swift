public import StorageDriver

/// A type that others own needs no key. To open it as a model of its own is `configuration`.
extension Storable where Key == Never {
    /// Nil: there is no key.
    public static func key(of record: Self) -> Never? { nil }

    /// Writes nothing.
    public func writeKey(into row: inout RowWriter) {}

    /// Is never called: there is no such key.
    public static func values(of key: Never) -> [Value] {}

    /// Throws `configuration`: there is no such key.
    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Never {
        throw SchemaValidation.noKey(schema.name)
    }
}
