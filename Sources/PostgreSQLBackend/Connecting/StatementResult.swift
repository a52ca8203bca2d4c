internal import CPostgreSQL
internal import StorageDriver

/// The result of one statement.
package final class StatementResult {
    private let handle: OpaquePointer
    /// The number of rows.
    package let count: Int

    /// - Parameter handle: a result of libpq's, which this object frees.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        count = Int(PQntuples(handle))
    }

    deinit { PQclear(handle) }

    /// The bytes of memory that it takes.
    var size: Int { PQresultMemorySize(handle) }

    /// The number of rows that the statement changed.
    var changed: Int { Int(String(cString: PQcmdTuples(handle))) ?? 0 }

    /// The statement's words, as the server reports them: `COMMIT`, `ROLLBACK`.
    var tag: String { String(cString: PQcmdStatus(handle)) }

    /// The bytes of a value, valid as long as the result; nil for null and beyond the result's rows and columns.
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column))
        guard row < PQntuples(handle), column < PQnfields(handle), PQgetisnull(handle, row, column) == 0,
            let address = PQgetvalue(handle, row, column)
        else { return nil }
        return UnsafeRawBufferPointer(start: address, count: Int(PQgetlength(handle, row, column)))
    }

    /// A value of text.
    package func text(_ row: Int = 0, _ column: Int = 0) -> String? {
        bytes(row, column).map { String(decoding: $0, as: UTF8.self) }
    }

    /// A value of type bigint.
    package func integer(_ row: Int = 0, _ column: Int = 0) -> Int64? {
        bytes(row, column).flatMap { $0.bigEndian(Int64.self) }
    }

    /// A value of type boolean.
    package func isTrue(_ row: Int = 0, _ column: Int = 0) -> Bool { bytes(row, column)?.first == 1 }
}

extension UnsafeRawBufferPointer {
    /// An integer in network byte order; nil if the number of bytes differs.
    func bigEndian<I: FixedWidthInteger>(_: I.Type) -> I? {
        guard count == MemoryLayout<I>.size else { return nil }
        return I(bigEndian: loadUnaligned(as: I.self))
    }
}
