import ArchiveBackend
public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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
/// Models need their key, and are refused for the same reasons as by a store. The article *The keyed archive of a
/// record* of ArchiveBackend describes the format.
public enum KeyedArchive {
    /// The archive of one model. Costs one pass; a million small models a second and core are usual.
    ///
    /// - Parameters:
    ///   - model: the model, with everything that it owns.
    ///   - className: the root's class, instead of the model's stored name.
    /// - Throws: `missingKey`, `invalidValue` or `limitExceeded` for a model that cannot be stored.
    public static func encode<M: Storable>(_ model: M, className: String? = nil) throws(StorageError) -> [UInt8] {
        try encode([model], className: className, asList: false)
    }

    /// The archive of an array of models, in its order.
    ///
    /// - Parameters:
    ///   - models: the models, with everything that they own.
    ///   - className: the models' class, instead of their stored name.
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
    /// Memory and time are bounded by the archive's size, whatever it contains.
    /// - Throws: `corrupt`, with the offset, for anything but such an archive; `typeMismatch` for a value that does not
    ///   fit its property, and for a sound archive of something else: an array of another number of models than one, or
    ///   objects without the key.
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

extension KeyedArchive {
    /// Writes the archive of one model to a file, which is replaced whole or not at all.
    ///
    /// The archive is written to a temporary file, which is synced and then renamed, so that a crash leaves the old
    /// file or the new one.
    /// - Throws: as ``encode(_:className:)-(M,_)``; `io` or `full` if the file cannot be written.
    public static func write<M: Storable>(_ model: M, to url: URL) throws(StorageError) {
        try WholeFile.write(try encode(model), to: try path(url))
    }

    /// Writes the archive of an array of models to a file, which is replaced whole or not at all.
    public static func write<M: Storable>(_ models: [M], to url: URL) throws(StorageError) {
        try WholeFile.write(try encode(models), to: try path(url))
    }

    /// Reads the model in a file.
    ///
    /// - Throws: `io` if the file cannot be read; as ``decode(_:from:)-(M.Type,_)``.
    public static func read<M: Storable>(_: M.Type, from url: URL) throws(StorageError) -> M {
        try decode(M.self, from: try WholeFile.read(try path(url)))
    }

    /// Reads the models in a file.
    public static func read<M: Storable>(_: [M].Type, from url: URL) throws(StorageError) -> [M] {
        try decode([M].self, from: try WholeFile.read(try path(url)))
    }

    private static func path(_ url: URL) throws(StorageError) -> String {
        guard url.isFileURL, !url.path.utf8.contains(0) else {
            throw StorageError(.configuration, "\(url) is not the URL of a file.")
        }
        return url.path
    }
}

// Records without the program's types. Their archives are, byte for byte, those of types with the same properties.
extension KeyedArchive {
    /// The archive of one record.
    ///
    /// ```swift
    /// let schema = try await store.recordSchemas().first { $0.name == "Person" }
    /// ```
    /// - Parameters:
    ///   - record: the record with everything that it owns.
    ///   - schema: the record's properties; the names of its models are the objects' classes.
    ///   - className: the root's class, instead of the schema's name.
    /// - Throws: `configuration` for a schema that cannot be stored; `missingKey`, `invalidValue` or `limitExceeded` for
    ///   a record that a store of the schema refuses.
    public static func encode(
        _ record: DynamicRecord, as schema: RecordSchema, className: String? = nil
    ) throws(StorageError) -> [UInt8] {
        try encode([record], ModelRows(schema), className: className, asList: false)
    }

    /// The archive of an array of records, in its order.
    ///
    /// - Throws: as for one record, with the index of the element; `limitExceeded` at 4 GiB.
    public static func encode(
        _ records: [DynamicRecord], as schema: RecordSchema, className: String? = nil
    ) throws(StorageError) -> [UInt8] {
        try encode(records, ModelRows(schema), className: className, asList: true)
    }

    /// The records in an archive whose root is an array of objects, or one object. A property whose key is missing is
    /// nil, or empty where it is an array of owned records.
    ///
    /// - Throws: `corrupt`, with the offset, for anything but such an archive; `typeMismatch` for a value that does not
    ///   fit its property, and for a required one that is missing.
    public static func decode(_ schema: RecordSchema, from archive: [UInt8]) throws(StorageError) -> [DynamicRecord] {
        try decode(ModelRows(schema), from: archive)
    }
}

/// Files that are read and replaced whole.
enum WholeFile {
    /// The largest file that is read into memory.
    private static let largest: Int64 = 1 << 32

    static func read(_ path: String) throws(StorageError) -> [UInt8] {
        let layer = SystemFileLayer()
        let place = try OpenFile.place(of: path, layer)
        let file: OpenFile
        do { file = try OpenFile(place, .read, layer: layer, name: path) } catch {
            throw FileFailure.error(error, path)
        }
        let size = try file.status().size
        guard size <= largest else { throw StorageError(.io, "\(path) is not a file of less than 4 GiB.") }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StorageError) in try file.read(at: 0, into: buffer) }
        }
        guard try count.get() == bytes.count else {
            throw StorageError(.io, "\(path) was cut while it was read. Read it again.")
        }
        return bytes
    }

    /// Writes a temporary file, and renames it when it is on the disk.
    static func write(_ bytes: [UInt8], to path: String) throws(StorageError) {
        let file = try PublishedFile(path, over: .anyFile)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.file.write(at: 0, bytes) }
        }
        try written.get()
        try file.publish()
    }
}
