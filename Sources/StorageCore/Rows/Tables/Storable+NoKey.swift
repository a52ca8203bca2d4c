public import StorageDriver

/// An owned type needs no key. Opening it as a model is `configuration`.
extension Storable where Key == Never {
    /// Nil: the type has no key.
    public static func key(of record: Self) -> Never? { nil }

    /// Does not write.
    public func writeKey(into row: inout RowWriter) {}

    /// Is never called: no such key exists.
    public static func values(of key: Never) -> [Value] {}

    /// Throws `configuration`: no such key exists.
    public static func readKey(_ row: inout RowReader) throws(StorageError) -> Never {
        throw SchemaValidation.noKey(StoredName(schema.name))
    }
}
