internal import Dispatch
internal import StorageDriver
import Synchronization

/// The answer to a lookup.
struct LookupAnswer {
    let result: StatementResult
    let forms: [WireForm]
}

/// Sends the lookups of several callers together, with a pooler.
///
/// With a pooler each read sends its settings. If the pooler keeps no names of statements, the server also parses and plans
/// each statement again, which costs more than the lookup. While one caller sends, other lookups gather and are then sent as
/// one group: one text for each plan, one set of settings. Each statement has a separate snapshot, taken after its call has
/// begun, as if it was sent alone.
final class SharedLookups: Sendable {
    /// One caller's lookup.
    ///
    /// Unchecked: the caller's thread uses it until it waits in a table, where the lock of `tables` guards it. Then the thread
    /// that sends it uses it until it signals the end. A cancelled caller no longer uses it.
    private final class Lookup: @unchecked Sendable {
        let request: QueryRequest
        let end = DispatchSemaphore(value: 0)
        /// Nil if the caller asks by itself.
        var answer: Result<LookupAnswer, StorageError>?
        /// The lookups that this one's caller sends, including this one; empty if another caller sends it.
        var group: [Lookup] = []

        init(_ request: QueryRequest) { self.request = request }
    }

    /// The lookups of one table. Lookups of other tables neither wait for its senders nor travel with them, because a lock on
    /// the table, for example of a migration, delays the group.
    private struct Table {
        var senders = 0
        var waiting: [Lookup] = []

        /// Adds a lookup. The caller sends the waiting lookups if no sender is active, or if eight or more wait.
        mutating func add(_ lookup: Lookup) {
            waiting.append(lookup)
            guard senders == 0 || waiting.count >= minimumGroup else { return }
            senders += 1
            lookup.group = takeGroup()
        }

        /// Returns the first waiting lookup, whose caller sends all of them; nil ends a sender.
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
        /// - Returns: false if its caller has lookups to send.
        mutating func remove(_ lookup: Lookup) -> Bool {
            waiting.removeAll { $0 === lookup }
            return lookup.group.isEmpty
        }

        private mutating func takeGroup() -> [Lookup] {
            let group = Array(waiting.prefix(maximumGroup))
            waiting.removeFirst(group.count)
            return group
        }
    }

    private let tables = Mutex<[String: Table]>([:])

    /// The number of waiting lookups from which a second caller sends beside the first. A smaller group costs the server more
    /// than a second process gains.
    private static let minimumGroup = 8
    private static let maximumGroup = 64

    /// Returns the answer to a lookup.
    ///
    /// - Parameter take: takes a session, which is ended after the group.
    /// - Returns: nil if the caller should ask by itself: the lookup needs more than one statement, or a statement of the group
    ///   has failed, not necessarily its own.
    /// - Throws: the error of `take`, which all callers of a group share; `cancelled`; `busy` if the table is locked for longer
    ///   than the timeout.
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
    /// - Throws: `cancelled` if its task is cancelled first. The caller that sends it then drops the answer.
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
        if group.count >= TransactionNames.minimumUses { session.connection.planOnce() }
        do throws(StorageError) {
            for (lookup, answer) in zip(group, try session.answers(to: group.map(\.request))) {
                lookup.answer = answer.map { .success($0) }
            }
        } catch {
            // All callers have waited for the table. After any other error, each caller asks by itself and gets its specific
            // error.
            guard error.code == .busy else { return }
            for lookup in group { lookup.answer = .failure(error) }
        }
    }
}
