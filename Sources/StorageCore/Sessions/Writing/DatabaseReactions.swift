import StorageDriver

/// The transaction's knowledge of rows that the database changes by itself, by triggers and foreign keys that others have
/// declared.
package final class DatabaseReactions {
    package let writer: any ReactingWriter
    /// Returns whether observers, layers or the history follow the changes of a model's records.
    private let follows: (StoredName) -> Bool

    package init(_ writer: any ReactingWriter, follows: @escaping (StoredName) -> Bool) {
        (self.writer, self.follows) = (writer, follows)
    }

    /// Returns whether the store carries out the action of a foreign key in the database's place, so that the changes
    /// are known.
    func carriesOut(_ referrer: Referrer) -> Bool { referrer.table.isForeign && follows(referrer.model) }

    /// Returns the models whose records the database has changed by itself.
    package func models() throws(StorageError) -> [StoredName] {
        let names = try writer.reactions()
        guard !names.isEmpty else { return [] }
        var models: [StoredName] = []
        for table in try writer.tables() where names.contains(table.name) && !table.isStoresOwn {
            let model = table.storedPath[0]
            if !models.contains(model) { models.append(model) }
        }
        return models
    }

    /// The error of a call after which something that follows a model would not know all changes.
    ///
    /// - Parameter follower: the subject of the sentence.
    package static func refusal(_ model: StoredName, _ follower: String) -> StorageError {
        StorageError(
            .unsupported,
            "A trigger, a rule or a foreign key of the database has changed records of \(model), and \(follower) cannot know which, "
                + "so nothing of this call is stored. Remove the declaration from the database, or \(model) from \(follower).",
            model: model)
    }
}
