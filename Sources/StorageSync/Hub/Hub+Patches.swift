import StorageAPI
import StorageDriver

/// The patches of a message, which follow each other.
struct IncomingPatches: Sendable {
    struct Element: Sendable {
        let patch: SyncPatch
        /// The chain before the patch, and with it.
        let before: [UInt8]
        let chain: [UInt8]
    }

    let replica: [UInt8]
    /// The last patch whose outcome the replica has.
    let confirmed: Int
    let all: [Element]

    /// - Throws: `corrupt` for bytes that hold no patch, and for patches that do not follow each other.
    init(_ request: ExchangeRequest) throws(StorageError) {
        (replica, confirmed) = (request.replica, request.confirmed)
        var (number, chain, all) = (request.confirmed, request.chain, [Element]())
        for bytes in request.patches {
            let patch = try SyncPatch(bytes: bytes)
            number += 1
            guard patch.number == number else {
                throw StorageError(.corrupt, "The patches of a message do not follow each other.", operation: "sync")
            }
            let next = PatchChain.next(chain, bytes)
            all.append(Element(patch: patch, before: chain, chain: next))
            chain = next
        }
        self.all = all
    }
}

/// A patch that the application's rule rejects.
private struct PatchRejection: Error {
    let reason: String
}

extension StorageError {
    /// True for an error of the store or its server, after which the same patch may be applied.
    fileprivate var saysNothingOfPatches: Bool {
        switch code {
        case .busy, .io, .full, .cancelled, .closed, .outcomeUnknown, .moved, .corrupt: true
        default: false
        }
    }
}

extension Hub {
    /// The origin of the commits that a replica's patches make.
    static func origin(of replica: [UInt8]) -> Store.Origin {
        .taken(from: "StorageSync replica " + replica.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
    }

    /// Applies the next patch of a replica, and records its outcome with it.
    ///
    /// - Returns: the outcome; nil if the patch has one already.
    /// - Throws: an error that is no verdict on the patch, which has no outcome then.
    func apply(
        _ element: IncomingPatches.Element, of patches: IncomingPatches, _ user: String?,
        in tx: borrowing Store.Transaction
    ) throws -> HubRows.Answered? {
        let peer = try HubRows.peer(patches.replica, in: tx) ?? HubRows.Peer()
        // Another message has confirmed more meanwhile, so this one is of a copy, or of a replica that has gone back in time.
        if patches.confirmed < peer.confirmed { throw SyncRefusal.identityReused.error }
        // Another message has brought it meanwhile. If that was another patch of the number, the replica finds its outcome's chain
        // to be different.
        if element.patch.number <= peer.last { return nil }
        guard element.patch.number == peer.last + 1, element.before == peer.chain else {
            throw StorageError(.busy, "An earlier patch has no outcome yet; send it again.", operation: "sync")
        }
        let patch = element.patch
        var result: SyncOutcome.Result
        do {
            result = .applied(try tx.savepoint(judged: true) { try self.apply(patch, user, in: tx) })
            (tx.author, tx.note) = (patch.author, patch.note)
        } catch {
            result = .refused(reason: try reason(error))
        }
        return try HubRows.add(
            number: patch.number, chain: element.chain, result, confirmed: patches.confirmed, to: peer,
            of: patches.replica, in: tx)
    }

    /// - Throws: an error that is no verdict on the patch.
    private func reason(_ error: any Error) throws -> String {
        if let rejection = error as? PatchRejection { return rejection.reason }
        guard let error = error as? StorageError else { return "\(error)" }
        guard let reason = error.refusal else { throw error }
        // The error may name records of other users.
        if !rules.parts.isEmpty, !(error.underlying is PatchMisfit) {
            return "\(error.code): other records do not allow it"
        }
        return reason
    }

    private func apply(
        _ patch: SyncPatch, _ user: String?, in tx: borrowing Store.Transaction
    ) throws -> [SyncOverwrite] {
        try requireKnown(patch, user)
        var application = PatchApplication(models)
        let stored = try application.storedRecords(of: patch, in: tx)
        try requireWritable(patch, to: stored, user, in: tx)
        if let merge = rules.merge {
            application.decide = { place, change, stored in
                merge(.init(model: place.model, key: place.key, change: change, stored: stored, user: user))
            }
        }
        try application.apply(patch, to: stored, in: tx)
        if let judge = rules.judge {
            do { try judge(.init(patch: patch, user: user, session: .init(_session: tx._session))) } catch {
                if let error = error as? StorageError, error.refusal != nil || error.saysNothingOfPatches {
                    throw error
                }
                throw PatchRejection(reason: (error as? StorageError)?.message ?? "\(error)")
            }
        }
        return try readable(application.overwritten, user, in: tx)
    }

    /// - Throws: a misfit for a model that the user may not write.
    private func requireKnown(_ patch: SyncPatch, _ user: String?) throws(StorageError) {
        for change in patch.changes {
            guard models.names.contains(change.model), rules.canRead(user, change.model) else {
                throw PatchMisfit.error("the user may not write \(change.model)", change.place)
            }
        }
    }

    /// - Parameter stored: the records that the patch changes.
    /// - Throws: a misfit for a record of another user, and for a reference to one.
    private func requireWritable(
        _ patch: SyncPatch, to stored: [RecordPlace: DynamicRecord?], _ user: String?,
        in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        if rules.parts.isEmpty { return }
        let readers = HubRules.readers(user)
        var new: Set<RecordPlace> = []
        for change in patch.changes {
            if case .inserted = change.kind { new.insert(change.place) }
            guard let property = rules.parts[change.model] else { continue }
            let stored = stored[change.place] ?? nil
            var isOwn = stored.map { rules.isReadable($0, by: readers) } ?? true
            switch change.kind {
            case .inserted(let record): isOwn = isOwn && rules.isReadable(record, by: readers)
            case .updated(let properties): isOwn = isOwn && !properties.contains { $0.name == property }
            case .deleted: break
            }
            guard isOwn else { throw PatchMisfit.error("not a record of the user's part", change.place) }
        }
        for change in patch.changes { try requireOwnTargets(of: change, new: new, readers, in: tx) }
    }

    /// - Parameter new: the records that the patch inserts, which are the user's.
    private func requireOwnTargets(
        of change: SyncPatch.Change, new: Set<RecordPlace>, _ readers: [HubRules.Reader],
        in tx: borrowing Store.Transaction
    ) throws(StorageError) {
        guard let record = change.written else { return }
        for reference in models.references(from: change.model) where rules.parts[reference.target] != nil {
            for place in record.targets(reference, reference.path[...]) where !new.contains(place) {
                let target = try tx.records(place.model).find(key: place.key)
                guard let target, rules.isReadable(target, by: readers) else {
                    throw PatchMisfit.error("refers to a record that is not of the user's part", change.place)
                }
            }
        }
    }

    /// The values that the user may hear of.
    private func readable(
        _ values: [SyncOverwrite], _ user: String?, in tx: borrowing Store.Transaction
    ) throws(StorageError) -> [SyncOverwrite] {
        let readers = HubRules.readers(user)
        var told: [SyncOverwrite] = []
        for value in values {
            guard models.names.contains(value.model), rules.canRead(user, value.model) else { continue }
            if rules.parts[value.model] != nil {
                guard let record = try tx.records(value.model).find(key: value.key),
                    rules.isReadable(record, by: readers)
                else { continue }
            }
            told.append(value)
        }
        return told
    }
}
