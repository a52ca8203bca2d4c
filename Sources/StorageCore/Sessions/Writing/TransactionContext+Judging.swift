import StorageDriver

/// The denials of deletions that a judged savepoint leaves to its end.
final class PostponedDenials {
    var denied: [(referrer: Referrer, target: StoredName, keys: KeyList)] = []
}

extension TransactionContext {
    /// Runs a user's closure in a savepoint that is judged at its end, by itself: the references that it has written lead to
    /// stored records, and the rules that deny its deletions count for the records that it leaves.
    package func judgedSavepoint<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        try savepoint { () throws(StorageError) in
            var result: T?
            let before = postponedDenials
            let postponed = PostponedDenials()
            postponedDenials = postponed
            defer { postponedDenials = before }
            let dangling = try judgingReferences { () throws(StorageError) in result = try body() }
            var obstacles = dangling.map { $0.obstacle(isRemoved: false) }
            for (referrer, target, keys) in postponed.denied {
                // Some may be stored again: an undone savepoint has deleted them, or a call has inserted them.
                let handle = try handle(.recorded(target))
                let missing = KeyList(width: keys.width, try handle.missing(keys, in: openWriter(target)))
                guard missing.count > 0 else { continue }
                for reference in try referrer.references(to: missing, of: target, in: self) {
                    let obstacle = reference.obstacle(isRemoved: true)
                    if !obstacles.contains(where: { $0.isOf(obstacle) }) { obstacles.append(obstacle) }
                }
            }
            let advice = "Store the records that they refer to before the savepoint ends, or let them refer to others."
            if let error = RecordSetRefusal(obstacles: obstacles).error(against: "the savepoint", advice) {
                throw error
            }
            guard let result else { throw StorageError(.io, "The backend did not run the savepoint.") }
            return result
        }
    }
}

extension RecordSetRefusal.Obstacle {
    /// Returns whether it is the same reference of the same record.
    fileprivate func isOf(_ other: Self) -> Bool {
        model == other.model && key == other.key && property == other.property
    }
}

extension DanglingReference {
    /// - Parameter isRemoved: whether the call has removed the record to which it led.
    func obstacle(isRemoved: Bool) -> RecordSetRefusal.Obstacle {
        RecordSetRefusal.Obstacle(
            model: model.text, key: key, property: property,
            reason: isRemoved
                ? .refersToRemoved(model: target.text, key: targetKey)
                : .refersToMissing(model: target.text, key: targetKey))
    }
}
