import ArchiveBackend
public import StorageAPI
public import StorageDriver

// Records without the program's types. Their archives are, byte for byte, those of types with the same properties.
extension KeyedArchive {
    /// The archive of one record.
    ///
    /// ```swift
    /// let schema = try await store.recordSchemas().first { $0.name == "Person" }
    /// ```
    /// - Parameters:
    ///   - record: the record with all that it owns.
    ///   - schema: what the record consists of; the names of its models are the objects' classes.
    ///   - className: the root's class in place of the schema's name.
    /// - Throws: `configuration` for a schema that cannot be stored; `missingKey`, `invalidValue` or `limitExceeded` for
    ///   a record that a store of the schema refuses.
    public static func encode(
        _ record: Record, as schema: RecordSchema, className: String? = nil
    ) throws(StorageError) -> [UInt8] {
        try encode([StoredRecord(record)], ModelRows(schema), className: className, asList: false)
    }

    /// The archive of an array of records, in its order.
    ///
    /// - Throws: as for one record, with the index of the element; `limitExceeded` at 4 GiB.
    public static func encode(
        _ records: [Record], as schema: RecordSchema, className: String? = nil
    ) throws(StorageError) -> [UInt8] {
        try encode(records.map { StoredRecord($0) }, ModelRows(schema), className: className, asList: true)
    }

    /// The records in an archive whose root is an array of objects, or one object. A property whose key is missing is
    /// nil, or empty where it is an array of owned records.
    ///
    /// - Throws: `corrupt` for anything but such an archive, with the place; `typeMismatch` for a value that does not
    ///   fit its property, and for a required one that is missing.
    public static func decode(_ schema: RecordSchema, from archive: [UInt8]) throws(StorageError) -> [Record] {
        try decode(ModelRows(schema), from: archive).map(\.record)
    }
}
