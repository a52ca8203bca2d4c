import StorageDriver

/// The records of a commit that changed before and after a change of their tables, and may be as they were all the same.
///
/// A digest does not survive a change of the tables. The history's own image of the record does: it is read as if it had
/// stayed in the store.
struct UnchangedRecords {
    private let changes: ChangeSet
    private let history: HistoryReading
    private let registry: ModelRegistry

    init(_ changes: ChangeSet, _ history: HistoryReading, _ registry: ModelRegistry) {
        (self.changes, self.history, self.registry) = (changes, history, registry)
    }

    /// Takes those that are as they were out of the net effect of a commit. Costs nothing where no tables have changed.
    func remove(of settings: HistorySettings, _ commit: Int64) throws(StorageError) {
        for model in settings.models where model.recordsSince != nil {
            let keys = changes.undecided(of: model.name)
            guard !keys.isEmpty else { continue }
            let first = try firstChanges(of: model.name, Set(keys), commit)
            let reading = try Reading(model.name, history.session, registry)
            for key in keys {
                guard let change = first[key], try reading.isAsBefore(change) else { continue }
                changes.remove(key, of: model.name)
            }
        }
    }

    /// The first entries of records in the commit.
    private func firstChanges(
        of model: String, _ keys: Set<[Value]>, _ commit: Int64
    ) throws(StorageError) -> [[Value]: HistoryReading.Change] {
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

        func isAsBefore(_ change: HistoryReading.Change) throws(StorageError) -> Bool {
            let keys = ValueList(width: change.key.count, values: change.key)
            guard let before = change.before,
                let now = try RecordImage.read(keys, handle, in: session)[change.key]
            else { return false }
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
