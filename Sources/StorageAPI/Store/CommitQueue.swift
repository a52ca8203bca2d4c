internal import Dispatch
import StorageDriver
import Synchronization

/// Runs writers one after the other, and commits all that are waiting together, with one sync. One of them may fail without
/// the others.
///
/// Transactions run on one serial queue, because a commit blocks for as long as the disk takes, and no thread of the
/// concurrency runtime should block. The queue has no timer: a transaction that finds it free is committed together with
/// all that are waiting by then. While the next transactions run, a second queue completes the earlier ones and, if the
/// engine can, waits for their commit.
final class CommitQueue: Sendable {
    private let queue = DispatchQueue(label: "storage.writer")
    private let pending = Mutex(WriteTransactions())
    private let mark = DispatchSpecificKey<Bool>()
    private let engine: any StorageEngine
    private let features: FeatureList
    /// The engine, if it can run a transaction and wait for its commit later.
    private let pipeline: (any PipeliningEngine)?
    /// The engine, if it sends several batches at once.
    private let batching: (any BatchingEngine)?
    private let completions = DispatchQueue(label: "storage.completions")
    /// The number of groups of transactions that have run but are not complete.
    private let completing = Atomic(0)

    init(_ engine: any StorageEngine, _ features: FeatureList) {
        self.engine = engine
        self.features = features
        pipeline = engine as? any PipeliningEngine
        batching = engine as? any BatchingEngine
        for queue in [queue, completions] { queue.setSpecific(key: mark, value: true) }
    }

    /// True if the caller is a running write, or a value that a write releases at its end.
    var isInside: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    /// The number of transactions that wait for their turn.
    var waitingTransactions: Int { pending.withLock { $0.count } }

