import StorageJSON

/// The bytes of some JSON records, one after the other.
struct JSONBatch {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    private var lines: [Int] = []

    var count: Int { ends.count }

    /// Takes the next records; false if none exist.
    ///
    /// - Parameter size: the number of bytes that are enough.
    mutating func fill(from source: inout any RecordSource, _ most: Int, bytes size: Int) throws -> Bool {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        lines.removeAll(keepingCapacity: true)
        while ends.count < most, bytes.count < size, let record = try source.next() {
            bytes.append(contentsOf: record.bytes)
            ends.append(bytes.count)
            lines.append(record.line)
        }
        return !ends.isEmpty
    }

    /// Calls the body with the bytes of the record at a place.
    func withBytes<R, Failure: Error>(
        at place: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        let start = place > 0 ? ends[place - 1] : 0
        return try bytes.withUnsafeBufferPointer { (all) throws(Failure) in
            try body(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(all)[start..<ends[place]]))
        }
    }

    /// Calls the body with the record at a place.
    func withRecord<R>(at place: Int, _ body: (InputRecord) throws -> R) rethrows -> R {
        try withBytes(at: place) { try body(InputRecord(json: $0, line: lines[place])) }
    }
}
