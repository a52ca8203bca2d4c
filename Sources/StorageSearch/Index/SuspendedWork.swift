/// A merge in progress, or the removal of segments that it has made superfluous. It is row 0 of `segments`.
enum SuspendedWork: Equatable {
    /// Segments become one. Of its terms, those up to `last` are written; once all are, `next` is the first document whose key is
    /// not.
    case merge(sources: [Int], target: SuspendedSegment, last: [UInt8], next: Int?)
    /// Blocks of segments that are merged remain. Of the first, those before `block` are removed.
    case removal(segments: [Int], block: Int)

    var greatestSegment: Int {
        switch self {
        case .merge(let sources, let target, _, _): max(target.number, sources.max() ?? 0)
        case .removal(let segments, _): segments.max() ?? 0
        }
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.number(SegmentFormat.version)
        switch self {
        case .merge(let sources, let target, let last, let next):
            writer.number(0)
            writer.numbers(sources)
            let keys = target.keys
            for value in [target.number, target.leaves, target.directories, keys.blocks, keys.maps, next ?? 0] {
                writer.number(value)
            }
            for data in [target.directory, target.directoryTerm, target.greatest, keys.map, last] { writer.data(data) }
        case .removal(let segments, let block):
            writer.number(1)
            writer.numbers(segments)
            writer.number(block)
        }
        return writer.bytes
    }

    init(_ bytes: [UInt8]) throws(SearchFailure) {
        var reader = ByteReader(bytes)
        guard try reader.number() == SegmentFormat.version else { throw .corrupt("A merge has another format.") }
        switch try reader.number() {
        case 0:
            let sources = try reader.numbers()
            var target = SuspendedSegment(
                number: try reader.number(), leaves: try reader.number(), directories: try reader.number(),
                directory: [], directoryTerm: [])
            target.keys.blocks = try reader.number()
            target.keys.maps = try reader.number()
            let next = try reader.number()
            target.directory = try reader.data()
            target.directoryTerm = try reader.data()
            target.greatest = try reader.data()
            target.keys.map = try reader.data()
            self = .merge(sources: sources, target: target, last: try reader.data(), next: next == 0 ? nil : next)
            guard target.leaves <= SegmentFormat.placeLimit(.leaves),
                target.directories <= SegmentFormat.placeLimit(.directory),
                target.keys.blocks <= SegmentFormat.placeLimit(.keys),
                target.keys.maps <= SegmentFormat.placeLimit(.keyMap)
            else { throw .corrupt("A merge has too many blocks.") }
        case 1:
            self = .removal(segments: try reader.numbers(), block: try reader.number())
        default:
            throw .corrupt("A merge has another format.")
        }
        guard reader.isAtEnd, greatestSegment < 1 << 38 else { throw .corrupt("A merge is too long.") }
    }
}

extension SearchIndex {
    /// The number of records whose keys are read at once from a server, in some twenty blocks.
    private static var keysAhead: Int { 1024 }

    /// Continues the work in progress, or begins the work that is due, and writes or removes about so many blocks.
    func merge(blocks: Int) throws(SearchFailure) {
        var budget = blocks
        while budget > 0 {
            forget()
            let state = try state()
            switch state.work {
            case .removal(let segments, let block):
                budget -= try remove(segments, from: block, budget)
            case .merge(let sources, let target, let last, let next):
                budget -= try merge(state, numbers: sources, into: target, last: last, next: next, budget: budget)
            case nil:
                guard let sources = due(state) else { return }
                let target = SuspendedSegment(
                    number: state.nextSegment, leaves: 0, directories: 0, directory: [], directoryTerm: [])
                let work = SuspendedWork.merge(sources: sources, target: target, last: [], next: nil)
                try storage.put(.segments, 0, bytes: work.bytes)
            }
        }
        forget()
    }

    /// The segments that are to be merged: the last ones, from where enough are of one size and none is larger, or from one of
    /// which later ones have removed more than half.
    private func due(_ state: IndexState) -> [Int]? {
        let headers = state.segments.map(\.header)
        let sizes = headers.map { sizeClass($0.leaves) }
        for size in Set(sizes).sorted() {
            var start = sizes.count
            var count = 0
            while start > 0, sizes[start - 1] <= size {
                start -= 1
                if sizes[start] == size { count += 1 }
            }
            if count >= limits.fanout { return headers[start...].map(\.number) }
        }
        for (place, header) in headers.enumerated() where sizes[place] > 0 {
            let removed = state.segments[(place + 1)...].reduce(0) { sum, segment in
                sum + SortedNumbers.place(segment.removed, of: header.end)
                    - SortedNumbers.place(segment.removed, of: header.first)
            }
            if removed * 2 > header.documents { return headers[place...].map(\.number) }
        }
        return nil
    }

