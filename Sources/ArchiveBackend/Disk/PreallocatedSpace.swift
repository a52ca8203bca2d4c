internal import StorageDriver

/// Space after the last commit of a file that is being written: zeros that the next commits overwrite. A sync then
/// waits only for their bytes. The size of a growing file would be one more write to the disk, often to a journal.
///
/// It is a zstd frame that readers skip. The other codecs have no such space: without a mark at its beginning, the
/// space would look like commits that a disk has lost.
struct PreallocatedSpace {
    private static let largest: Int64 = 256 << 10
    /// The space ends at multiples of this.
    private static let unit: Int64 = 4096
    /// A number that differs from that of trailers, followed by the length of the zeros.
    private static let magic: [UInt8] = [0x5A, 0x2A, 0x4D, 0x18]
    private static let headerSize = 8
    /// The byte that the space begins with, and no commit.
    static let firstByte = magic[0]

    /// The end of the file: after the space, or after the last commit if none exists.
    private(set) var end: Int64
    /// Its end when it was opened or rewritten.
    private let opened: Int64
    /// True if new space is written when the old is used up.
    var isWanted = false

    init(end: Int64) { (self.end, opened) = (end, end) }

    /// Appends the header of the space that remains after a commit to the bytes of the commit.
    func append(behind place: Int64, to output: ByteBuffer) {
        if end - place >= Self.headerSize { Self.appendHeader(end - place, to: output) }
    }

    /// Makes new space if a written commit has used up the old space and ``isWanted`` is true. The new space is as large
    /// as the bytes written between the opening of the file and this commit, up to 256 KiB, so a file that is opened for a
    /// single commit gets none. If the disk is too full for it, the call does not fail.
    mutating func renew(behind commit: Range<Int64>, _ file: OpenFile, _ buffer: ByteBuffer) throws(StorageError) {
        let place = commit.upperBound
        guard end - place < Self.headerSize else { return }
        // The file was truncated after the commit, or could not be: then zeros follow, which the next commit
        // overwrites.
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

    /// All of it was cut off after the last commit.
    mutating func release(behind place: Int64) { end = place }

    /// Returns whether only such space follows an offset. The length in its header does not count: a crash may have
    /// left the file with another end.
    static func isAllBehind(_ place: Int64, in window: FileWindow) throws(StorageError) -> Bool {
        guard try window.bytes(at: place, headerSize)?.starts(with: magic) == true else { return false }
        return try window.isZero(from: place + Int64(headerSize))
    }
}
