import StorageDriver

/// The entries after a page of commits, by their records. It is made once for the pages of a long history, each of which
/// would otherwise read the keys of all later entries.
///
/// It holds digests of keys, so an entry that it finds is read and compared.
final class LaterEntries: Sendable {
    private struct Entry {
        let digest: UInt32
        /// The number of the commit after ``LaterEntries/start``.
        let commit: UInt32
        let place: UInt32
    }

    private struct Place: Hashable {
        let commit: Int64
        let place: Int64
    }

    /// The number of entries that are held, of 12 bytes each. The keys of entries beyond them are read for each page.
    private static let most = 1 << 20
    /// An index grows when the history has grown by a quarter, and by this number of commits.
    private static let leastGrowth: Int64 = 1024

    private let start: Int64
    /// The last commit whose entries are held.
    let end: CommitRow
    /// Ordered by their digests, the entries of one digest by their places.
    private let entries: [Entry]
    /// The changes of all records of a model, in their order.
    private let everything: [StoredName: [Place]]
    private let isCut: Bool

    /// The entries of the commits after one; nil for none.
    init?(after start: Int64, in history: HistoryReading) throws(StorageError) {
        var entries: [Entry] = []
        var everything: [StoredName: [Place]] = [:]
        var (last, complete, isCut) = (start, start, false)
        var cursor = try history.session.rows(history.tables.keysAfter, QueryArguments([.int(start)]))
        while !isCut, try cursor.next() {
            let place = Place(commit: cursor.cells[0].int, place: cursor.cells[1].int)
            if place.commit != last {
                (complete, last) = (last, place.commit)
                isCut = entries.count >= Self.most
            }
            guard !isCut, let commit = UInt32(exactly: place.commit - start), let number = UInt32(exactly: place.place),
                case .text(let name) = cursor.cells[2].value, case .blob(let key) = cursor.cells[4].value
            else {
                isCut = true
                break
            }
            let model = StoredName(name)
            if cursor.cells[3].int == HistoryKind.everything.rawValue {
                everything[model, default: []].append(place)
            } else {
                entries.append(Entry(digest: Self.digest(model, key), commit: commit, place: number))
            }
        }
        if isCut {
            // A commit of which some entries are not held is read for each page.
            entries.removeAll { start + Int64($0.commit) > complete }
            everything = everything.mapValues { places in places.filter { $0.commit <= complete } }
        } else {
            complete = last
        }
        guard complete > start, let end = try history.commit(complete) else { return nil }
        entries.sort { ($0.digest, $0.commit, $0.place) < ($1.digest, $1.commit, $1.place) }
        (self.start, self.end, self.entries, self.everything, self.isCut) = (start, end, entries, everything, isCut)
    }

    /// Returns whether a session's history has these entries, and not many after them.
    func covers(_ commit: Int64, in history: HistoryReading) throws(StorageError) -> Bool {
        guard commit >= start, commit < end.number, try history.commit(end.number) == end else { return false }
        let added = try (history.last?.number ?? 0) - end.number
        return isCut || added <= max(Self.leastGrowth, Int64(entries.count / 4))
    }

    private static func digest(_ model: StoredName, _ key: some Hashable) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(model)
        hasher.combine(key)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }

    /// The first changes of records after a commit, as far as they are held.
    ///
    /// - Parameter left: loses the keys of which a change is found, or a change of all records.
    func changes(
        of model: StoredName, _ left: inout Set<[Value]>, after commit: Int64, in history: HistoryReading
    ) throws(StorageError) -> [HistoryChange] {
        let end = everything[model]?.first { $0.commit > commit }
        var found: [HistoryChange] = []
        var candidates: [(key: [Value], index: Int)] = []
        for key in left {
            let digest = Self.digest(model, RecordImage.bytes(of: key))
            if let index = first(digest, after: commit) { candidates.append((key, index)) }
        }
        while !candidates.isEmpty {
            let changes = try self.changes(at: candidates.map(\.index), in: history)
            var others: [(key: [Value], index: Int)] = []
            for (key, index) in candidates {
                if let change = changes[place(of: index)], change.model == model, change.key == key {
                    left.remove(key)
                    if end.map({ (change.commit, change.place) < ($0.commit, $0.place) }) ?? true {
                        found.append(change)
                    }
                } else if index + 1 < entries.count, entries[index + 1].digest == entries[index].digest {
                    // Another record has the same digest.
                    others.append((key, index + 1))
                }
            }
            candidates = others
        }
        if end != nil { left = [] }
        return found
    }

    private func changes(
        at indices: [Int], in history: HistoryReading
    ) throws(StorageError) -> [Place: HistoryChange] {
        var changes: [Place: HistoryChange] = [:]
        var places = KeyList(width: 2)
        for place in Set(indices.map(place)).sorted(by: { ($0.commit, $0.place) < ($1.commit, $1.place) }) {
            places.append([.int(place.commit), .int(place.place)])
        }
        for part in places.parts(of: HistoryReading.part) {
            for change in try history.changes(at: part) {
                changes[Place(commit: change.commit, place: change.place)] = change
            }
        }
        return changes
    }

    private func place(of index: Int) -> Place {
        Place(commit: start + Int64(entries[index].commit), place: Int64(entries[index].place))
    }

    /// The first entry of a digest after a commit; nil for none.
    private func first(_ digest: UInt32, after commit: Int64) -> Int? {
        let after = UInt32(clamping: commit - start)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if (entries[middle].digest, entries[middle].commit) <= (digest, after) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < entries.count && entries[low].digest == digest ? low : nil
    }
}
