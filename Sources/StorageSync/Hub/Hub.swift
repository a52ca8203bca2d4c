public import StorageAPI
public import StorageDriver

/// The store whose commits are the order of all that its replicas write.
///
/// ```swift
/// let hub = try await Hub(store, models: [Note.self, Project.self])
/// // In the server's handler of a request, for the user who sends it:
/// let answer = try await hub.answer(Array(data), as: "ann")
/// ```
///
/// A hub is any store, on any engine, that keeps the records of the models in its history. Programs write to it as to any store;
/// their commits reach the replicas with the next exchange. Several processes can answer for one store, and several hubs
/// of different models can share it. The rows of the hub are in an annex of the store.
public final class Hub: Sendable {
    /// The store.
    public let store: Store
    let models: SyncModels
    let rules: HubRules
    let recent = RecentCommits()
    let rounds = ExchangeRounds()

    /// Makes a store the hub of models.
    ///
    /// - Throws: `configuration` with each reason that `Store.canSync(_:)` gives, but a bounded hold.
    public init(
        _ store: Store, models: [any Storable.Type], rules: HubRules = HubRules()
    ) async throws(StorageError) {
        self.store = store
        self.rules = rules
        self.models = try await store.syncModels(models.map { $0.schema.name }, isReplica: false)
    }

    /// Makes a store the hub of models, which are given by their stored names.
    public init(_ store: Store, models: [String], rules: HubRules = HubRules()) async throws(StorageError) {
        self.store = store
        self.rules = rules
        self.models = try await store.syncModels(models, isReplica: false)
    }

    /// Answers a message of a replica.
    ///
    /// The patches that the message brings are applied first, each whole or not at all, with one sync for all of them. The answer tells
    /// their outcomes, and the records that have changed since the replica's last exchange. The call can be repeated with the
    /// same message: a patch is applied once.
    ///
    /// Messages that arrive while others are answered are answered together, so a message costs less where many arrive: their
    /// patches share a commit, and their answers are read from one snapshot.
    ///
    /// - Parameters:
    ///   - message: the bytes that a replica has given to its transport.
    ///   - user: the user who sends it, for ``HubRules``.
    /// - Returns: the answer for the transport to bring back.
    /// - Throws: `corrupt` for bytes that are no message, or are cut or changed; `limitExceeded` for more than 32 MiB or 1,000
    ///   patches; `schemaNewer` for a message of a newer version, and for a patch with a property that this store does not have
    ///   yet; errors of the store, such as `busy` and `full`. After an error the replica sends its patches again.
    public func answer(_ message: [UInt8], as user: String? = nil) async throws(StorageError) -> [UInt8] {
        var (kind, content) = try SyncFrame.open(message)
        let question = SyncFrame.mark(of: message)
        do throws(StorageError) {
            switch kind {
            case .exchange: return try await exchange(try ExchangeRequest(&content), question, for: user).message()
            case .page: return try await page(try PageRequest(&content), question, for: user).message()
            case .lostCommits: return try await newest(try LostCommitsRequest(&content), question).message()
            case .exchangeAnswer, .pageAnswer, .lostCommitsAnswer, .refusal:
                throw StorageError(.corrupt, "The message is no question to a hub.", operation: "sync")
            }
        } catch {
            guard let refusal = error.underlying as? SyncRefusal else { throw error }
            var writer = SyncFrame.begin(.refusal)
            writer.add(raw: question)
            writer.add(byte: refusal.rawValue)
            return try SyncFrame.seal(writer)
        }
    }

    /// The latest position of a replica that this store has, after it was restored from a backup.
    private func newest(
        _ request: LostCommitsRequest, _ question: [UInt8]
    ) async throws(StorageError) -> LostCommitsAnswer {
        let names = Set(models.names)
        return try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            for text in request.tokens {
                guard let token = Store.HistoryToken(text) else { continue }
                do throws(StorageError) {
                    _ = try snapshot.commits(since: token, of: names, limit: 1)
                    return LostCommitsAnswer(question: question, token: text)
                } catch {
                    guard error.code == .invalidValue || error.code == .notKept else { throw error }
                }
            }
            return LostCommitsAnswer(question: question, token: nil)
        }
    }

    func requireReadable(_ names: [String], _ user: String?) throws(StorageError) {
        for name in names where !models.names.contains(name) || !rules.canRead(user, name) {
            throw SyncRefusal.notAllowed.error
        }
    }

    /// - Parameter now: the snapshot's position.
    /// - Throws: a refusal if the store never was at one of some positions, or was restored from a backup that is older.
    func requireOwn(
        _ texts: [String], at now: Store.HistoryToken, in snapshot: borrowing Store.Snapshot
    ) throws(StorageError) {
        for text in texts {
            guard let token = Store.HistoryToken(text), now.store == token.store else {
                throw SyncRefusal.anotherHub.error
            }
            if recent.isKnown(token, before: now) { continue }
            do throws(StorageError) { _ = try snapshot.commits(since: token, of: []) } catch {
                if error.code == .invalidValue { throw SyncRefusal.hubWentBack.error }
                if error.code != .notKept { throw error }
            }
        }
    }
}
