internal import StorageDriver

/// The mapping of one model's records to entries of the file: their names and their codec. Used by one thread at a
/// time.
final class ModelArchive {
    /// The model's stored name.
    let name: StoredName
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

    /// The number of values in a key.
    var keyCount: Int { keyTypes.count }

    /// The content of an entry in the model's folder.
    enum Contents {
        /// Records, one or a segment of them.
        case records
        /// Keys of deleted records.
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
        case .blob(let bytes): Hexadecimal.text(of: bytes)
        case .null, .double: ""
        }
    }
}

/// Writes one model's entries of one commit.
struct EntryWriter: ~Copyable {
    /// The limits of a segment: its number of records, and the number of bytes after which it ends.
    private static let segmentRecords = 256
    static let segmentBytes = 1 << 20

    private let archive: ModelArchive
    private let sequence: UInt64
    private var encoder: RecordEncoder
    private var segments = 0
    /// The keys of deleted records, one after the other. Their cells point at the bytes of the tables.
    private var deleted: [Cell] = []

    init(_ archive: ModelArchive, sequence: UInt64) {
        self.archive = archive
        self.sequence = sequence
        encoder = archive.encoders.take(archive.layout)
        encoder.begin(sequence: sequence)
    }

    /// Large records always get a separate entry, so batching never makes them larger.
    mutating func add(
        _ buffer: RecordBuffer, key: UnsafePointer<Cell>, isSeparate: Bool, to commit: inout CommitWriter
    ) throws(StorageError) {
        if isSeparate || buffer.bytes >= Self.segmentBytes {
            if encoder.count > 0 { try endSegment(&commit) }
            return try addSeparate(buffer.rows, key: key, to: &commit)
        }
        try encoder.add(buffer.rows)
        if encoder.count == Self.segmentRecords || encoder.size >= Self.segmentBytes { try endSegment(&commit) }
    }

    private mutating func addSeparate(
        _ rows: RecordRows, key: UnsafePointer<Cell>, to commit: inout CommitWriter
    ) throws(StorageError) {
        do throws(StorageError) {
            try encoder.add(rows)
            try flush(archive.recordName(key), asList: false, &commit)
        } catch {
            throw archive.naming(error, key)
        }
    }

    /// A list of keys records the deletion; an empty entry with the record's name is for extraction.
    mutating func delete(
        _ key: UnsafePointer<Cell>, isSeparate: Bool, _ commit: inout CommitWriter
    ) throws(StorageError) {
        if isSeparate {
            try commit.add(name: archive.recordName(key), contents: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        deleted.append(contentsOf: UnsafeBufferPointer(start: key, count: archive.keyCount))
    }

    consuming func finish(_ commit: inout CommitWriter) throws(StorageError) {
        if encoder.count > 0 { try endSegment(&commit) }
        if !deleted.isEmpty { try writeDeletions(&commit) }
        archive.encoders.keep(encoder)
    }

    private mutating func endSegment(_ commit: inout CommitWriter) throws(StorageError) {
        try flush(archive.segmentName(sequence, segments), asList: true, &commit)
        segments += 1
    }

    private mutating func writeDeletions(_ commit: inout CommitWriter) throws(StorageError) {
        var lists = 0
        for start in stride(from: 0, to: deleted.count, by: archive.keyCount) {
            let key = deleted[start..<start + archive.keyCount]
            let added = key.withUnsafeBufferPointer { key in
                Result { () throws(StorageError) in if let first = key.baseAddress { try encoder.addKey(first) } }
            }
            try added.get()
            guard encoder.size >= Self.segmentBytes || start + archive.keyCount == deleted.count else { continue }
            try flush(archive.deletedName(sequence, lists), asList: true, &commit)
            lists += 1
        }
    }

    private mutating func flush(
        _ name: String, asList: Bool, _ commit: inout CommitWriter
    ) throws(StorageError) {
        try encoder.finish(asList: asList) { (bytes) throws(StorageError) in
            try commit.add(name: name, contents: bytes)
        }
        encoder.begin(sequence: sequence)
    }
}

/// Keeps an encoder from commit to commit: to make one costs more than to encode a small record. Used by one thread at a
/// time.
final class EncoderCache {
    private var encoder: RecordEncoder?

    /// Memory above which an encoder is not worth keeping.
    private static let maximumMemory = 8 << 20

    func take(_ layout: RecordLayout) -> RecordEncoder {
        guard let kept = encoder.take() else { return RecordEncoder(layout) }
        return kept
    }

    func keep(_ encoder: consuming RecordEncoder) {
        if encoder.memory <= Self.maximumMemory { self.encoder = consume encoder }
    }
}
