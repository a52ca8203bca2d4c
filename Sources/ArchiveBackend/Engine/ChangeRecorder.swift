internal import StorageAPI

/// Writes a transaction's changes, or a whole store, as entries of a commit.
struct ChangeRecorder {
    /// How many records go into entries of their own; more are put together in segments.
    private static let mostSeparate = 64
    /// What a segment holds at most: records, and bytes after which it ends.
    private static let segmentRecords = 256
    static let segmentBytes = 1 << 20

    let archives: [ModelArchive]
    let tables: ArchiveTables
    let sequence: UInt64
    /// What was written, for the rule of compaction.
    private(set) var tally = EntryTally()
    /// Where the store's own entry is after what was written.
    private(set) var copies: RecordCopies

    init(
        _ tables: ArchiveTables, _ archives: [ModelArchive], sequence: UInt64, copies: RecordCopies = RecordCopies()
    ) {
        self.copies = copies
        self.tables = tables
        self.archives = archives
        self.sequence = sequence
    }

    // MARK: Changes

    mutating func record(_ changes: Changes, to commit: inout CommitWriter) throws(StorageError) {
        let isNeeded = changes.changesSchema || !changes.truncated.isEmpty || Self.hasForgottenKeys(changes)
        if isNeeded {
            let since = changes.changesSchema ? sequence : copies.since
            try add(StoreRecord(tables, truncated: changes.truncated, since: since), to: &commit)
        }
        for archive in archives { try record(changes, archive, to: &commit) }
        // A repetition alone is no commit.
        if !isNeeded, tally.written > 0, copies.isDue(at: sequence) {
            try add(StoreRecord(tables, since: copies.since), to: &commit)
        }
    }

    /// Whether a key was assigned that no record in the file will have.
    private static func hasForgottenKeys(_ changes: Changes) -> Bool {
        changes.tables.list.contains { table in
            let greatest = table.greatestKey
            guard greatest > changes.base[table.schema.name]?.greatestKey ?? 0 else { return false }
            return withUnsafePointer(to: Cell.int(greatest)) { table.rows.row($0) == nil }
        }
    }

    private mutating func record(
        _ changes: Changes, _ archive: ModelArchive, to commit: inout CommitWriter
    ) throws(StorageError) {
        let members = archive.tables.compactMap { tables[$0] }
        let changed = try Self.count(
            RecordDifference(from: changes.base, to: members), upTo: Self.mostSeparate + 1, members)
        guard changed > 0 else { return }
        var writer = EntryWriter(archive, sequence: sequence)
        let buffer = RecordBuffer(members)
        let difference = RecordDifference(from: changes.base, to: members)
        let isSeparate = changed <= Self.mostSeparate
        try ArchiveTable.withKey(of: members) { (key) throws(StorageError) in
            while difference.next(key) {
                tally.written += 1
                if !buffer.fill(key) {
                    try writer.delete(key, isSeparate: isSeparate, &commit)
                } else {
                    if isSeparate, buffer.bytes < Self.segmentBytes { tally.separate += 1 }
                    try writer.add(buffer, key, isSeparate: isSeparate, &commit)
                }
            }
        }
        try writer.finish(&commit)
    }

    /// How many records there are, up to a number.
    private static func count(
        _ difference: RecordDifference, upTo most: Int, _ members: [ArchiveTable]
    ) throws(StorageError) -> Int {
        var count = 0
        try ArchiveTable.withKey(of: members) { key throws(StorageError) in
            while count < most, difference.next(key) { count += 1 }
        }
        return count
    }

    // MARK: Everything

    /// Writes all records in segments, as a file that begins anew. Each of its commits has the store's own entry.
    mutating func recordAll(to commit: inout CommitWriter) throws(StorageError) {
        let record = StoreRecord(tables, since: 0)
        try add(record, to: &commit)
        var begun = commit.sequence
        for archive in archives {
            let members = archive.tables.compactMap { tables[$0] }
            guard let root = members.first else { continue }
            var writer = EntryWriter(archive, sequence: sequence)
            let buffer = RecordBuffer(members)
            var range = RowRange(root.rows)
            try ArchiveTable.withKey(of: members) { (key) throws(StorageError) in
                while let row = range.next() {
                    for (index, column) in root.schema.key.enumerated() {
                        key[index] = root.format.cell(column, of: row)
                    }
                    guard buffer.fill(key) else { continue }
                    tally.written += 1
                    if commit.sequence != begun {
                        begun = commit.sequence
                        try add(record, to: &commit)
                    }
                    try writer.add(buffer, key, isSeparate: false, &commit)
                }
            }
            try writer.finish(&commit)
        }
    }

