internal import Logging
internal import StorageDriver

/// Builds the tables from the commits of a damaged file that are whole.
///
/// The file is read twice: first for its schema, because the first commit with it may be lost; then for the records. A
/// record is read by the schema that was in force when it was written, or not at all.
struct SalvageLoader {
    private(set) var loader = StoreLoader()
    /// The versions of the schema in the file, in order, each with the commit from which it is valid.
    private var known: [(catalog: CatalogEntry, since: UInt64)] = []
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    var knowsSchema: Bool { !known.isEmpty }

    /// Takes the catalogs of the first reading.
    mutating func prepare(_ entry: Entry) throws(StorageError) {
        guard entry.name == CatalogEntry.entryName else { return }
        try orLost(entry) { (salvage) throws(StorageError) in
            var catalog = try CatalogEntry(entry.contents)
            catalog.truncated = []
            salvage.known.append((catalog, catalog.since ?? entry.commit))
        }
    }

    /// Takes all entries of the second.
    mutating func take(_ entry: Entry) throws(StorageError) {
        while let next = known.first, next.since <= entry.commit {
            known.removeFirst()
            try orLost(entry) { (salvage) throws(StorageError) in try salvage.loader.apply(next.catalog) }
        }
        try orLost(entry) { (salvage) throws(StorageError) in try salvage.loader.take(entry) }
    }

    /// Skips damaged parts.
    private mutating func orLost(
        _ entry: Entry, _ body: (inout Self) throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) { try body(&self) } catch {
            guard error.code == .corrupt else { throw error }
            logger.error(
                "An entry of a store file cannot be read",
                metadata: ["entry": "\(entry.name)", "commit": "\(entry.commit)", "reason": "\(error.message)"])
        }
    }
}
