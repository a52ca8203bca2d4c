/// The engine's accounting of its file: the space that compaction would save, and the position of the catalog.
struct FileUsage {
    /// Records that were written, and deletions.
    var written = 0
    /// Records in separate entries, which take several times the space that they take in a segment.
    var separate = 0
    /// The commit from which on the catalog in force holds.
    private(set) var catalogSince: UInt64 = 0
    /// The last commit that has the catalog.
    private var lastCatalog: UInt64 = 0

    /// The number of commits after which the catalog is repeated: few enough to survive damage of some disk blocks, and
    /// so many that its bytes are few compared with theirs.
    private static let catalogDistance: UInt64 = 256

    /// Returns whether compaction makes the file much smaller: superseded records and records in separate entries
    /// outnumber the records of a compacted file. So compaction costs a constant factor of the writes since the last
    /// one.
    func isWorthCompacting(records: Int, bytes: Int64, from least: ArchiveBackend.LeastCompacted) -> Bool {
        bytes > least.bytes && written - records + separate > max(records, least.records)
    }

    /// Counts as after a compaction if one has failed, so that not every commit tries it again.
    mutating func postponeCompaction(records: Int) { (written, separate) = (records, 0) }

    /// Returns whether a commit repeats the catalog, so that damage to one commit leaves a copy in another: only one
    /// has it, or the last that has it is long ago.
    func needsCatalog(at commit: UInt64) -> Bool {
        lastCatalog == catalogSince || commit &- lastCatalog >= Self.catalogDistance
    }

    mutating func noteCatalog(since: UInt64, at commit: UInt64) { (catalogSince, lastCatalog) = (since, commit) }
}
