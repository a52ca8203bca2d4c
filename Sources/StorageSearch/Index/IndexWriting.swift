extension SearchIndex {
    /// Adds and removes documents, as one commit.
    ///
    /// A document whose key is stored takes the place of the one that has it. Removing a key that is not stored does nothing.
    package func write(_ documents: [SearchDocument], removing keys: [[UInt8]] = []) throws(SearchFailure) {
        defer { forget() }
        let state = try state()
        var removed: Set<Int> = []
        for key in keys { try remove(key, &removed) }
        // Of several documents with one key, the last.
        var last: [[UInt8]: Int] = [:]
        for (index, document) in documents.enumerated() { last[document.key] = index }
        var commit = Commit(
            words: Accumulator(first: state.nextDocument, properties: properties.count), removed: [],
            pending: state.nextPending)
        for (index, document) in documents.enumerated() where last[document.key] == index {
            try remove(document.key, &removed)
            let number = commit.words.end
            commit.words.add(document.texts)
            try storage.add(document: number, key: document.key)
            if commit.words.size > limits.memory {
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
        try storage.put(.pending, commit.pending, row)
        let size = state.pending.reduce(row.count) { $0 + $1.size }
        let isDue = state.pending.count + 1 >= limits.pendingRows || size >= limits.pendingBytes
        if isDue || commit.written > 0 { try flush() }
        if isDue || commit.written > 0 || state.work != nil {
            try merge(blocks: limits.blocks + (commit.written + row.count) / SegmentFormat.blockSize * 4)
        }
    }

    private struct Commit {
        var words: Accumulator
        var removed: [Int]
        var pending: Int
        var written = 0
    }

    private func remove(_ key: [UInt8], _ removed: inout Set<Int>) throws(SearchFailure) {
        guard let number = try storage.document(of: key) else { return }
        try storage.remove(document: number)
        removed.insert(number)
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
        _ = try writer.finish(content)
        try storage.remove(.pending, first.number...last.number)
        forget()
    }
}