    private mutating func add(_ record: StoreRecord, to commit: inout CommitWriter) throws(StorageError) {
        copies.note(since: record.since ?? sequence, at: commit.sequence)
        let bytes = try record.encoded()
        let result = bytes.withUnsafeBytes { contents in
            Result { () throws(StorageError) in try commit.add(name: StoreRecord.entryName, contents: contents) }
        }
        try result.get()
    }

    /// One model's entries in one commit.
    private struct EntryWriter: ~Copyable {
        private let archive: ModelArchive
        private let sequence: UInt64
        private var records: RecordEncoder
        private var deleted: RecordEncoder
        private var segments = 0
        private var deletions = 0

        init(_ archive: ModelArchive, sequence: UInt64) {
            self.archive = archive
            self.sequence = sequence
            records = RecordEncoder(archive.layout)
            deleted = RecordEncoder(archive.layout)
            records.begin(sequence: sequence)
            deleted.begin(sequence: sequence)
        }

        /// A large record has an entry of its own even among many, so that it needs no more room there than by itself.
        mutating func add(
            _ buffer: RecordBuffer, _ key: UnsafePointer<Cell>, isSeparate: Bool, _ commit: inout CommitWriter
        ) throws(StorageError) {
            if isSeparate || buffer.bytes >= segmentBytes {
                if records.count > 0 { try endSegment(&commit) }
                return try addSeparate(buffer.rows, key, &commit)
            }
            try records.add(buffer.rows)
            if records.count == segmentRecords || records.size >= segmentBytes { try endSegment(&commit) }
        }

        private mutating func addSeparate(
            _ rows: RecordRows, _ key: UnsafePointer<Cell>, _ commit: inout CommitWriter
        ) throws(StorageError) {
            do throws(StorageError) {
                try records.add(rows)
                try Self.flush(&records, archive.recordName(key), asList: false, sequence, &commit)
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
            try deleted.addKey(key)
            if deleted.size >= segmentBytes { try endDeletions(&commit) }
        }

        mutating func finish(_ commit: inout CommitWriter) throws(StorageError) {
            if deleted.count > 0 { try endDeletions(&commit) }
            if records.count > 0 { try endSegment(&commit) }
        }

        private mutating func endSegment(_ commit: inout CommitWriter) throws(StorageError) {
            try Self.flush(&records, archive.segmentName(sequence, segments), asList: true, sequence, &commit)
            segments += 1
        }

        private mutating func endDeletions(_ commit: inout CommitWriter) throws(StorageError) {
            try Self.flush(&deleted, archive.deletedName(sequence, deletions), asList: true, sequence, &commit)
            deletions += 1
        }

        private static func flush(
            _ encoder: inout RecordEncoder, _ name: String, asList: Bool, _ sequence: UInt64,
            _ commit: inout CommitWriter
        ) throws(StorageError) {
            try encoder.finish(asList: asList) { (bytes) throws(StorageError) in
                try commit.add(name: name, contents: bytes)
            }
            encoder.begin(sequence: sequence)
        }
    }
}

/// How much of a file is spent on what a compacted file would not have.
struct EntryTally {
    /// Records that were written, and deletions.
    var written = 0
    /// Records in entries of their own, which take several times the place that they take in a segment.
    var separate = 0

    static func += (left: inout EntryTally, right: EntryTally) {
        left.written += right.written
        left.separate += right.separate
    }

    /// Whether a file with so many records gets small by compaction: what is superseded and what stands alone is more
    /// than what a compacted file has. So the cost of compaction is that of the writes since the last, times a constant.
    func isWorthCompacting(records: Int, bytes: Int64) -> Bool {
        bytes > 1 << 20 && written - records + separate > max(records, 1000)
    }
}
