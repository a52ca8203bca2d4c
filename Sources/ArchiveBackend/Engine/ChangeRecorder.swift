internal import StorageDriver

/// Writes a transaction's changes, or a whole store, as entries of a commit.
struct ChangeRecorder {
    /// The maximum number of records of a model with separate entries. More records are combined in segments, which
    /// people cannot read as easily and which take a quarter of the space.
    private static let maximumSeparate = 8

    let archives: [ModelArchive]
    let tables: ArchiveTables
    let sequence: UInt64
    /// The file's state after the write.
    private(set) var usage: FileUsage

    init(
        _ tables: ArchiveTables, _ archives: [ModelArchive], sequence: UInt64, usage: FileUsage = FileUsage()
    ) {
        self.usage = usage
        self.tables = tables
        self.archives = archives
        self.sequence = sequence
    }

    // MARK: PendingChanges

    mutating func record(
        _ changes: PendingChanges, _ written: WrittenKeys, to commit: inout CommitWriter
    ) throws(StorageError) {
        let isNeeded = changes.changesSchema || !changes.truncated.isEmpty || Self.hasForgottenKeys(changes)
        if isNeeded {
            let since = changes.changesSchema ? sequence : usage.catalogSince
            try addCatalog(truncated: changes.truncated, since: since, to: &commit)
        }
        let before = usage.written
        for archive in archives {
            if let keys = written.keys(of: archive.name) {
                try record(keys, of: changes, archive: archive, to: &commit)
            } else {
                try record(changes, archive, to: &commit)
            }
        }
        // A repetition alone is no commit.
        if !isNeeded, usage.written > before, usage.needsCatalog(at: sequence) {
            try addCatalog(since: usage.catalogSince, to: &commit)
        }
    }

    /// Returns whether a key was assigned that no record in the file will have.
    private static func hasForgottenKeys(_ changes: PendingChanges) -> Bool {
        let tables = changes.tables.list
        return tables.indices.contains { index in
            let greatest = tables[index].greatestKey
            // Most tables assign none.
            guard greatest > 0 else { return false }
            let before = changes.base[tables[index].schema.name]?.greatestKey ?? 0
            guard greatest > before else { return false }
            return withUnsafePointer(to: Cell.int(greatest)) { tables[index].rows.row($0) == nil }
        }
    }

    /// Records the changes of these records, few enough for separate entries.
    private mutating func record(
        _ keys: [Cell], of changes: PendingChanges, archive: ModelArchive, to commit: inout CommitWriter
    ) throws(StorageError) {
        if keys.isEmpty { return }
        let members = archive.tables.compactMap { tables[$0] }
        let buffer = RecordBuffer(members, comparedWith: changes.base)
        let isSeparate = keys.count <= Self.maximumSeparate * archive.keyCount
        var writer = EntryWriter(archive, sequence: sequence)
        let recorded = keys.withUnsafeBufferPointer { keys in
            Result { () throws(StorageError) in
                for start in stride(from: 0, to: keys.count, by: archive.keyCount) {
                    guard let key = keys.baseAddress.map({ $0 + start }) else { continue }
                    let exists = buffer.fill(key)
                    if buffer.isChanged {
                        try write(key, exists ? buffer : nil, isSeparate: isSeparate, writer: &writer, to: &commit)
                    }
                }
            }
        }
        try recorded.get()
        try writer.finish(&commit)
    }

    /// Finds the changes in all records of a model.
    private mutating func record(
        _ changes: PendingChanges, _ archive: ModelArchive, to commit: inout CommitWriter
    ) throws(StorageError) {
        let members = archive.tables.compactMap { tables[$0] }
        let difference = RecordDifference(from: changes.base, to: members)
        let keys = ChangedKeys(of: members)
        // The first keys suffice to decide whether the changes are few.
        while keys.count <= Self.maximumSeparate, difference.next(keys.next) { keys.keep() }
        guard keys.count > 0 else { return }
        let isSeparate = keys.count <= Self.maximumSeparate
        var writer = EntryWriter(archive, sequence: sequence)
        let buffer = RecordBuffer(members)
        for index in 0..<keys.count {
            try write(
                keys[index], buffer.fill(keys[index]) ? buffer : nil, isSeparate: isSeparate, writer: &writer,
                to: &commit)
        }
        while !isSeparate, difference.next(keys.next) {
            try write(
                keys.next, buffer.fill(keys.next) ? buffer : nil, isSeparate: isSeparate, writer: &writer, to: &commit)
        }
        try writer.finish(&commit)
    }

    /// Writes the record in the buffer, or its deletion.
    private mutating func write(
        _ key: UnsafePointer<Cell>, _ buffer: RecordBuffer?, isSeparate: Bool, writer: inout EntryWriter,
        to commit: inout CommitWriter
    ) throws(StorageError) {
        usage.written += 1
        guard let buffer else { return try writer.delete(key, isSeparate: isSeparate, &commit) }
        if isSeparate, buffer.bytes < EntryWriter.segmentBytes { usage.separate += 1 }
        try writer.add(buffer, key: key, isSeparate: isSeparate, to: &commit)
    }

    /// The first keys of a difference. Their cells point at the bytes of the tables.
    private final class ChangedKeys {
        private let cells: UnsafeMutablePointer<Cell>
        private let width: Int
        private(set) var count = 0

        init(of members: [ArchiveTable]) {
            width = max(members.first?.rootKeyCount ?? 0, 1)
            cells = .allocate(capacity: (maximumSeparate + 2) * width)
        }

        deinit { cells.deallocate() }

        subscript(index: Int) -> UnsafePointer<Cell> { UnsafePointer(cells + index * width) }

        /// The position of the next key. The memory has one more than the limit.
        var next: UnsafeMutablePointer<Cell> { cells + count * width }

        func keep() { count += 1 }
    }

    // MARK: Everything

    /// Writes all records in segments, for a rewritten file. Each of its commits has the catalog.
    mutating func recordAll(to commit: inout CommitWriter) throws(StorageError) {
        try addCatalog(since: 0, to: &commit)
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
                    usage.written += 1
                    if commit.sequence != begun {
                        begun = commit.sequence
                        try addCatalog(since: 0, to: &commit)
                    }
                    try writer.add(buffer, key: key, isSeparate: false, to: &commit)
                }
            }
            try writer.finish(&commit)
        }
    }

    private mutating func addCatalog(
        truncated: Set<String> = [], since: UInt64, to commit: inout CommitWriter
    ) throws(StorageError) {
        usage.noteCatalog(since: since, at: commit.sequence)
        let bytes = try CatalogEntry.encoded(tables, truncated: truncated, since: since)
        let result = bytes.withUnsafeBytes { contents in
            Result { () throws(StorageError) in try commit.add(name: CatalogEntry.entryName, contents: contents) }
        }
        try result.get()
    }
}
