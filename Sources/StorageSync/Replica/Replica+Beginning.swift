import StorageAPI
public import StorageDriver

extension Replica {
    /// Gives the replica a new name, and sends all waiting patches under it: after ``SyncRefusal/identityReused``, when the store's file was
    /// copied or restored from a backup, and after `notKept`.
    ///
    /// Patches of which the other copy has an outcome are sent again, and merged as if another replica had sent them. An insert of the
    /// same record has no effect.
    ///
    /// - Parameter isJoining: true if the hub is another store than before, or if local commits are not known one by one: then all
    ///   records are compared with the hub's, as when the replica was made. Records that only the replica has become patches.
    /// - Throws: `notKept` if local commits are not known one by one and `isJoining` is false; errors of the store.
    public func beginAgain(isJoining: Bool = false) async throws(StorageError) {
        // An exchange under the earlier name would send its patches twice.
        await gate.enter()
        defer { gate.leave() }
        let models = models
        try await store.transaction(as: LocalCommits.hub, retries: 5) {
            (tx: inout Store.Transaction) throws(StorageError) -> Void in
            let home = try tx.historyToken()
            var beginning = AnswerTaking(models, try Self.state(in: tx))
            try beginning.beginAgain(home, isJoining: isJoining, in: tx)
            guard isJoining else {
                // Its pages are of the hub, whatever the replica's name is. It knows which losses of the hub are to be given back.
                if var reading = try PageReading.stored(in: tx) {
                    reading.isRenamed = true
                    try reading.keep(nil, in: tx)
                }
                return
            }
            try PageReading.remove(in: tx)
            let relations = Dictionary(models.names.map { ($0, PageReading.Relation.joining) }) { first, _ in first }
            var reading = PageReading(relations, in: models.names)
            reading.isRenamed = true
            try reading.keep(nil, in: tx)
        }
        try await updateStatus()
    }

    /// Begins to compare all records with the hub's, which was restored from a backup: its losses become patches.
    ///
    /// A record that has changed at the hub since it was restored stays at the hub, and the difference is told.
    func giveBackLostCommits(_ result: inout SyncExchange) async throws(StorageError) {
        let models = models
        let state = try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            try Self.state(in: snapshot)
        }
        let message = try LostCommitsRequest(tokens: [state.token].compactMap(\.self) + state.earlier).message()
        let bytes = try await send(message)
        result.roundTrips += 1
        var content = try Self.content(of: bytes, .lostCommitsAnswer, to: message)
        let answer = try LostCommitsAnswer(&content)
        try await store.transaction(as: LocalCommits.hub, retries: 5) {
            (tx: inout Store.Transaction) throws(StorageError) -> Void in
            let now = try Self.state(in: tx)
            guard now.replica == state.replica, now.token == state.token else { return }
            var beginning = AnswerTaking(models, now)
            try beginning.beginAgain(try tx.historyToken(), isJoining: false, in: tx)
            // Without a common position the hub's later changes are unknown, so its records count. The hub never had the records of a
            // model that joins.
            let relations = models.names.map { name in
                (name, answer.token == nil || now.models[name] == nil ? PageReading.Relation.joining : .lost)
            }
            var reading = PageReading(Dictionary(relations) { first, _ in first }, in: models.names)
            (reading.isRenamed, reading.token) = (true, answer.token)
            try PageReading.remove(in: tx)
            try reading.keep(nil, in: tx)
        }
    }
}
