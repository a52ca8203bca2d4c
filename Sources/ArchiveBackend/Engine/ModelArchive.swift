internal import StorageDriver

/// How one model's records are entries of the file: their names, and their codec. Used by one thread at a time.
final class ModelArchive {
    /// The model's stored name.
    let name: String
    /// The folder of its entries.
    let folder: String
    /// The names of its tables, the root's first.
    let tables: [String]
    let layout: RecordLayout
    let encoders = EncoderCache()
    private let keyTypes: [ColumnType]
    /// The folder with a slash.
    private let prefix: String

    private static let segments = "segments"
    private static let deleted = "deleted"

    init(_ model: ArchiveTables.Model, _ tables: ArchiveTables) throws(StorageError) {
        let members = model.places.map { tables.list[$0] }
        name = model.name
        self.tables = members.map(\.schema.name)
        layout = try RecordLayout(tables: members.map(\.schema), missing: members.map(\.missing))
        let root = members[0].schema
        // Tables' names differ in more than case.
        folder = EntryName.escape(root.name, keepingCase: true, limit: 40)
        prefix = folder + "/"
        keyTypes = root.key.map { root.columns[$0].type }
    }

    /// How many values a key has.
    var keyCount: Int { keyTypes.count }

    /// What an entry in the model's folder holds.
    enum Contents {
        /// Records, one or a segment of them.
        case records
        /// Keys of records that are gone.
        case deletedKeys
    }

    static func contents(of name: Substring) -> Contents {
        name.hasPrefix(deleted + "/") ? .deletedKeys : .records
    }

    func segmentName(_ sequence: UInt64, _ number: Int) -> String {
        "\(folder)/\(Self.segments)/\(sequence)-\(number).plist"
    }

    func deletedName(_ sequence: UInt64, _ number: Int) -> String {
        "\(folder)/\(Self.deleted)/\(sequence)-\(number).plist"
    }

    /// The name of the entry of one record: its key, if that is short and plain.
    func recordName(_ key: UnsafePointer<Cell>) -> String {
        // The usual key, whose digits need no escaping.
        if keyTypes.count == 1, key[0].tag == .int, key[0].int >= 0 { return prefix + String(key[0].int) + ".plist" }
        let texts = keyTypes.enumerated().map { index, type in
            let text = Self.text(key[index])
            // With its length in front a text cannot be taken for two.
            return keyTypes.count > 1 && type == .string ? "\(text.utf8.count)_\(text)" : text
        }
        return prefix + EntryName.escape(texts.joined(separator: "_"), limit: 53) + ".plist"
    }

    /// The error of writing a record, with its model and key.
    func naming(_ error: StorageError, _ key: UnsafePointer<Cell>) -> StorageError {
        guard error.code == .limitExceeded || error.code == .invalidValue else { return error }
        return StorageError(
            error.code, "The record is too large for an entry of the file, or cannot be written: \(error.message)",
            model: name, key: keyTypes.indices.map { key[$0].value })
    }

    private static func text(_ cell: Cell) -> String {
        switch cell.value {
        case .int(let number): String(number)
        case .unsigned(let number): String(number)
        case .text(let text): text
        case .blob(let bytes): bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        case .null, .double: ""
        }
    }
}
