internal import StorageAPI

/// Writes a transaction's changes, or a whole store, as entries of a commit.
struct ChangeRecorder {
    /// How many records go into entries of their own; more are put together in segments.
    private static let mostSeparate = 64

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
            // Most tables assign none.
            guard greatest > 0, greatest > changes.base[table.schema.name]?.greatestKey ?? 0 else { return false }
            return withUnsafePointer(to: Cell.int(greatest)) { table.rows.row($0) == nil }
        }
    }

    private mutating func record(
        _ changes: Changes, _ archive: ModelArchive, to commit: inout CommitWriter
    ) throws(StorageError) {
        let members = archive.tables.compactMap { tables[$0] }
        let difference = RecordDifference(from: changes.base, to: members)
        let keys = ChangedKeys(of: members)
        // How many there are is known from the first ones, as far as it matters.
        while keys.count <= Self.mostSeparate, difference.next(keys.next) { keys.keep() }
        guard keys.count > 0 else { return }
        let isSeparate = keys.count <= Self.mostSeparate
        var writer = EntryWriter(archive, sequence: sequence)
        let buffer = RecordBuffer(members)
        for index in 0..<keys.count { try write(keys[index], buffer, isSeparate, &writer, &commit) }
        while !isSeparate, difference.next(keys.next) {
            try write(keys.next, buffer, isSeparate, &writer, &commit)
        }
        try writer.finish(&commit)
    }

    private mutating func write(
        _ key: UnsafePointer<Cell>, _ buffer: RecordBuffer, _ isSeparate: Bool, _ writer: inout EntryWriter,
        _ commit: inout CommitWriter
    ) throws(StorageError) {
        tally.written += 1
        guard buffer.fill(key) else { return try writer.delete(key, isSeparate: isSeparate, &commit) }
        if isSeparate, buffer.bytes < EntryWriter.segmentBytes { tally.separate += 1 }
        try writer.add(buffer, key, isSeparate: isSeparate, &commit)
    }

    /// The first keys of a difference. Their cells' bytes are those of the tables.
    private final class ChangedKeys {
        private let cells: UnsafeMutablePointer<Cell>
        private let width: Int
        private(set) var count = 0

        init(of members: [ArchiveTable]) {
            width = max(members.first?.rootKeyCount ?? 0, 1)
            cells = .allocate(capacity: (mostSeparate + 2) * width)
        }

        deinit { cells.deallocate() }

        subscript(index: Int) -> UnsafePointer<Cell> { UnsafePointer(cells + index * width) }

        /// Where the next key goes. There is room for one more than are kept.
        var next: UnsafeMutablePointer<Cell> { cells + count * width }

        func keep() { count += 1 }
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
