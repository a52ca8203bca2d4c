import StorageAPI
import StorageDriver
import Synchronization

/// The latest commits of a hub, which are read once for all its replicas.
///
/// Replicas that exchange often need the same commits, and where models have parts most commits concern other users.
final class RecentCommits: Sendable {
    /// The bytes that the kept records may take, about, and the number of changes that are kept. A transaction that changes more
    /// is read by each replica itself.
    private static let (mostBytes, mostChanges) = (8 << 20, 16_384)

    struct Element {
        let commit: Store.HistoryCommit
        /// The users who may read one of its records, as ``HubRules/reader(of:)`` tells them; nil if everyone may.
        let readers: [HubRules.Reader]?
        /// About how many bytes its records take.
        let size: Int
    }

    /// Consecutive commits of one chain, which are valid for a snapshot whose position is among theirs.
    private struct State {
        var tables: [TableSchema]
        /// The position before the first commit.
        var start: Store.HistoryToken
        /// The position after the last one.
        var end: Store.HistoryToken
        private(set) var elements: [Element] = []
        private var size = 0
        private var changes = 0
        /// The indices of the elements that everyone may read, and the other ones of each user, in their order.
        private var open: [Int] = []
        private var ofReaders: [HubRules.Reader: [Int]] = [:]

        init(tables: [TableSchema], at position: Store.HistoryToken) {
            (self.tables, start, end) = (tables, position, position)
        }

        /// The elements of a range that some user may read, in their order. The cost does not grow with the others.
        func readable(_ range: Range<Int>, by readers: [HubRules.Reader]) -> [Element] {
            let lists = [open] + readers.compactMap { ofReaders[$0] }
            let indices = lists.flatMap { list in
                let start = list.partitioningIndex { $0 >= range.lowerBound }
                return list[start..<list.partitioningIndex { $0 >= range.upperBound }]
            }
            return Set(indices).sorted().map { elements[$0] }
        }

        /// The number of the commits up to a position; nil if the position is not known to be one of the chain.
        func count(upTo position: Store.HistoryToken) -> Int? {
            if position == start { return 0 }
            let count = elements.partitioningIndex { $0.commit.number > position.commit }
            if position == end { return count }
            return count > 0 && elements[count - 1].commit.token == position ? count : nil
        }

        mutating func append(_ new: [Element], to position: Store.HistoryToken) {
            for (index, element) in zip(elements.count..., new) { note(element, at: index) }
            elements += new
            size += new.reduce(0) { $0 + $1.size }
            changes += new.reduce(0) { $0 + $1.commit.changes.count }
            end = position
            guard size > RecentCommits.mostBytes || changes > RecentCommits.mostChanges else { return }
            // Half of them go at once, so that the others seldom move.
            var gone = 0
            while gone < elements.count, size > RecentCommits.mostBytes / 2 || changes > RecentCommits.mostChanges / 2 {
                size -= elements[gone].size
                changes -= elements[gone].commit.changes.count
                start = elements[gone].commit.token
                gone += 1
            }
            elements.removeFirst(gone)
            (open, ofReaders) = ([], [:])
            for (index, element) in elements.enumerated() { note(element, at: index) }
        }

        private mutating func note(_ element: Element, at index: Int) {
            guard let readers = element.readers else { return open.append(index) }
            for reader in readers { ofReaders[reader, default: []].append(index) }
        }
    }

    private let state = Mutex<State?>(nil)

    /// Returns whether a position is known to be one of the chain that ends with another position.
    func isKnown(_ position: Store.HistoryToken, before now: Store.HistoryToken) -> Bool {
        state.withLock { state in
            guard let state, let last = state.count(upTo: now), let count = state.count(upTo: position) else {
                return false
            }
            return count <= last
        }
    }

    /// The commits after a position that concern a user, as far as a message has room; nil if they must be read from the store.
    ///
    /// - Parameters:
    ///   - since: a position of the store.
    ///   - now: the position of the session.
    func commits(
        since: Store.HistoryToken, to now: Store.HistoryToken, for user: String?, of models: SyncModels,
        _ rules: HubRules, in session: HubRules.Judgement.Session
    ) throws(StorageError) -> (commits: [Store.HistoryCommit], end: Store.HistoryToken, isLast: Bool)? {
        guard try follow(to: now, of: models, rules, in: session) else { return nil }
        let readers = HubRules.readers(user)
        return state.withLock { state in
            guard let state, let last = state.count(upTo: now), let first = state.count(upTo: since), first <= last
            else {
                return nil
            }
            var (found, size): ([Store.HistoryCommit], Int) = ([], 0)
            for element in state.readable(first..<last, by: readers) {
                size += element.size
                if size > SyncFrame.fill, let end = found.last?.token { return (found, end, false) }
                found.append(element.commit)
            }
            return (found, now, true)
        }
    }

    /// Reads the commits up to the position of a session, unless another session has.
    ///
    /// - Returns: false if the commits are of another chain, or are not kept.
    private func follow(
        to now: Store.HistoryToken, of models: SyncModels, _ rules: HubRules, in session: HubRules.Judgement.Session
    ) throws(StorageError) -> Bool {
        let tables = try session.schema()
        let from: Store.HistoryToken? = state.withLock { state in
            // Records are read by the tables of their session, so the ones of other tables have other properties.
            if state == nil || state?.tables != tables || state?.end.store != now.store {
                state = State(tables: tables, at: now)
            }
            return state?.end
        }
        guard let from else { return false }
        if from.commit >= now.commit { return true }
        let page: Store.HistoryPage
        do throws(StorageError) {
            page = try session.commits(since: from, of: Set(models.names), limit: Self.mostChanges / 4)
        } catch {
            guard error.code == .notKept || error.code == .invalidValue else { throw error }
            state.withLock { $0 = nil }
            return false
        }
        let elements =
            try page.isLast
            ? page.commits.map { (commit) throws(StorageError) in
                try Self.element(commit, rules)
            } : []
        state.withLock { state in
            guard state?.end == from, state?.tables == tables else { return }
            if page.isLast { state?.append(elements, to: now) } else { state = nil }
        }
        return page.isLast
    }

    private static func element(_ commit: Store.HistoryCommit, _ rules: HubRules) throws(StorageError) -> Element {
        var (readers, size): ([HubRules.Reader]?, Int) = ([], 0)
        for delta in commit.changes {
            size += 64
            do throws(StorageError) {
                let records =
                    delta.kind == .everything ? [] : [try delta.before(), try delta.after()].compactMap(\.self)
                size += records.reduce(0) { $0 + $1.roughSize }
                if rules.parts[delta.model] == nil || records.isEmpty { readers = nil }
                for reader in records.compactMap(rules.reader) where readers?.contains(reader) == false {
                    readers?.append(reader)
                }
            } catch {
                guard error.code == .notKept else { throw error }
                readers = nil
            }
        }
        return Element(commit: commit, readers: readers, size: size)
    }
}

extension Array {
    /// The first index whose element meets a condition that all later ones meet too.
    fileprivate func partitioningIndex(where isBeyond: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if isBeyond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