    /// Runs the transaction and returns when it is committed or undone. If the task is cancelled while the transaction waits
    /// its turn, it returns at once.
    ///
    /// - Parameter calls: counts the call, which ends on a queue, before the caller's task gets a thread again.
    nonisolated(nonsending) func run(_ transaction: WriteTransaction, of calls: RunningCalls? = nil) async {
        await withTaskCancellationHandler {
            // Unchecked, because a checked continuation would double the cost of a write besides its statements. The queue
            // completes every transaction exactly once, since `drain` takes each from `pending` once.
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                transaction.calls = calls
                transaction.caller = continuation
                // If others wait already, their drain has not begun, and it takes this transaction too.
                if enqueue(transaction) { queue.async { self.drain() } }
                // The task may have been cancelled before the transaction was enqueued, when `withdraw` could not find it.
                if transaction.isCancelled { withdraw(transaction) }
            }
        } onCancel: {
            transaction.cancel()
            withdraw(transaction)
        }
    }

    /// Runs transactions of a group one after the other in one commit, and returns when all are committed or undone. If the task
    /// is cancelled while they wait for their turn, it returns at once.
    nonisolated(nonsending) func run(_ group: [WriteTransaction], of calls: RunningCalls) async {
        guard let last = group.last else { return calls.end() }
        await withTaskCancellationHandler {
            // Unchecked for the same reason as for one. Transactions are completed in their order.
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                last.calls = calls
                last.caller = continuation
                if enqueue(group) { queue.async { self.drain() } }
                if last.isCancelled { withdraw(group) }
            }
        } onCancel: {
            for transaction in group { transaction.cancel() }
            withdraw(group)
        }
    }

    /// Ends cancelled transactions of a group that still waits. A drain takes all of them or none.
    private func withdraw(_ group: [WriteTransaction]) {
        let waited = pending.withLock { pending in
            pending.remove(group)
        }
        guard waited else { return }
        for transaction in group {
            transaction.fail(WriteTransaction.cancellation)
            transaction.complete()
        }
    }

    /// Ends a cancelled transaction that still waits. If a drain has taken it, the drain ends it.
    private func withdraw(_ transaction: WriteTransaction) {
        let waited = pending.withLock { pending in
            pending.remove(transaction)
        }
        guard waited else { return }
        transaction.fail(WriteTransaction.cancellation)
        transaction.complete()
    }

    /// The same on the caller's thread.
    func runBlocking(_ transaction: WriteTransaction) {
        _ = enqueue(transaction)
        queue.sync { drain() }
        waitForCompletions()
    }

    /// The same for a group on the caller's thread.
    func runBlocking(_ group: [WriteTransaction]) {
        _ = enqueue(group)
        queue.sync { drain() }
        waitForCompletions()
    }

    /// Runs the body on the queue's thread while no write runs.
    nonisolated(nonsending) func perform<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            queue.async {
                self.waitForCompletions()
                continuation.resume(returning: body())
            }
        }
    }

    /// Waits until no write runs, and runs the body before any other.
    func finish(_ body: () throws(StorageError) -> Void) throws(StorageError) {
        var failure: StorageError?
        queue.sync {
            waitForCompletions()
            do throws(StorageError) { try body() } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Closes the engine of a store that was dropped: before this returns, unless the caller is one of the queues, which
    /// cannot wait for itself.
    func closeDropped() {
        let close = { @Sendable [self] in
            waitForCompletions()
            // No caller is left to receive the error; earlier commits stay.
            try? engine.close()
        }
        if isInside { queue.async(execute: close) } else { queue.sync(execute: close) }
    }

    /// Adds a transaction, and returns whether it is the first that waits.
    private func enqueue(_ transaction: WriteTransaction) -> Bool {
        pending.withLock { pending in
            pending.append(transaction)
            return pending.count == 1
        }
    }

    /// Adds transactions of a group with no other between them, and returns whether they are the first that wait.
    private func enqueue(_ group: [WriteTransaction]) -> Bool {
        pending.withLock { pending in
            let isFirst = pending.isEmpty
            for transaction in group { pending.append(transaction) }
            return isFirst
        }
    }

    /// Commits all waiting transactions, unless another drain has taken them.
    private func drain() {
        let transactions = pending.withLock { pending in
            let transactions = pending
            pending = WriteTransactions()
            return transactions
        }
        guard !transactions.isEmpty else { return }
        guard let batching else { return commit(transactions) }
        // If the connection to a server is lost, the engine repeats the repeatable transactions, so they never share a
        // commit with the others.
        commitRepeatable(transactions.filter(\.isRepeatable), batching)
        commitOnce(transactions.filter { !$0.isRepeatable })
    }

    private func commit(_ transactions: WriteTransactions) {
        var commit: (any PendingCommit)?
        do {
            if let pipeline {
                commit = try pipeline.writeAhead { (writer) throws(StorageError) in try run(transactions, writer) }
            } else {
                try engine.write { (writer) throws(StorageError) in try run(transactions, writer) }
            }
        } catch {
            transactions.forEach { $0.fail(error) }
        }
        complete(transactions, after: commit)
    }

    /// Commits transactions whose batches the engine may defer. If one of them fails, none takes effect, and they run again
    /// one after the other to find which one has failed, and why.
    private func commitRepeatable(_ transactions: WriteTransactions, _ engine: any BatchingEngine) {
        guard !transactions.isEmpty else { return }
        do {
            if try !runBatching(transactions, engine) {
                try engine.writeRepeatably { (writer) throws(StorageError) in
                    transactions.forEach { $0.restart() }
                    try run(transactions, writer)
                }
            }
        } catch {
            transactions.forEach { $0.fail(error) }
        }
        complete(transactions, after: nil)
    }

    /// Commits transactions that must not run again. If the connection is lost, transactions whose bodies have not begun
    /// are committed after the others.
    private func commitOnce(_ transactions: WriteTransactions) {
        guard !transactions.isEmpty else { return }
        do {
            try engine.write { (writer) throws(StorageError) in try run(transactions, writer) }
        } catch {
            transactions.forEach { $0.fail(error) }
        }
        let later = transactions.filter(\.canRunLater)
        guard later.count < transactions.count else { return complete(transactions, after: nil) }
        complete(transactions.filter { !$0.canRunLater }, after: nil)
        later.forEach { $0.restart() }
        commitOnce(later)
    }

    /// Completes transactions in the order in which they ran, when their commit is durable. This happens on the current
    /// thread if no transaction is waiting, since changing threads takes as long as some disks, and if they have changed
    /// tables, so that the next transaction is not planned for the old ones.
    private func complete(_ transactions: WriteTransactions, after commit: (any PendingCommit)?) {
        var changesTables = false
        transactions.forEach {
            if $0.own?.changed.isEmpty == false { changesTables = true }
            if commit == nil { $0.didCommit() }
        }
        if changesTables { waitForCompletions() }
        // Only this queue adds transactions to be completed. If all earlier ones are complete, none is overtaken.
        if !isCompleting, changesTables || pending.withLock({ $0.isEmpty }) { return finish(commit, of: transactions) }
        completing.add(1, ordering: .relaxed)
        completions.async {
            self.finish(commit, of: transactions)
            self.completing.subtract(1, ordering: .releasing)
        }
    }

    private func finish(_ commit: (any PendingCommit)?, of transactions: WriteTransactions) {
        do throws(StorageError) { try commit?.finish() } catch {
            transactions.forEach { $0.fail(error) }
        }
        transactions.forEach { $0.didCommit() }
        // Before the callers are resumed, to preserve order.
        if features.activity.isFollowed {
            for feature in features.all { transactions.forEach { feature.didEnd($0) } }
        }
        transactions.forEach { $0.complete() }
    }

    /// Waits until all transactions that have run are complete.
    private func waitForCompletions() {
        if isCompleting { completions.sync {} }
    }

    private var isCompleting: Bool { completing.load(ordering: .acquiring) > 0 }

    /// - Returns: false if a transaction or a batch has failed, in which case none takes effect.
    private func runBatching(_ transactions: WriteTransactions, _ engine: any BatchingEngine) throws(StorageError)
        -> Bool
    {
        var isRunning = false
        do {
            return try engine.writeBatching { (writer) throws(StorageError) in
                isRunning = true
                let group = newGroup()
                for transaction in transactions.all { try transaction.run(writer, in: group) }
                try group?.finish()
                isRunning = false
                transactions.forEach(announce)
            }
        } catch {
            guard isRunning else { throw error }
            return false
        }
    }

    private func run(_ transactions: WriteTransactions, _ writer: any StorageWriter) throws(StorageError) {
        if let transaction = transactions.only {
            try transaction.run(writer)
        } else {
            runEach(transactions.all, writer)
        }
        transactions.forEach(announce)
    }

    /// A group for transactions that are done or undone together; nil if no feature follows their changes.
    private func newGroup() -> CommitGroup? { features.activity.followed.isUsed ? CommitGroup() : nil }

    private func announce(_ transaction: WriteTransaction) {
        guard features.activity.isFollowed, transaction.failure == nil else { return }
        for feature in features.all { feature.willCommit(transaction) }
    }

    /// Runs transactions in one of the engine so that each is done or undone. Transactions that may run again share a
    /// savepoint, because a savepoint costs more than some transactions.
    private func runEach(_ transactions: [WriteTransaction], _ writer: any StorageWriter) {
        var rest = transactions[...]
        while let first = rest.first {
            let together = rest.prefix { $0.isRepeatable }
            if together.count > 1 {
                runTogether(together, writer)
                rest = rest[together.endIndex...]
            } else {
                first.runAlone(writer)
                rest = rest.dropFirst()
            }
        }
    }

    /// Runs transactions in one savepoint. If one fails, all are undone, and each runs again in a separate savepoint.
    private func runTogether(_ transactions: ArraySlice<WriteTransaction>, _ writer: any StorageWriter) {
        var running: WriteTransaction?
        do {
            try writer.savepoint { () throws(StorageError) in
                let group = newGroup()
                for transaction in transactions {
                    running = transaction
                    try transaction.run(writer, in: group)
                }
                running = nil
                try group?.finish()
            }
        } catch {
            for transaction in transactions {
                transaction.runAlone(writer, after: transaction === running ? error : nil)
            }
        }
    }
}

/// Transactions in the order in which they arrived. A single transaction, the usual case, needs no array.
private struct WriteTransactions {
    private var first: WriteTransaction?
    private var others: [WriteTransaction] = []

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : others.count + 1 }
    /// The only transaction; nil for several or none.
    var only: WriteTransaction? { others.isEmpty ? first : nil }
    var all: [WriteTransaction] { first.map { [$0] + others } ?? [] }

    func forEach(_ body: (WriteTransaction) -> Void) {
        if let first { body(first) }
        for transaction in others { body(transaction) }
    }

    mutating func append(_ transaction: WriteTransaction) {
        if first == nil { first = transaction } else { others.append(transaction) }
    }

    func filter(_ isIncluded: (WriteTransaction) -> Bool) -> WriteTransactions {
        var transactions = WriteTransactions()
        forEach { if isIncluded($0) { transactions.append($0) } }
        return transactions
    }

    /// Removes the transactions of a group, and returns whether they were waiting.
    mutating func remove(_ group: [WriteTransaction]) -> Bool {
        guard let group = group.first?.group else { return false }
        let left = filter { $0.group !== group }
        defer { self = left }
        return left.count < count
    }

    /// Removes a transaction, and returns whether it was waiting.
    mutating func remove(_ transaction: WriteTransaction) -> Bool {
        if first === transaction {
            first = others.isEmpty ? nil : others.removeFirst()
            return true
        }
        guard let place = others.firstIndex(where: { $0 === transaction }) else { return false }
        others.remove(at: place)
        return true
    }
}
