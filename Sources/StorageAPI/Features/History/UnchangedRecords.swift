import StorageDriver

/// The records of a commit that changed before and after a change of their tables, and may be as they were all the same.
///
/// A digest does not survive a change of the tables. The history's own image of the record does: it is read as if it had
/// stayed in the store.
struct UnchangedRecords {
    private let history: HistoryReading
    private let registry: ModelRegistry

    init(_ history: HistoryReading, _ registry: ModelRegistry) { (self.history, self.registry) = (history, registry) }

    /// Returns the keys among some of a model whose records are as they were before a commit.
    func keys(_ keys: ValueList, of model: String, in commit: Int64) throws(StorageError) -> [[Value]] {
        let first = try firstChanges(of: model, keys, commit)
        let reading = try Reading(model, history.session, registry)
        var same: [[Value]] = []
        for part in keys.parts(of: RecordReader.partOfRecords) { same += try reading.keys(part, asBefore: first) }
        return same
    }

    /// The first entries of records in the commit.
    private func firstChanges(
        of model: String, _ list: ValueList, _ commit: Int64
    ) throws(StorageError) -> [[Value]: HistoryReading.Change] {
        let keys = Set((0..<list.count).map { Array(list[$0]) })
        var first: [[Value]: HistoryReading.Change] = [:]
        var place: Int64 = 0
        while true {
            let part = try history.changes(of: commit, after: place, of: model)
            for change in part where keys.contains(change.key) && first[change.key] == nil {
                first[change.key] = change
            }
            guard let last = part.last, part.count == HistoryReading.part else { return first }
            place = last.place
        }
    }

    /// Reads records of one model, as they are and as they were.
    private struct Reading {
        let handle: ModelHandle
        let former: FormerSchemas
        let defaults: DeclaredDefaults
        let session: any StorageSession

        init(_ model: String, _ session: any StorageSession, _ registry: ModelRegistry) throws(StorageError) {
            handle = try registry.whole(model, in: session)
            former = try FormerSchemas(in: session)
            defaults = registry.defaults(of: model)
            self.session = session
        }

        /// The keys among some whose records are as they were before their first change.
        func keys(
            _ keys: ValueList, asBefore first: [[Value]: HistoryReading.Change]
        ) throws(StorageError) -> [[Value]] {
            let now = try RecordImage.read(keys, handle, in: session)
            var same: [[Value]] = []
            for row in 0..<keys.count {
                let key = Array(keys[row])
                guard let change = first[key], let image = now[key], try isAsBefore(change, image) else { continue }
                same.append(key)
            }
            return same
        }

        private func isAsBefore(_ change: HistoryReading.Change, _ now: RecordImage) throws(StorageError) -> Bool {
            guard let before = change.before else { return false }
            do throws(StorageError) {
                let was = try record(before, change, since: former.since(change))
                return try was == record(now, change, since: [])
            } catch {
                // It had what its model no longer has.
                guard error.code == .schemaMismatch || error.code == .typeMismatch else { throw error }
                return false
            }
        }

        private func record(
            _ image: RecordImage, _ change: HistoryReading.Change, since changes: [FormerSchema]
        ) throws(StorageError) -> DynamicRecord? {
            try image.record(DynamicRecord.self, key: change.key, handle, defaults, since: changes)
        }
    }
}