    private func sizeClass(_ blocks: Int) -> Int {
        var (size, rest) = (0, blocks / 32)
        while rest > 0 {
            rest /= limits.fanout
            size += 1
        }
        return size
    }

    private func merge(
        _ state: IndexState, numbers: [Int], into target: SuspendedSegment, last: [UInt8], next: Int?,
        budget: Int
    ) throws(SearchFailure) -> Int {
        let segments = state.segments.filter { numbers.contains($0.header.number) }
        guard let first = segments.first?.header.first, let end = segments.last?.header.end,
            segments.count == Set(numbers).count
        else { throw .corrupt("A merge has no such segments.") }
        var writer = SegmentWriter(storage, target)
        func suspend(_ last: [UInt8], _ next: Int?) throws(SearchFailure) -> Int {
            let work = SuspendedWork.merge(sources: numbers, target: try writer.suspend(), last: last, next: next)
            try storage.put(.segments, 0, bytes: work.bytes)
            return budget
        }
        var sources: [MergeSource<SegmentTerms>] = []
        for segment in segments {
            sources.append(
                MergeSource(
                    first: segment.header.first, end: segment.header.end, removed: segment.removed,
                    terms: try SegmentTerms(segment, after: last, storage)))
        }
        var merger = Merger(sources, base: first - 1)
        while next == nil, try merger.step(storage, into: &writer) {
            if writer.blocks - target.blocks >= budget { return try suspend(merger.last, nil) }
        }
        let written = next ?? first
        var reader = try KeyReader(self)
        var lengths: [SourceLengths] = []
        for segment in segments { lengths.append(try self.lengths(of: segment.header)) }
        let lastPending = segments.map(\.header.lastPending).max() ?? 0
        let content = try merger.content(lengths, first: first, end: end, lastPending: lastPending)
        let rest = content.numbers[SortedNumbers.place(content.numbers, of: written)...]
        for (place, document) in zip(rest.indices, rest) {
            if storage.waitsForServer, (place - rest.startIndex).isMultiple(of: Self.keysAhead) {
                try reader.readAhead(rest[place...].prefix(Self.keysAhead))
            }
            if writer.blocks - target.blocks >= budget { return try suspend(last, document) }
            guard let key = try reader.key(of: document) else { throw .corrupt("A document has no key.") }
            try writer.add(key: key)
        }
        _ = try writer.finish(content)
        for number in numbers { try storage.remove(.segments, number...number) }
        try storage.put(.segments, 0, bytes: SuspendedWork.removal(segments: numbers, block: 0).bytes)
        return max(writer.blocks - target.blocks, 1)
    }

    /// Removes blocks of merged segments, and returns the number for which that counts.
    private func remove(_ segments: [Int], from block: Int, _ budget: Int) throws(SearchFailure) -> Int {
        guard let segment = segments.first else {
            try storage.remove(.segments, 0...0)
            return 1
        }
        // Removing is cheaper than writing.
        let count = max(budget * 8, 64)
        let start =
            SegmentFormat.block(segment, area: .leaves, index: 0) + min(block, SegmentFormat.placeLimit(.leaves))
        let last = SegmentFormat.block(segment + 1, area: .leaves, index: 0) - 1
        var rows = 0
        var next = start
        try storage.numbers(.blocks, start...last, limit: count) { number in
            rows += 1
            next = number + 1
        }
        if rows > 0 { try storage.remove(.blocks, start...(next - 1)) }
        let rest = rows < count ? Array(segments.dropFirst()) : segments
        let work = SuspendedWork.removal(
            segments: rest, block: rows < count ? 0 : next - SegmentFormat.block(segment, area: .leaves, index: 0))
        if rest.isEmpty {
            try storage.remove(.segments, 0...0)
        } else {
            try storage.put(.segments, 0, bytes: work.bytes)
        }
        return max(rows / 8, 1)
    }
}
