public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// The net effect of a commit on the records of a model.
    ///
    /// A record that a commit inserts and deletes is absent; a record that it deletes and inserts again is an update. A
    /// change of an owned record is an update of its owner.
    public enum KeyChanges<Key: Sendable>: Sendable {
        /// The keys of the records that the commit inserted, updated and deleted, each once and in the order of the writes.
        /// Excludes records that were written but are unchanged. A record that was deleted and inserted again is updated.
        case keys(inserted: [Key], updated: [Key], deleted: [Key])
        /// Any record may have changed: the model was truncated or copied into, its tables were changed, or the database
        /// has changed some records by itself.
        case everything
    }

    /// The changes that a commit made to one of the store's models.
    public struct ModelChanges: Sendable {
        /// The model's stored name.
        public let model: String
        /// The changes, with one value for each key property.
        public let changes: KeyChanges<[Value]>
    }

    /// A commit: one transaction, or one call that writes.
    public struct Commit<Changed: Sendable>: Sendable {
        /// The number of the commit in the history; nil if the store keeps no history of the changed models.
        public let number: Int?
        /// The time at which the store had made it durable.
        public let time: Date
        /// The author that the transaction named; see ``Transaction/author``.
        public let author: String?
        /// The note that the transaction attached.
        public let note: String?
        /// The origin of the commit.
        public let origin: Origin
        /// The changes of the commit.
        public let changes: Changed
    }
}

extension NetChanges {
    func told<Key: Sendable, Failure: Error>(
        _ convert: ([[Value]]) throws(Failure) -> [Key]
    ) throws(Failure) -> Store.KeyChanges<Key> {
        guard !isEverything else { return .everything }
        return .keys(
            inserted: try convert(keys(.insert)), updated: try convert(keys(.update)),
            deleted: try convert(keys(.delete)))
    }
}

extension ModelTables {
    /// Keys by their values.
    func keys<M: Storable>(_: M.Type, _ values: [[Value]]) throws(StorageError) -> [M.Key] {
        let context = RowContext(model: self, table: keyRows)
        var keys: [M.Key] = []
        for values in values {
            let cells = ValueCells(ValueList(width: rootKeyCount, values: values))
            var row = RowReader(cells.cells, from: 0, to: rootKeyCount, context: .passUnretained(context))
            keys.append(try M.readKey(&row))
            withExtendedLifetime(cells) {}
        }
        return keys
    }
}
