internal import StorageDriver

/// Keeps the tables of a store up with its file, which another process writes to.
struct StoreFollower {
    private let opening: StoreOpening
    private(set) var file: StoreFile
    private var loader: StoreLoader
    /// The tables that plans were made for.
    private var schemas: [TableSchema]
    /// True if the file was read only in part, so that it must be read from its beginning.
    private var isBehind = false
    /// True if tables have changed in more than additions since the store was opened.
    private var hasChangedTables = false

    init(_ opening: StoreOpening, _ opened: StoreOpening.Opened) {
        self.opening = opening
        (file, loader) = opened
        schemas = loader.tables.schemas
    }

    /// The tables of the last commit, or nil if they were read already.
    ///
    /// Costs one system call if the file has not changed, and reading the new commits if it has grown. A rewritten file
    /// is read from its beginning. A removed file leaves the tables unchanged.
    /// - Parameter letGo: called before another file is read; it releases the tables of the old file, so that both are
    ///   not in memory at once.
    /// - Throws: the errors of opening.
    mutating func refresh(letGo: () -> Void) throws(StorageError) -> ArchiveTables? {
        guard var next = try isBehind ? reopen(letGo) : readOn(letGo) else { return nil }
        if !next.tables.extend(schemas) { hasChangedTables = true }
        next.tables.hasOldPlans = hasChangedTables
        (loader, schemas) = (next, next.tables.schemas)
        return next.tables
    }

    private mutating func readOn(_ letGo: () -> Void) throws(StorageError) -> StoreLoader? {
        var next = loader
        isBehind = true
        let refresh: StoreFile.Refresh
        do throws(StorageError) {
            refresh = try file.refresh { (entry) throws(StorageError) in try next.take(entry) }
        } catch {
            // The writer may have cut off a commit whose sync failed, after it was read here.
            guard error.code == .corrupt else { throw error }
            next = StoreLoader()
            return try reopen(letGo)
        }
        isBehind = false
        switch refresh {
        case .commits(0): return nil
        case .commits: return next
        case .replaced:
            next = StoreLoader()
            return try reopen(letGo)
        }
    }

    private mutating func reopen(_ letGo: () -> Void) throws(StorageError) -> StoreLoader {
        isBehind = true
        let opening = opening
        let opened = try opening.open {
            loader = StoreLoader()
            letGo()
        }
        (file, isBehind) = (opened.file, false)
        return opened.loader
    }
}

extension ArchiveTables {
    /// Returns whether plans for other tables are valid for these, which is so if these include all of them with the
    /// same columns at the same indexes.
    fileprivate func extend(_ schemas: [TableSchema]) -> Bool {
        schemas.allSatisfy { old in
            guard let new = self[old.name]?.schema, new.key == old.key, new.columns.count >= old.columns.count else {
                return false
            }
            return zip(new.columns, old.columns).allSatisfy { $0.holdsSame(as: $1) }
        }
    }
}

extension ColumnSchema {
    /// Returns whether two versions of a column have the same values, whatever their indexes.
    fileprivate func holdsSame(as other: ColumnSchema) -> Bool {
        var other = other
        (other.isIndexed, other.isUnique) = (isIndexed, isUnique)
        return self == other
    }
}
