internal import StorageDriver

/// Space behind the last commit of a file that is being written: zeros that the next commits are written over. A sync then
/// waits for their bytes alone; the size of a file that grows is one more write for the disk, often to a journal.
///
/// It is a zstd frame that readers skip. The other codecs have none: without a mark at its beginning, it could not be
/// told from commits that a disk has lost.
struct PreallocatedSpace {
    private static let largest: Int64 = 256 << 10
    /// The space ends at multiples of this.
    private static let unit: Int64 = 4096
    /// Another number than that of trailers, and behind it the length of the zeros.
    private static let magic: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18]
    private static let headerSize = 8
    /// The byte that the space begins with, and no commit.
    static let firstByte = magic[0]

    /// Where the file ends: behind the space, or behind the last commit where there is none.
    private(set) var end: Int64
    /// Where it ended when it was opened or written anew.
    private let opened: Int64
    /// Whether there shall be more of it where it is used up.
    var isWanted = false

    init(end: Int64) { (self.end, opened) = (end, end) }

    /// Adds the header of the space that is left behind a commit to the bytes that are written with it.
    func append(behind place: Int64, to output: ByteBuffer) {
        if end - place >= Self.headerSize { Self.appendHeader(end - place, to: output) }
    }

    /// Makes new space where a commit that is written has used up what there was: as much as was written since the file was
    /// opened, so that one that is opened for a single commit gets none. Not being able to, on a disk that is too full, is no
    /// failure.
    mutating func renew(behind commit: Range<Int64>, _ file: OpenFile, _ buffer: ByteBuffer) throws(StorageError) {
        let place = commit.upperBound
        guard end - place < Self.headerSize else { return }
        // Where the file is cut off behind the commit, or cannot be: that is zeros, over which the next one is written.
        var longest = end
        let size = isWanted ? min(commit.lowerBound - opened, Self.largest) : 0
        if size > 0 {
            defer { buffer.removeAll() }
            let newEnd = (place + size + Self.unit - 1) / Self.unit * Self.unit
            Self.appendHeader(newEnd - place, to: buffer)
            buffer.appendZeros(Int(newEnd - place) - Self.headerSize)
            do throws(StorageError) {
                try file.write(at: place, buffer.bytes)
                end = newEnd
                return
            } catch {
                guard error.code == .full else { throw error }
                longest = newEnd
            }
        }
        end = longest > place && (try? file.truncate(to: place)) == nil ? longest : place
    }

    private static func appendHeader(_ size: Int64, to output: ByteBuffer) {
        output.append(magic)
        output.append(UInt32(truncatingIfNeeded: size - Int64(headerSize)))
    }

    /// All of it was cut off the file, behind the last commit.
    mutating func release(behind place: Int64) { end = place }

    /// Whether nothing but such space follows a place. How long it says that it is does not count: a crash may have left
    /// the file with another end.
    static func isAllBehind(_ place: Int64, in window: FileWindow) throws(StorageError) -> Bool {
        guard try window.bytes(at: place, headerSize)?.starts(with: magic) == true else { return false }
        return try window.isZero(from: place + Int64(headerSize))
    }
}
