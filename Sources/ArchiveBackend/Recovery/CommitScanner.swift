internal import StorageDriver

/// A commit whose checks hold.
struct Commit: Equatable {
    let trailer: Trailer
    let frames: Int
    /// The range of its frames.
    let range: Range<Int64>
}

/// Walks over a file commit by commit, and believes none whose checks do not hold.
struct CommitScanner {
    enum Step: Equatable {
        case commit(Commit)
        /// The file ends here, or has only preallocated space from here on.
        case end
        /// The following bytes are no sound commit.
        case mismatch
        /// The following commit was written by a newer version.
        case newer(UInt16)
    }

    let window: FileWindow
    let codec: ArchiveCodec
    /// The offset of the next commit.
    private(set) var position: Int64 = 0
    /// The last sound commit's.
    private(set) var last: Trailer?
    /// The offset of the file's record of its length; nil before the first commit, and in files of version 1.
    private(set) var lengthPlace: Int64?
    /// The minimum length that the file records for itself; 0 where that cannot be read.
    var knownLength: Int64 = 0
    /// The progress through a commit that is not complete yet.
    private var walk: Walk?
    /// True if commits before ``position`` are lost, so that the chain cannot be followed.
    private var isAfterGap = false

    /// The point at which a reader resumes when more of a commit has arrived. Without it, each look would read all of a
    /// large commit again.
    private struct Walk {
        /// The last frame that was whole.
        let frame: Range<Int64>
        /// The number of frames up to that point.
        let frames: Int
        /// The offset up to which the bytes were searched for later trailers.
        var searched: Int64
    }

    init(_ window: FileWindow, _ codec: ArchiveCodec) {
        self.window = window
        self.codec = codec
    }

    /// Returns whether the bytes after the last commit have changed in a file whose status is unchanged. Commits over
    /// preallocated space do not change the size, and file systems store times in steps of milliseconds. Bytes that are
    /// not such space may be half of a commit that is complete by now.
    func mayHaveNext() throws(StorageError) -> Bool {
        guard codec == .zstd, position < window.end else { return false }
        var byte: UInt8 = 0
        let count = try withUnsafeMutableBytes(of: &byte) { (bytes) throws(StorageError) in
            try window.file.read(at: position, into: bytes)
        }
        return count == 1 && byte != PreallocatedSpace.firstByte
    }

    /// Continues after the bytes just written.
    mutating func adopt(_ trailer: Trailer, end: Int64) {
        (last, position, walk) = (trailer, end, nil)
        isAfterGap = false
    }

    /// Goes on at a later commit.
    mutating func skip(to offset: Int64) {
        (position, walk) = (offset, nil)
        isAfterGap = true
    }

    mutating func next() throws(StorageError) -> Step {
        if position == window.end { return .end }
        if codec == .zstd, try PreallocatedSpace.isAllBehind(position, in: window) { return .end }
        let isResumed = try resumesWalk()
        let step = try walkOn()
        // The frames that were walked over may have been taken back since, and replaced by another commit.
        guard isResumed, case .mismatch = step, walk == nil else { return step }
        return try walkOn()
    }

    /// Returns whether the last frame that was walked over still exists.
    private mutating func resumesWalk() throws(StorageError) -> Bool {
        guard let walk else { return false }
        if try codec.frameLength(at: walk.frame.lowerBound, in: window) == Int64(walk.frame.count) { return true }
        self.walk = nil
        return false
    }

    private mutating func walkOn() throws(StorageError) -> Step {
        var (place, frames) = walk.map { ($0.frame.upperBound, $0.frames) } ?? (position, 0)
        while true {
            if let trailer = try trailer(at: place) {
                walk = nil
                return trailer.isNewer
                    ? isOfThisFile(trailer) ? .newer(trailer.version) : .mismatch
                    : try accept(trailer, range: position..<place, frames: frames)
            }
            guard let length = try codec.frameLength(at: place, in: window) else { return .mismatch }
            frames += 1
            walk = Walk(frame: place..<place + length, frames: frames, searched: walk?.searched ?? position)
            place += length
        }
    }

    private func trailer(at place: Int64) throws(StorageError) -> Trailer? {
        guard let bytes = try window.bytes(at: place, codec.trailerSize) else { return nil }
        return codec.readTrailer(bytes)
    }

