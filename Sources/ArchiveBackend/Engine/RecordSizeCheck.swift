internal import StorageDriver

/// Finds records that are too large for an entry of the file when they are written, not when they are committed. So
/// such a record fails alone, and not everything in the same commit.
enum RecordSizeCheck {
    /// Bytes of rows that a savepoint must have written before it is worth a look.
    static let minimumWritten = 1 << 16
    /// Bytes of rows up to which a record's archive is never too large: an array of small numbers takes 12 times its
    /// text, which is the worst.
    private static let safe = 8 << 20

    /// - Parameter largestRow: the bytes of the largest row that was written since.
    /// - Throws: `limitExceeded` for a record that has changed since and is too large.
    static func check(
        _ tables: ArchiveTables, since old: ArchiveTables, largestRow: Int
    ) throws(StorageError) {
        for model in tables.models where model.places.count > 1 || largestRow >= safe {
            let members = model.places.map { tables.list[$0] }
            // Tables that were made or changed meanwhile are looked at by the commit alone.
            guard members.allSatisfy({ old[$0.schema.name]?.schema == $0.schema }) else { continue }
            try check(model, members: members, tables: tables, since: old)
        }
    }

    private static func check(
        _ model: ArchiveTables.Model, members: [ArchiveTable], tables: ArchiveTables, since old: ArchiveTables
    ) throws(StorageError) {
        let difference = RecordDifference(from: old, to: members)
        let buffer = RecordBuffer(members)
        try ArchiveTable.withKey(of: members) { (key) throws(StorageError) in
            while difference.next(key) {
                guard buffer.fill(key), buffer.bytes > safe else { continue }
                try encode(buffer, key: key, archive: try ModelArchive(model, tables))
            }
        }
    }

    private static func encode(
        _ buffer: RecordBuffer, key: UnsafePointer<Cell>, archive: ModelArchive
    ) throws(StorageError) {
        do throws(StorageError) {
            var encoder = RecordEncoder(archive.layout)
            // No commit's number takes more bytes.
            encoder.begin(sequence: UInt64(Int64.max))
            try encoder.add(buffer.rows)
            try encoder.finish(asList: false) { (bytes) throws(StorageError) in
                try CommitWriter.requireSize(of: bytes.count, archive.recordName(key))
            }
        } catch {
            throw archive.naming(error, key)
        }
    }
}
