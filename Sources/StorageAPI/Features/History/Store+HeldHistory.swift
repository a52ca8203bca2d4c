public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// A hold of the history: a reader that has not seen the commits after one.
    public struct HistoryHold: Hashable, Sendable {
        /// The name that the reader has given it.
        public let name: String
        /// The number of the last commit that the reader has seen.
        public let commit: Int
        /// The time at which the reader set the hold, by its clock.
        public let time: Date

        init(_ hold: HeldHistory) {
            (name, commit) = (hold.name, Int(hold.commit))
            time = Date(timeIntervalSinceReferenceDate: hold.time)
        }
    }

    /// Holds the history after a token: later commits stay, whatever limit the store has, until the hold is moved or released.
    ///
    /// A reader that must see every commit, such as an outbox or a replica, sets a hold when it begins, and moves it forward
    /// after each page by calling this again with the same name. The hold is recorded in the store and binds every program. Any
    /// program can see it in ``historyStatus()``, and release it. A store that declares ``HistoryOptions/holding`` lets go of a
    /// hold that keeps more than that, with a warning in the log; reading since its token is then `notKept`.
    ///
    /// The first hold of a store makes earlier versions of the library, which would remove held commits, refuse to open the
    /// store with `schemaNewer`.
    ///
    /// Costs a row; every 32nd commit reads all holds.
    ///
    /// - Parameters:
    ///   - name: the name of the reader, of 1 to 255 bytes of UTF-8. A hold of the name is replaced.
    ///   - token: the last place that the reader has seen; nil for all that is kept.
    /// - Throws: `configuration` if the store keeps no history; `notKept` if the token is older than the kept history, and
    ///   `invalidValue` if it is not of this store, as ``history(since:)``, and for a name that is too long.
    public nonisolated(nonsending) func holdHistory(
        _ name: String, after token: HistoryToken?
    ) async throws(StorageError) {
        try await writing("holdHistory") { context throws(StorageError) in try context.hold(name, token, in: self) }
    }

    /// Releases a hold of the history, whoever has set it. Later commits remove the history beyond the store's limit.
    ///
    /// - Returns: false if no hold has the name.
    /// - Throws: `configuration` if the store keeps no history.
    @discardableResult
    public nonisolated(nonsending) func releaseHistory(_ name: String) async throws(StorageError) -> Bool {
        try await writing("releaseHistory") { context throws(StorageError) in try context.release(name, in: self) }
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Holds the history after a token, as `Store.holdHistory(_:after:)` does. In a transaction the hold moves with its
    /// commit.
    public func holdHistory(_ name: String, after token: Store.HistoryToken?) throws(StorageError) {
        try _session.target.writing("holdHistory") { (context, store) throws(StorageError) in
            try context.hold(name, token, in: store)
        }
    }

    /// Releases a hold of the history, as `Store.releaseHistory(_:)` does.
    @discardableResult
    public func releaseHistory(_ name: String) throws(StorageError) -> Bool {
        try _session.target.writing("releaseHistory") { (context, store) throws(StorageError) in
            try context.release(name, in: store)
        }
    }
}

extension VerbTarget {
    /// Runs a call that writes rows of no model.
    fileprivate func writing<T>(
        _ operation: String, _ body: @escaping (TransactionContext, Store) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        switch self {
        case .store(let store):
            return try store.writingBlocking(operation) { context throws(StorageError) in try body(context, store) }
        case .session(let context, let store):
            do {
                return try context.atomically { () throws(StorageError) in try body(context, store) }
            } catch {
                throw context.tracking(error.at(operation: operation, backend: store.info.name))
            }
        }
    }
}

extension TransactionContext {
    fileprivate func hold(_ name: String, _ token: Store.HistoryToken?, in store: Store) throws(StorageError) {
        try HeldHistory.check(name)
        let writer = try innerWriter()
        let history = try store.history.reading(in: writer)
        let commit: Int64
        if let token {
            try history.tables.settings(in: writer).check(token, history)
            // A commit of which only some entries were seen is held whole.
            let isWhole = try history.changes(of: Int64(token.commit), after: token.place).isEmpty
            commit = Int64(token.commit) - (isWhole ? 0 : 1)
        } else {
            commit = try history.first.map { $0.number - 1 } ?? 0
        }
        if history.tables.isFirstFormat, let raised = try HistoryFormat.raise(in: writer, registry.directory) {
            historyRecorder?.didRaise(raised)
        }
        try HeldHistory(name: name, commit: commit, time: store.history.now)
            .record(.upsert, among: writer.tables(), in: writer, registry.directory)
    }

    fileprivate func release(_ name: String, in store: Store) throws(StorageError) -> Bool {
        let writer = try innerWriter()
        let holds = Holds(try store.history.reading(in: writer))
        let known = try holds.all.filter { $0.name.utf8.elementsEqual(name.utf8) }
        try holds.remove(known, in: writer, registry.directory)
        return !known.isEmpty
    }
}
