import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// A state that a store has had, named by its history.
    public enum Moment: Hashable, Sendable {
        /// The state after a commit, by its number; 0 for the state before the first commit.
        case commit(Int)
        /// The state after the commit of a token, whole, wherever in its commit the token is.
        case token(HistoryToken)
        /// The state after the last commit at or before a time.
        case date(Date)
    }
}

extension HistoryReading {
    /// The commit after which a store was as it was at a moment.
    ///
    /// - Throws: `notKept` for a moment before the kept history; `invalidValue` for a commit that the history has not reached, or
    ///   a token of another store.
    func commit(at moment: Store.Moment, _ settings: HistorySettings) throws(StorageError) -> Int64 {
        switch moment {
        case .commit(let number):
            try requireKept(after: Int64(number))
            return Int64(number)
        case .token(let token):
            try settings.check(token, self)
            return Int64(token.commit)
        case .date(let date): return try lastCommit(at: date.timeIntervalSinceReferenceDate)
        }
    }

    /// The last commit at or before a time in seconds since the reference date. No commit is earlier than the one before it, so
    /// a few of them are looked up.
    ///
    /// - Throws: `notKept` if the first commit that is kept is later.
    private func lastCommit(at time: Double) throws(StorageError) -> Int64 {
        guard let first = try first, let last = try last, first.time <= time else {
            throw StorageError(
                .notKept, "The store's history has no commit at or before that time, so the state then is unknown.")
        }
        var (low, high) = (first.number, last.number)
        while low < high {
            let middle = high - (high - low) / 2
            guard let commit = try commit(middle) else {
                throw StorageError(.corrupt, "The store's history lacks commit \(middle); restore a backup.")
            }
            if commit.time <= time { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
