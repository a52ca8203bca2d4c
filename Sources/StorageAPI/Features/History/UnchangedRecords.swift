import StorageDriver

/// Finds records that a commit changed before and after a change of their tables, and that are as they were before it.
///
/// A digest does not survive a change of the tables. The history's image of the record does: it is read as if it had stayed
/// in the store.
struct UnchangedRecords {
    private let history: HistoryReading
    private let registry: ModelRegistry

    init(_ history: HistoryReading, _ registry: ModelRegistry) { (self.history, self.registry) = (history, registry) }

    /// Returns the keys among some of a model whose records are as they were before a commit.
    func keys(_ keys: KeyList, of model: StoredName, in commit: Int64) throws(StorageError) -> [[Value]] {
        let wanted = Set(keys)
        // The first entry of a record has the record before the commit.
        var first: [[Value]: HistoryChange] = [:]
        try history.forEachChange(of: commit, in: model) { change in
            if wanted.contains(change.key), first[change.key] == nil { first[change.key] = change }
        }
        let handle = try registry.whole(model, in: history.session)
        let former = try FormerSchemas(in: history.session)
        let defaults = registry.defaults(of: model)
        func isSame(_ now: RecordImage, as change: HistoryChange) throws(StorageError) -> Bool {
            guard let before = change.before else { return false }
            func record(_ image: RecordImage, since changes: [FormerSchema]) throws(StorageError) -> DynamicRecord? {
                try image.record(DynamicRecord.self, key: change.key, handle, defaults: defaults, since: changes)
            }
            do throws(StorageError) {
                return try record(before, since: former.since(change)) == record(now, since: [])
            } catch {
                // The record had properties that its model no longer has.
                guard error.code == .schemaMismatch || error.code == .typeMismatch else { throw error }
                return false
            }
        }
        var same: [[Value]] = []
        for part in keys.parts(of: RecordReader.partOfRecords) {
            let now = try RecordImage.read(part, handle, in: history.session)
            for key in part {
                if let change = first[key], let image = now[key], try isSame(image, as: change) { same.append(key) }
            }
        }
        return same
    }
}
