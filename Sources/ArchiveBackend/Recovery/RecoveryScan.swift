internal import StorageDriver

/// Reads a file from its beginning, and judges the bytes after the last sound commit.
struct RecoveryScan {
    private(set) var scanner: CommitScanner
    private(set) var recovery = Recovery()
    private let mode: StoreFile.Mode
    private let reader: CommitReader
    /// The offset of a mismatch that was examined a second time.
    private var repeated: Int64?

    private enum Verdict {
        case torn
        case damaged(next: Int64)
    }

    init(_ window: FileWindow, _ mode: StoreFile.Mode) throws(StorageError) {
        self.init(CommitScanner(window, try Self.codec(window, mode)), mode)
    }

    /// Goes on where a reader stopped.
    init(_ scanner: CommitScanner, _ mode: StoreFile.Mode) {
        (self.scanner, self.mode) = (scanner, mode)
        reader = CommitReader(scanner.window)
    }

    /// The codec that the first bytes show; if they are damaged, that of the first trailer found.
    private static func codec(_ window: FileWindow, _ mode: StoreFile.Mode) throws(StorageError) -> ArchiveCodec {
        let beginning = try window.run(at: 0, upTo: min(window.end, 6)) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        let told = ArchiveCodec(fileBeginningWith: beginning)
        guard mode == .salvage else { return told }
        for codec in [told] + ArchiveCodec.allCases {
            if try CommitScanner(window, codec).trailer(from: 0) != nil { return codec }
        }
        return told
    }

    mutating func run(each: (Entry) throws(StorageError) -> Void) throws(StorageError) {
        while true {
            switch try scanner.next() {
            case .end where !isCut: return
            case .end: if try !goOnBehindCut() { return }
            case .newer(let version): throw StoreDamage.newer(path, version)
            case .commit(let commit): try read(commit, each)
            case .mismatch: if try !goOn() { return }
            }
        }
    }

    private var path: String { scanner.window.file.path }

    /// True if the last sound commit has no entries.
    var endsSealed: Bool { scanner.last?.length == 0 }
    /// True if the file is longer than its commits, and has no torn tail.
    var endsInPreallocatedSpace: Bool { scanner.position < scanner.window.end && recovery.torn == nil }
    /// The sequence number of the commit that would follow.
    var nextSequence: UInt64 { scanner.last.map { $0.sequence &+ 1 } ?? 0 }

    private mutating func read(
        _ commit: Commit, _ each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) {
        recovery.commits += 1
        guard let failure = try reader.read(commit, each: each) else { return }
        guard mode == .salvage else { throw failure }
        recovery.damage.append(Recovery.Damage(range: commit.range, reason: failure.message))
    }

    /// Returns whether to read on after an unsound commit.
    private mutating func goOn() throws(StorageError) -> Bool {
        let (position, end) = (scanner.position, scanner.window.end)
        switch try verdict() {
        case .torn where isCut: return try goOnBehindCut()
        case .torn:
            guard scanner.last != nil else { throw StoreDamage.noStore(path) }
            recovery.torn = Recovery.TornTail(offset: position, size: end - position)
            return false
        case .damaged(let next) where mode == .salvage:
            recovery.damage.append(Recovery.Damage(range: position..<next, reason: "no sound commit"))
            scanner.skip(to: next)
            return true
        case .damaged:
            // A reader may have met a commit that was being written while another followed.
            if try lookAgain() { return true }
            throw scanner.last == nil
                ? StoreDamage.noStore(path)
                : StoreDamage.error(path, at: position, "a store did not write these bytes")
        }
    }

    /// Returns whether a reader examines an unsound commit a second time.
    private mutating func lookAgain() throws(StorageError) -> Bool {
        guard mode == .readOnly, repeated != scanner.position else { return false }
        repeated = scanner.position
        try scanner.window.reload()
        return true
    }

    /// True if commits after the last one are missing, or the last one itself.
    private var isCut: Bool {
        scanner.last != nil && (scanner.position < scanner.knownLength || scanner.window.end < scanner.position)
    }

    private mutating func goOnBehindCut() throws(StorageError) -> Bool {
        if try lookAgain() { return true }
        let (position, end, length) = (scanner.position, scanner.window.end, max(scanner.knownLength, scanner.position))
        guard mode == .salvage else { throw StoreDamage.cut(path, at: end, behind: position, of: length) }
        let lost = length == .max ? end : max(length, end)
        recovery.damage.append(Recovery.Damage(range: position..<lost, reason: "the file was cut here"))
        return false
    }

    /// A commit that was on the disk when a later one was written cannot be torn: it was damaged afterwards. A complete
    /// one cannot be torn either: no store has written it.
    private mutating func verdict() throws(StorageError) -> Verdict {
        var place = scanner.searchStart
        // Each look at a whole commit reads it; a file made for the purpose could ask for one with every trailer.
        var looks = 16
        while let (found, trailer) = try scanner.trailer(from: place) {
            if trailer.isNewer { throw StoreDamage.newer(path, trailer.version) }
            if isProof(trailer, at: found) { return .damaged(next: Int64(clamping: trailer.offset)) }
            if trailer.offset == UInt64(scanner.position), looks > 0 {
                looks -= 1
                if try scanner.isWhole(trailer, at: found) {
                    return .damaged(next: found + Int64(scanner.codec.trailerSize))
                }
            }
            place = found + 1
        }
        scanner.noteSearched()
        return .torn
    }

    private func isProof(_ trailer: Trailer, at place: Int64) -> Bool {
        let position = UInt64(scanner.position)
        // For salvage, any commit that can be read is accepted.
        return mode == .salvage
            ? trailer.offset > position && trailer.offset <= UInt64(place) : trailer.durable > position
    }
}

/// The findings of opening a store file.
package struct Recovery: Sendable, Equatable {
    /// Commits that were read, including commits without entries.
    package var commits: Int
    /// The bytes cut off after the last commit: a write that was never acknowledged, or not awaited.
    package var torn: TornTail?
    /// The damage that salvaging could not read, in the order of the file.
    package var damage: [Damage] = []

    package init(commits: Int = 0) { self.commits = commits }

    /// Sentences about the findings, for the store's user.
    var remarks: [String] {
        (torn.map { [$0.description] } ?? []) + damage.map(\.description)
    }

    /// The bytes after the last sound commit.
    package struct TornTail: Sendable, Equatable, CustomStringConvertible {
        package var offset: Int64
        package var size: Int64
        /// The file to which they were copied; nil if they are all zero, and for readers, which leave them.
        package var copy: String?

        package init(offset: Int64, size: Int64, copy: String? = nil) {
            (self.offset, self.size, self.copy) = (offset, size, copy)
        }

        package var description: String {
            let bytes =
                "The last \(size) bytes, from byte \(offset) on, are no whole commit: one that did not end, or was damaged."
            if let copy { return "\(bytes) They are in \(copy) now." }
            return
                "\(bytes) Opened to write, the store keeps them in a file beside it; for salvage, it reads what is whole."
        }
    }

    /// A part of the file that is not readable.
    package struct Damage: Sendable, Equatable, CustomStringConvertible {
        package var range: Range<Int64>
        package var reason: String

        package var description: String { "bytes \(range.lowerBound) to \(range.upperBound): \(reason)" }
    }
}
