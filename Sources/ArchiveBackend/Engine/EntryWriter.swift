internal import StorageDriver

/// Writes one model's entries of one commit.
struct EntryWriter: ~Copyable {
    /// What a segment holds at most: records, and bytes after which it ends.
    private static let segmentRecords = 256
    static let segmentBytes = 1 << 20

    private let archive: ModelArchive
    private let sequence: UInt64
    private var encoder: RecordEncoder
    private var segments = 0
    /// The keys of deleted records, one after the other. Their cells' bytes are those of the tables.
    private var deleted: [Cell] = []

    init(_ archive: ModelArchive, sequence: UInt64) {
        self.archive = archive
        self.sequence = sequence
        encoder = archive.encoders.take(archive.layout)
        encoder.begin(sequence: sequence)
    }

    /// A large record has an entry of its own even among many, so that it needs no more room there than by itself.
    mutating func add(
        _ buffer: RecordBuffer, _ key: UnsafePointer<Cell>, isSeparate: Bool, _ commit: inout CommitWriter
    ) throws(StorageError) {
        if isSeparate || buffer.bytes >= Self.segmentBytes {
            if encoder.count > 0 { try endSegment(&commit) }
            return try addSeparate(buffer.rows, key, &commit)
        }
        try encoder.add(buffer.rows)
        if encoder.count == Self.segmentRecords || encoder.size >= Self.segmentBytes { try endSegment(&commit) }
    }

    private mutating func addSeparate(
        _ rows: RecordRows, _ key: UnsafePointer<Cell>, _ commit: inout CommitWriter
    ) throws(StorageError) {
        do throws(StorageError) {
            try encoder.add(rows)
            try flush(archive.recordName(key), asList: false, &commit)
        } catch {
            throw archive.naming(error, key)
        }
    }

    /// The deletion is told by a list of keys; an empty entry in the record's place is for who extracts the file.
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
    private static let mostMemory = 8 << 20

    func take(_ layout: RecordLayout) -> RecordEncoder {
        guard let kept = encoder.take() else { return RecordEncoder(layout) }
        return kept
    }

    func keep(_ encoder: consuming RecordEncoder) {
        if encoder.memory <= Self.mostMemory { self.encoder = consume encoder }
    }
}