    private mutating func accept(
        _ trailer: Trailer, range: Range<Int64>, frames: Int
    ) throws(StorageError) -> Step {
        guard covers(trailer, range), follows(trailer), try check(of: range) == trailer.framesCheck else {
            return .mismatch
        }
        var end = range.upperBound + Int64(codec.trailerSize)
        if trailer.hasLengthBehind { end = try readLength(at: end, behind: trailer) }
        adopt(trailer, end: end)
        return .commit(Commit(trailer: trailer, frames: frames, range: range))
    }

    /// Reads the record of the length, and returns its end. A file that ends inside it was truncated.
    private mutating func readLength(at place: Int64, behind first: Trailer) throws(StorageError) -> Int64 {
        guard let bytes = try window.bytes(at: place, codec.trailerSize) else {
            (lengthPlace, knownLength) = (place, .max)
            return window.end
        }
        noteLength(LengthRecord(bytes, behind: first)?.length ?? 0, at: place)
        return place + Int64(codec.trailerSize)
    }

    /// The record of the length at this offset has this length.
    mutating func noteLength(_ length: Int64, at place: Int64) { (lengthPlace, knownLength) = (place, length) }

    /// Returns whether the commit whose trailer is at an offset is complete, although it is not sound.
    func isWhole(_ trailer: Trailer, at place: Int64) throws(StorageError) -> Bool {
        let range = position..<place
        guard covers(trailer, range) else { return false }
        return try check(of: range) == trailer.framesCheck
    }

    private func covers(_ trailer: Trailer, _ range: Range<Int64>) -> Bool {
        trailer.codec == codec && trailer.offset == UInt64(range.lowerBound) && trailer.length == UInt64(range.count)
            && trailer.durable <= trailer.offset
    }

    private func follows(_ trailer: Trailer) -> Bool {
        guard let last else { return isAfterGap || trailer.sequence == 0 && trailer.isChained(to: nil) }
        guard trailer.store == last.store, trailer.generation == last.generation else { return false }
        if isAfterGap { return trailer.sequence > last.sequence }
        return trailer.sequence == last.sequence &+ 1 && trailer.isChained(to: last)
    }

    private func check(of range: Range<Int64>) throws(StorageError) -> UInt32? {
        var check: UInt32 = 0
        var place = range.lowerBound
        while let bytes = try window.run(at: place, upTo: range.upperBound) {
            check = CyclicRedundancyCheck.crc32c(bytes, after: check)
            place += Int64(bytes.count)
        }
        return place == range.upperBound ? check : nil
    }
}

extension CommitScanner {
    /// The offset from which trailers may follow an incomplete commit and were not searched for yet.
    var searchStart: Int64 { walk?.searched ?? position }

    /// Notes that no trailer follows up to the current end of the file. The end may have a part of a trailer.
    mutating func noteSearched() {
        walk?.searched = max(position, window.end - Int64(codec.trailerSize))
    }

    /// The next offset from `start` on of a sound trailer of this file, perhaps of a newer version.
    func trailer(from start: Int64) throws(StorageError) -> (place: Int64, trailer: Trailer)? {
        let marker = codec.trailerMarker
        var place = start
        while let hit = try window.place(of: marker, from: place) {
            let candidate = hit - Int64(codec.trailerMarkerPlace)
            if candidate >= start, let trailer = try trailer(at: candidate), isOfThisFile(trailer) {
                return (candidate, trailer)
            }
            place = hit + 1
        }
        return nil
    }

    /// Returns whether a trailer is one of a commit from ``position`` on. Stored values may themselves be bytes of a
    /// store file: of another one, or of an earlier state of this one.
    private func isOfThisFile(_ trailer: Trailer) -> Bool {
        guard trailer.offset >= UInt64(position) else { return false }
        guard let last else { return true }
        return trailer.isNewer ? trailer.store == last.store : last.precedes(trailer)
    }
}

extension Trailer {
    fileprivate func isChained(to before: Trailer?) -> Bool { chained(to: before) == self }

    fileprivate func precedes(_ other: Trailer) -> Bool {
        store == other.store && generation == other.generation && sequence < other.sequence
    }
}
