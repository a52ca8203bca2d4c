internal import Dispatch
internal import StorageDriver
import Synchronization

/// The answer to a lookup.
struct LookupAnswer {
    let result: StatementResult
    let forms: [WireForm]
}

/// Sends the lookups of several callers together, behind a pooler.
///
/// There each read sends its settings and, where the pooler knows no names of statements, the server reads and plans each
/// statement anew, which costs more than the lookup. While a caller sends, others gather, and all who have come are sent as one
/// group: one text for each plan, one set of settings. Each statement has a snapshot of its own, taken after its call has begun, as
/// if it was sent alone.
final class SharedLookups: Sendable {
    /// One caller's lookup.
    ///
    /// Unchecked: the caller's thread uses it until it is among those that wait, where the lock of `tables` guards it, and the thread
    /// that sends it from then on until it signals the end. A cancelled caller does not use it any more.
    private final class Lookup: @unchecked Sendable {
        let request: QueryRequest
        let end = DispatchSemaphore(value: 0)
        /// Nil where the caller asks by itself.
        var answer: Result<LookupAnswer, StorageError>?
        /// The lookups that this one's caller sends, its own among them; empty where another caller sends it.
        var group: [Lookup] = []

        init(_ request: QueryRequest) { self.request = request }
    }

    /// The lookups of one table. Those of another neither wait for its senders nor go with them, since a lock on the table, as of a
    /// migration, keeps them waiting.
    private struct Table {
        var senders = 0
        var waiting: [Lookup] = []

        /// Adds a lookup. Its caller sends those that wait if nobody does, or if they are many.
        mutating func add(_ lookup: Lookup) {
            waiting.append(lookup)
            guard senders == 0 || waiting.count >= fewest else { return }
            senders += 1
            lookup.group = takeGroup()
        }

        /// Returns the first of those that wait, which sends all of them; nil ends a sender.
        mutating func next() -> Lookup? {
            guard let next = waiting.first else {
                senders -= 1
                return nil
            }
            next.group = takeGroup()
            return next
        }

        /// Removes a lookup whose caller is cancelled.
        ///
        /// - Returns: false if its caller has others to send.
        mutating func remove(_ lookup: Lookup) -> Bool {
            waiting.removeAll { $0 === lookup }
            return lookup.group.isEmpty
        }

        private mutating func takeGroup() -> [Lookup] {
            let group = Array(waiting.prefix(mostTogether))
            waiting.removeFirst(group.count)
            return group
        }
    }

    private let tables = Mutex<[String: Table]>([:])

    /// The number of waiting lookups that are sent beside those of another caller. A smaller group costs the server more than a
    /// second process gains.
    private static let fewest = 8
    private static let mostTogether = 64

    /// Returns the answer to a lookup.
    ///
    /// - Parameter take: takes a session, which is ended after the group.
    /// - Returns: nil if the caller should ask by itself: the lookup needs more than one statement, or a statement of the group has
    ///   failed, perhaps another one.
    /// - Throws: what `take` throws, of which a caller has no other error than the one that sends; `cancelled`; `busy` if the table
    ///   is locked for longer than the timeout.
    func answer(
        to request: QueryRequest, _ take: () throws(StorageError) -> PostgreSQLReader
    ) throws(StorageError) -> LookupAnswer? {
        let lookup = Lookup(request)
        let name = request.plan.table.name
        let isSent = tables.withLock { tables in
            tables[name, default: Table()].add(lookup)
            return lookup.group.isEmpty
        }
        if isSent { try wait(for: lookup, name) }
        if !lookup.group.isEmpty {
            let group = lookup.group
            lookup.group = []
            Self.send(group, take)
            tables.withLock { $0[name]?.next() }?.end.signal()
            for other in group where other !== lookup { other.end.signal() }
        }
        return try lookup.answer?.get()
    }

    /// Waits until a lookup is answered, or has others to send.
    ///
    /// - Throws: `cancelled` if its task is cancelled before. A caller that sends it drops the answer.
    private func wait(for lookup: Lookup, _ table: String) throws(StorageError) {
        while lookup.end.wait(timeout: .now() + .milliseconds(Connection.millisecondsBetweenLooks)) == .timedOut {
            guard Task.isCancelled, tables.withLock({ $0[table]?.remove(lookup) ?? true }) else { continue }
            try CancellationCheck.look()
        }
    }

    private static func send(_ group: [Lookup], _ take: () throws(StorageError) -> PostgreSQLReader) {
        let session: PostgreSQLReader
        do throws(StorageError) {
            session = try take()
        } catch {
            // A cancelled caller is cancelled alone.
            if error.code != .cancelled { for lookup in group { lookup.answer = .failure(error) } }
            return
        }
        defer { session.end() }
        // By plans, so that the server reads each text once.
        let group = group.sorted { ObjectIdentifier($0.request.plan) < ObjectIdentifier($1.request.plan) }
        if group.count >= TransactionNames.leastUses { session.connection.planOnce() }
        do throws(StorageError) {
            for (lookup, answer) in zip(group, try session.answers(to: group.map(\.request))) {
                lookup.answer = answer.map { .success($0) }
            }
        } catch {
            // All have waited for the table. Of any other error, each caller asks by itself and has the one that is its own.
            guard error.code == .busy else { return }
            for lookup in group { lookup.answer = .failure(error) }
        }
    }
}
