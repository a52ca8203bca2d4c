internal import StorageDriver

/// An entry of a commit.
package struct Entry {
    package let name: String
    /// Valid during the call that it is handed to.
    package let contents: UnsafeRawBufferPointer
    /// The sequence number of its commit.
    package let commit: UInt64
}

/// Splits the contents of a commit's frames into entries: regular files, exactly as a store writes them.
///
/// An entry that lies within one block is not copied; another is collected first, which takes as much memory as it has
/// bytes, never as much as it claims.
struct EntryParser {
    private let commit: UInt64
    /// True if trailers are entries like any other.
    private let hasTrailers: Bool
    private let collected: ByteBuffer

    /// Parses the following bytes with a buffer that is kept for reuse.
    init(commit: UInt64, _ buffer: ByteBuffer, hasTrailers: Bool = false) {
        (self.commit, self.hasTrailers) = (commit, hasTrailers)
        collected = buffer
        buffer.removeAll(keepingAtMost: StoreFormat.frameTarget)
    }

    func parse(
        _ block: UnsafeRawBufferPointer, each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) {
        var rest = block
        while !rest.isEmpty {
            if collected.count == 0, let size = try entrySize(rest), size <= rest.count {
                try deliver(rest.part(0, size), each)
                rest = rest.part(size, rest.count - size)
            } else {
                try collect(&rest, each)
            }
        }
    }

    /// Throws where the last entry is not whole.
    func finish() throws(StorageError) {
        guard collected.count == 0 else { throw Self.damaged("its last entry is cut off") }
    }

    private func collect(
        _ rest: inout UnsafeRawBufferPointer, _ each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) {
        let wanted = try entrySize(collected.bytes) ?? TarHeader.size
        let taken = min(wanted - collected.count, rest.count)
        collected.append(rest.part(0, taken))
        rest = rest.part(taken, rest.count - taken)
        guard collected.count >= TarHeader.size, collected.count == (try entrySize(collected.bytes)) else { return }
        try deliver(collected.bytes, each)
        collected.removeAll()
    }

    /// The bytes of the entry that begins here with header and padding, or nil if its header is not whole.
    private func entrySize(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int? {
        guard bytes.count >= TarHeader.size else { return nil }
        return TarHeader.entrySize(try header(bytes).size)
    }

    private func deliver(
        _ bytes: UnsafeRawBufferPointer, _ each: (Entry) throws(StorageError) -> Void
    ) throws(StorageError) {
        let header = try header(bytes)
        let contents = bytes.part(TarHeader.size, header.size)
        guard bytes[(TarHeader.size + header.size)...].allSatisfy({ $0 == 0 }) else {
            throw Self.damaged("the padding of \(header.name) is not zero")
        }
        try each(Entry(name: header.name, contents: contents, commit: commit))
    }

    private func header(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> TarHeader {
        guard let header = TarHeader(bytes.part(0, TarHeader.size)), hasTrailers || header.name != TarHeader.trailerName
        else {
            throw Self.damaged("one of its entries is not a plain file in the form that stores write")
        }
        return header
    }

    static func damaged(_ reason: String) -> StorageError { StorageError(.corrupt, reason) }
}
