internal import StorageAPI

/// Room behind the last commit of a file that is being written: zeros that the next commits are written over. A sync then
/// waits for their bytes alone; the size of a file that grows is one more write for the disk, often to a journal.
///
/// It is a zstd frame that readers skip. The other codecs have none: without a mark at its beginning, it could not be
/// told from commits that a disk has lost.
struct Room {
    private static let largest: Int64 = 256 << 10
    /// Room ends at multiples of this.
    private static let unit: Int64 = 4096
    /// Another number than that of trailers, and behind it the length of the zeros.
    private static let magic: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18]
    private static let headerSize = 8
    /// The byte that room begins with, and no commit.
    static let firstByte = magic[0]

    /// Where the file ends: behind its room, or behind the last commit where there is none.
    private(set) var end: Int64
    /// Where it ended when it was opened or written anew.
    private let opened: Int64
    /// Whether there shall be more of it where it is used up.
    var isWanted = false

    init(end: Int64) { (self.end, opened) = (end, end) }

    /// Adds what stands behind a commit to the bytes that are written with it: a header for the room that is left, or new
    /// room, as much as was written since the file was opened. So one that is opened for a single commit gets none.
    mutating func append(behind commit: Range<Int64>, to output: ByteBuffer) {
        let (place, left) = (commit.upperBound, end - commit.upperBound)
        if left >= Self.headerSize { return Self.appendHeader(left, to: output) }
        let size = isWanted ? min(commit.lowerBound - opened, Self.largest) : 0
        guard left > 0 || size > 0 else {
            end = place
            return
        }
        let needed = place + max(size, Int64(Self.headerSize))
        end = (needed + Self.unit - 1) / Self.unit * Self.unit
        Self.appendHeader(end - place, to: output)
        output.appendZeros(Int(end - place) - Self.headerSize)
    }

    private static func appendHeader(_ size: Int64, to output: ByteBuffer) {
        output.append(magic)
        output.append(UInt32(truncatingIfNeeded: size - Int64(headerSize)))
    }

    /// All of it was cut off the file, behind the last commit.
    mutating func remove(behind place: Int64) { end = place }

    /// Whether nothing but room stands from a place on. How long it says that it is does not count: a crash may have left
    /// the file with another end.
    static func stands(at place: Int64, in window: FileWindow) throws(StorageError) -> Bool {
        guard try window.bytes(at: place, headerSize)?.starts(with: magic) == true else { return false }
        return try window.isZero(from: place + Int64(headerSize))
    }
}
