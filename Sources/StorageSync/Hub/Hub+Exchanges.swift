import StorageAPI
import StorageDriver

extension Hub {
    /// Answers an exchange with the ones that wait with it.
    func exchange(
        _ request: ExchangeRequest, _ question: [UInt8], for user: String?
    ) async throws(StorageError) -> ExchangeAnswer {
        if request.user != SyncUser.unknown, request.user != SyncUser.mark(of: user) {
            throw SyncRefusal.anotherUser.error
        }
        let names = request.known.flatMap(\.models)
        guard Set(names).count == names.count else {
            throw StorageError(.corrupt, "A message names a model twice, so it is refused whole.", operation: "sync")
        }
        try requireReadable(names, user)
        let exchange = Exchange(
            request: request, patches: try IncomingPatches(request), question: question, user: user)
        return try await rounds.answer(exchange) { await self.run($0) }
    }

    /// An exchange of a round whose message is valid.
    private struct Checked: Sendable {
        let call: ExchangeCall
        /// The number of the replica's last patch that had an outcome before the round.
        let last: Int
        /// The outcomes that the replica does not have; nil if they must be read.
        var answered: [HubRows.Answered]?
    }

    /// Answers the exchanges of a round.
    private func run(_ calls: [ExchangeCall]) async {
        do throws(StorageError) {
            let applied = await apply(try await check(calls))
            if applied.isEmpty { return }
            try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
                let now = try snapshot.historyToken()
                for checked in applied {
                    let answer: ExchangeCall.Outcome
                    do throws(StorageError) {
                        answer = .success(
                            try HubChanges(self, for: checked.call.exchange.user, at: now, in: snapshot)
                                .answer(checked.call.exchange, checked.answered))
                    } catch {
                        answer = .failure(error)
                    }
                    // The caller makes the message of it while the round goes on.
                    checked.call.end(with: answer)
                }
            }
        } catch {
            for call in calls { call.end(with: .failure(error)) }
        }
    }

    // MARK: Checking

    /// The exchanges whose messages are valid. Ends the others.
    private func check(_ calls: [ExchangeCall]) async throws(StorageError) -> [Checked] {
        try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            let now = try snapshot.historyToken()
            let peers = try HubRows.peers(calls.map(\.exchange.request.replica), in: snapshot)
            var valid: [Checked] = []
            for (call, peer) in zip(calls, peers) {
                do throws(StorageError) {
                    valid.append(try check(call, peer ?? HubRows.Peer(), at: now, in: snapshot))
                } catch {
                    call.end(with: .failure(error))
                }
            }
            return valid
        }
    }

    /// Refuses a message whose replica, or this store, has gone back in time, before anything of it is merged.
    private func check(
        _ call: ExchangeCall, _ peer: HubRows.Peer, at now: Store.HistoryToken, in snapshot: borrowing Store.Snapshot
    ) throws(StorageError) -> Checked {
        let (request, patches) = (call.exchange.request, call.exchange.patches.all)
        try requireOwn(request.known.map(\.token), at: now, in: snapshot)
        // The hub has confirmed patches that it does not know.
        if request.confirmed > peer.last { throw SyncRefusal.hubWentBack.error }
        if request.confirmed < peer.confirmed { throw SyncRefusal.identityReused.error }
        var known = [0: PatchChain.beginning]
        known[peer.last] = peer.chain
        let hasAll = request.confirmed == peer.last
        if !hasAll {
            let rows = try HubRows.answered(request.replica, after: max(request.confirmed - 1, 0), in: snapshot)
            for row in rows { known[row.number] = row.chain }
        }
        if known[request.confirmed] != request.chain { throw SyncRefusal.identityReused.error }
        for patch in patches where patch.patch.number <= peer.last {
            if known[patch.patch.number] != patch.chain { throw SyncRefusal.identityReused.error }
        }
        return Checked(call: call, last: peer.last, answered: hasAll ? [] : nil)
    }

    // MARK: Applying

    /// Applies the patches that have no outcome yet, of each replica in their order, and records their outcomes with them.
    ///
    /// Ends an exchange with an error that is no verdict on a patch. That patch and all later ones have no outcome.
    ///
    /// - Returns: the exchanges whose patches all have outcomes.
    private func apply(_ checked: [Checked]) async -> [Checked] {
        let news = checked.map { element in
            element.call.exchange.patches.all.filter { $0.patch.number > element.last }
        }
        var bodies: [(origin: Store.Origin, body: (inout Store.Transaction) throws -> HubRows.Answered?)] = []
        for (element, patches) in zip(checked, news) {
            let exchange = element.call.exchange
            let origin = Self.origin(of: exchange.request.replica)
            for patch in patches {
                bodies.append((origin, { try self.apply(patch, of: exchange.patches, exchange.user, in: $0) }))
            }
        }
        if bodies.isEmpty { return checked }
        var results = await store.transactions(repeating: true, bodies)[...]
        var applied: [Checked] = []
        for (var element, patches) in zip(checked, news) {
            let own = results.prefix(patches.count)
            results = results.dropFirst(patches.count)
            do {
                for result in own {
                    if let answered = try result.get() {
                        element.answered?.append(answered)
                    } else {
                        // Another message has brought the patch meanwhile, and its outcome is stored.
                        element.answered = nil
                    }
                }
                applied.append(element)
            } catch {
                let error = error as? StorageError ?? StorageError(.io, "A patch was not applied.", underlying: error)
                element.call.end(with: .failure(error))
            }
        }
        return applied
    }
}
