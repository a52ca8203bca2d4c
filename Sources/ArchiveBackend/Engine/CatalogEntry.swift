internal import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The catalog, the entry of the store itself: the schema, and facts that records alone do not show. It applies from
/// its commit on.
struct CatalogEntry: Decodable {
    var tables: [Table]
    /// The root tables of models whose earlier records are deleted.
    var truncated: [String]
    /// The commit from which on the tables have this schema; a later one may repeat the catalog. Nil if that is the
    /// catalog's commit.
    var since: UInt64?

    struct Table: Decodable {
        var schema: TableSchema
        /// For each column the value of records that were written before it was added.
        var missing: [RecordedValue]
        /// The greatest key ever stored.
        var greatestKey: Int64
    }

    /// The entry's name. No model's folder has it, for a folder's name is no file's.
    static let entryName = "STORE.plist"
}

// A keyed archive of an NSDictionary: `format` is a number, `schema` is JSON text, as the SQLite backend records it too.
extension CatalogEntry {
    /// The entry for tables. Most of its text is made once for each table (``ArchiveTable/recordedForm()``): it is
    /// repeated every few hundred commits.
    static func encoded(
        _ tables: ArchiveTables, truncated: Set<String> = [], since: UInt64
    ) throws(StorageError) -> [UInt8] {
        var json = Array("{\"since\":\(since),\"tables\":[".utf8)
        for (index, table) in tables.list.enumerated() {
            json += Array("\(index > 0 ? "," : ""){\"greatestKey\":\(table.greatestKey),".utf8)
            json += try table.recordedForm().dropFirst()
        }
        json += Array("],\"truncated\":".utf8)
        json += try self.json(truncated.sorted())
        json += Array("}".utf8)
        return try archive(json, format: tables.list.map(\.schema.requiredFormat).max() ?? 1)
    }

    /// Returns the constant part of a table's catalog entry, as a JSON object.
    static func definition(_ schema: TableSchema, missing: [Value]) throws(StorageError) -> [UInt8] {
        try json(Definition(schema: schema, missing: missing.map(RecordedValue.init)))
    }

    private struct Definition: Encodable {
        var schema: TableSchema
        var missing: [RecordedValue]
    }

    private static func json(_ value: some Encodable) throws(StorageError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw StorageError(.invalidValue, "The store's schema cannot be written.", underlying: error)
        }
    }

    private static func archive(_ json: [UInt8], format: Int) throws(StorageError) -> [UInt8] {
        var writer = ObjectWriter(classCount: 1)
        let keys = try [text("format", &writer), text("schema", &writer)]
        let number = writer.add(writer.list.integer(Int64(format)))
        let schema = writer.uid(try text(json, &writer))
        let names = try [writer.plainString(Array("NS.keys".utf8)), writer.name(.objects), writer.name(.objectClass)]
        let values = [
            writer.list.array(keys.map { writer.uid($0) }), writer.list.array([writer.uid(number), schema]),
            try writer.classUID(0, name: Array("NSDictionary".utf8)),
        ]
        return Array(try writer.finish(root: writer.add(writer.list.dictionary(keys: names, values: values))))
    }

    private static func text(_ text: String, _ writer: inout ObjectWriter) throws(StorageError) -> UInt32 {
        try Self.text(Array(text.utf8), &writer)
    }

    private static func text(_ bytes: [UInt8], _ writer: inout ObjectWriter) throws(StorageError) -> UInt32 {
        let entry = bytes.withUnsafeBytes { bytes in Result { () throws(StorageError) in try writer.text(bytes) } }
        return try entry.get()
    }

    /// - Throws: `schemaNewer` for a later format; `corrupt` for anything that no store has written.
    init(_ contents: UnsafeRawBufferPointer) throws(StorageError) {
        guard case .dictionary(let entries) = try ArchivedValue(archive: Array(contents)),
            case .int(let format)? = entries.first(where: { $0.key == .string("format") })?.value,
            case .string(let schema)? = entries.first(where: { $0.key == .string("schema") })?.value
        else { throw StorageError(.corrupt, "The store's own entry is not one that a store writes.") }
        guard format <= TableSchema.newestFormat else {
            throw StorageError(
                .schemaNewer,
                "The store has format \(format) and this program knows \(TableSchema.newestFormat); use a newer version. "
                    + "Nothing was changed.")
        }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(schema.utf8))
        } catch {
            throw StorageError(.corrupt, "The store's own entry cannot be read.", underlying: error)
        }
    }
}

/// A value as the store's entry has it.
enum RecordedValue: Codable {
    case null
    case int(Int64)
    case unsigned(UInt64)
    /// The bits, for JSON knows no NaN.
    case double(UInt64)
    case text(String)
    case blob([UInt8])

    init(_ value: Value) {
        self =
            switch value {
            case .null: .null
            case .int(let number): .int(number)
            case .unsigned(let number): .unsigned(number)
            case .double(let number): .double(number.bitPattern)
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
    }

    var value: Value {
        switch self {
        case .null: .null
        case .int(let number): .int(number)
        case .unsigned(let number): .unsigned(number)
        case .double(let bits): .double(Double(bitPattern: bits))
        case .text(let text): .text(text)
        case .blob(let bytes): .blob(bytes)
        }
    }
}
