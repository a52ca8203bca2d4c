extension SearchIndex {
    /// Adds and removes documents, as one commit.
    ///
    /// A document whose key is stored takes the place of the one that has it. Removing a key that is not stored does nothing.
    package func write(_ documents: [SearchDocument], removing keys: [[UInt8]] = []) throws(SearchFailure) {
        // Of several documents with one key, the last.
        var last: [[UInt8]: Int] = [:]
        for (index, document) in documents.enumerated() { last[document.key] = index }
        var changes: [Change]? = keys.map(Change.remove)
        changes? += documents.enumerated().filter { last[$1.key] == $0 }.map { .add($1, isNew: false) }
        try write { () throws(SearchFailure) in changes.take() }
    }

    /// A change of one document.
    package enum Change {
        /// A new document of a record, in the place of the one that it has. A record that is certainly new has none, which saves
        /// looking for it.
        case add(SearchDocument, isNew: Bool)
        case remove([UInt8])

        /// The key of a record that may have a document.
        fileprivate var formerKey: [UInt8]? {
            switch self {
            case .add(let document, let isNew): isNew ? nil : document.key
            case .remove(let key): key
            }
        }
    }

    /// Adds and removes documents, as one commit, so that any number needs the same memory.
    ///
    /// - Parameter nextChanges: gives the next changes, and nil after the last. No key is added twice.
    package func write(_ nextChanges: () throws(SearchFailure) -> [Change]?) throws(SearchFailure) {
        let state = try state()
        var next: IndexState?
        defer {
            forget()
            if let next { keep(next) }
        }
        var removed: Set<Int> = []
        var commit = Commit(
            words: Accumulator(first: state.nextDocument, properties: properties.count), removed: [],
            pending: state.nextPending)
        while let changes = try nextChanges() {
            let known = storage.waitsForServer ? try self.documents(of: changes.compactMap(\.formerKey)) : nil
            func former(_ key: [UInt8]) throws(SearchFailure) -> Int? {
                if let known { known[key] } else { try self.document(of: key) }
            }
            for change in changes {
                switch change {
                case .remove(let key):
                    if let old = try former(key) { removed.insert(old) }
                    continue
                case .add(let document, let isNew):
                    if !isNew, let old = try former(document.key) { removed.insert(old) }
                    commit.words.add(document)
                }
                guard commit.words.size > limits.memory else { continue }
                commit.removed = removed.sorted()
                removed = []
                try spill(&commit)
            }
        }
        guard commit.words.documents > 0 || !removed.isEmpty else { return }
        commit.removed = removed.sorted()
        if commit.words.size > limits.commitBytes {
            try spill(&commit)
            return try merge(blocks: limits.blocks + commit.written / SegmentFormat.blockSize * 4)
        }
        let row = try PendingRow.bytes(commit.words, removed: commit.removed)
        try storage.put(.pending, commit.pending, bytes: row)
        let size = state.pending.reduce(row.count) { $0 + $1.size }
        let isDue = state.pending.count + 1 >= limits.pendingRows || size >= limits.pendingBytes
        if isDue || commit.written > 0 { try flush() }
        if isDue || commit.written > 0 || state.work != nil {
            return try merge(blocks: limits.blocks + (commit.written + row.count) / SegmentFormat.blockSize * 4)
        }
        let added = try PendingRow(number: commit.pending, bytes: row, properties: properties.count)
        cache.pending[added.number] = added
        next = state
        next?.append(added)
    }

    /// Removes all documents.
    ///
    /// The numbers of documents, commits and segments go on, since others may have cached what has a number.
    package func removeAll() throws(SearchFailure) {
        defer { forget() }
        let state = try state()
        guard state.nextDocument > 1 else { return }
        let header = SegmentHeader(
            number: state.nextSegment, first: state.nextDocument, end: state.nextDocument, documents: 0,
            words: [Int](repeating: 0, count: properties.count), lastPending: state.nextPending - 1)
        for table in SearchTable.allCases { try storage.remove(table, 0...Int.max) }
        try storage.put(.segments, header.number, bytes: header.bytes)
    }

    private struct Commit {
        var words: Accumulator
        var removed: [Int]
        var pending: Int
        var written = 0
    }

    /// Makes a segment of the words that a commit has collected.
    private func spill(_ commit: inout Commit) throws(SearchFailure) {
        forget()
        if try !state().pending.isEmpty { try flush() }
        let state = try state()
        try Self.write(
            commit.words, removed: commit.removed, lastPending: commit.pending, number: state.nextSegment, storage)
        commit.written += commit.words.size
        commit.removed = []
        commit.words = Accumulator(first: commit.words.end, properties: properties.count, expected: 1 << 16)
        forget()
    }

    private static func write(
        _ words: Accumulator, removed: [Int], lastPending: Int, number: Int, _ storage: Storage
    ) throws(SearchFailure) {
        var writer = SegmentWriter(storage, number: number)
        try words.forEachTerm { term, list throws(SearchFailure) in
            try writer.add(term, list, base: words.first - 1)
        }
        for key in words.keys { try writer.add(key: key) }
        let lengths = (0..<words.properties).map { property in
            stride(from: property, to: words.lengths.count, by: words.properties).map { words.lengths[$0] }
        }
        _ = try writer.finish(
            SegmentContent(
                first: words.first, end: words.end, numbers: Array(words.first..<words.end), lengths: lengths,
                removed: removed, lastPending: lastPending))
    }

    /// Makes a segment of the pending commits.
    private func flush() throws(SearchFailure) {
        forget()
        let state = try state()
        guard let first = state.pending.first, let last = state.pending.last else { return }
        var writer = SegmentWriter(storage, number: state.nextSegment)
        let sources = state.pending.map { row in
            MergeSource(first: row.first, end: row.end, removed: row.removed, terms: PendingTerms(row))
        }
        var merger = Merger(sources, base: first.first - 1)
        while try merger.step(storage, into: &writer) {}
        let content = try merger.content(
            state.pending.map(\.lengths), first: first.first, end: last.end, lastPending: last.number)
        var reader = try KeyReader(self)
        for document in content.numbers {
            guard let key = try reader.key(of: document) else { throw .corrupt("A document has no key.") }
            try writer.add(key: key)
        }
        _ = try writer.finish(content)
        try storage.remove(.pending, first.number...last.number)
        forget()
    }
}
