import ArchiveBackend
public import StorageAPI
public import StorageDriver

/// Models as keyed archives: the binary format of Foundation's `NSKeyedArchiver`, written and read without it.
///
/// ```swift
/// try KeyedArchive.write(person, to: url)
/// let person = try KeyedArchive.read(Person.self, from: url)
/// ```
/// A model is an object whose class is the model's stored name and whose keys are the stored names of its properties;
/// what it owns is nested in it. `NSKeyedUnarchiver` reads such an archive into classes that are named to it by
/// `setClass(_:forClassName:)`. Archives that `NSKeyedArchiver` wrote are read by their keys: any class name will do,
/// keys that no property has are passed over, and a property whose key is missing takes its default.
///
/// Models need their key, and are refused for what a store refuses. The article *The keyed archive of a record* of ArchiveBackend describes the format.
public enum KeyedArchive {
    /// The archive of one model. Costs one pass; a million small models a second and core are usual.
    ///
    /// - Parameters:
    ///   - model: the model, with all that it owns.
    ///   - className: the root's class in place of the model's stored name.
    /// - Throws: `missingKey`, `invalidValue` or `limitExceeded` for a model that cannot be stored.
    public static func encode<M: Storable>(_ model: M, className: String? = nil) throws(StorageError) -> [UInt8] {
        try encode([model], className: className, asList: false)
    }

    /// The archive of an array of models, in its order.
    ///
    /// - Parameters:
    ///   - models: the models, with all that they own.
    ///   - className: the models' class in place of their stored name.
    /// - Throws: as for one model, with the index of the element; `limitExceeded` at 4 GiB.
    public static func encode<M: Storable>(_ models: [M], className: String? = nil) throws(StorageError) -> [UInt8] {
        try encode(models, className: className, asList: true)
    }

    private static func encode<M: Storable>(
        _ models: [M], className: String?, asList: Bool
    ) throws(StorageError) -> [UInt8] {
        try encode(models, ModelRows(M.self), className: className, asList: asList)
    }

    static func encode<M: Storable>(
        _ models: [M], _ rows: ModelRows<M>, className: String?, asList: Bool
    ) throws(StorageError) -> [UInt8] {
        var encoder = RecordEncoder(try layout(rows, className: className))
        encoder.begin(sequence: nil)
        try rows.write(models) { (tables) throws(StorageError) in
            try encoder.add(RecordRows(tables: tables, sequence: nil))
        }
        return try encoder.finish(asList: asList)
    }

    /// The model in an archive whose root is one object.
    ///
    /// Memory and time are bounded by the archive's size, whatever it holds.
    /// - Throws: `corrupt` for what is no such archive, with the place; `typeMismatch` for a value that does not fit its
    ///   property, and for a sound archive of something else: an array of another number of models than one, or objects without the
    ///   key.
    public static func decode<M: Storable>(_: M.Type, from archive: [UInt8]) throws(StorageError) -> M {
        let models = try decode([M].self, from: archive)
        guard models.count == 1 else {
            throw StorageError(
                .typeMismatch, "The archive holds an array of \(models.count); read it as [\(M.self)].",
                model: M.schema.name
            )
        }
        return models[0]
    }

    /// The models in an archive whose root is an array of objects, or one object.
    ///
    /// - Throws: as for one model.
    public static func decode<M: Storable>(_: [M].Type, from archive: [UInt8]) throws(StorageError) -> [M] {
        try decode(ModelRows(M.self), from: archive)
    }

    static func decode<M: Storable>(_ rows: ModelRows<M>, from archive: [UInt8]) throws(StorageError) -> [M] {
        var decoder = RecordDecoder(try layout(rows, className: nil))
        decoder.keyless = .typeMismatch
        let reader = rows.reader()
        try archive.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            try decoder.decode(UnsafeRawBufferPointer(bytes)) { (record) throws(StorageError) in
                try reader.add(record.tables)
            }
        }
        return try reader.finish()
    }

    private static func layout<M: Storable>(
        _ rows: ModelRows<M>, className: String?
    ) throws(StorageError) -> RecordLayout {
        try RecordLayout(tables: rows.tables, missing: try rows.defaults(), rootClass: className)
    }
}
