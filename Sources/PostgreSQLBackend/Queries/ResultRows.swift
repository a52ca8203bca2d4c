internal import CPostgreSQL
internal import StorageDriver

/// The rows of a query as cells, in one result or in several that follow each other.
final class ResultRows: CursorSource {
    private var result: StatementResult
    private var row = -1
    private let forms: [WireForm]
    private let cells: UnsafeMutablePointer<Cell>
    /// The bytes of texts of the current row that had to be unescaped.
    private var unescaped: [UnsafeMutableRawBufferPointer] = []
    private var error: StorageError?
    /// Returns the next result; nil if this one is the last.
    private var nextResult: (() throws(StorageError) -> StatementResult?)?
    private var atEnd: (() -> Void)?
    private let isReading: Bool

    /// - Parameters:
    ///   - isReading: whether it throws `cancelled` if its task is cancelled.
    ///   - next: returns the results that follow.
    ///   - atEnd: called when the cursor is released.
    init(
        _ result: StatementResult, _ forms: [WireForm], isReading: Bool = false,
        next: (() throws(StorageError) -> StatementResult?)? = nil,
        atEnd: (() -> Void)? = nil
    ) {
        self.result = result
        self.isReading = isReading
        self.nextResult = next
        self.atEnd = atEnd
        self.forms = forms
        cells = .allocate(capacity: max(forms.count, 1))
        cells.initialize(repeating: .null, count: max(forms.count, 1))
    }

    deinit {
        cells.deallocate()
        forgetUnescaped()
    }

    func cursor() -> Cursor {
        // The cursor keeps this object alive, so the unretained context and the cells stay valid.
        Cursor(source: self, context: Unmanaged.passUnretained(self).toOpaque(), cells: UnsafePointer(cells)) {
            Unmanaged<ResultRows>.fromOpaque($0).takeUnretainedValue().step()
        }
    }

    func failure() -> StorageError {
        error
            ?? StorageError(.corrupt, "A stored value does not have the form of its column; another program wrote it.")
    }

    func finish() {
        nextResult = nil
        atEnd?()
        atEnd = nil
    }

    private func step() -> Int32 {
        if !unescaped.isEmpty { forgetUnescaped() }
        row += 1
        while row >= result.count {
            do throws(StorageError) {
                // A cancelled caller does not learn that all rows had arrived.
                if isReading { try CancellationCheck.look() }
                guard let next = try nextResult?() else { return 0 }
                result = next
                row = 0
            } catch {
                self.error = error
                return -1
            }
        }
        for column in forms.indices {
            guard let bytes = result.bytes(row, column) else {
                cells[column] = .null
                continue
            }
            guard let cell = cell(bytes, forms[column]) else { return -1 }
            cells[column] = cell
        }
        return 1
    }

    /// A value as a cell; nil if it has another form than its column.
    private func cell(_ bytes: UnsafeRawBufferPointer, _ form: WireForm) -> Cell? {
        switch form {
        case .bool: bytes.count == 1 ? .int(bytes[0] == 0 ? 0 : 1) : nil
        case .int2: bytes.bigEndian(Int16.self).map { .int(Int64($0)) }
        case .int4: bytes.bigEndian(Int32.self).map { .int(Int64($0)) }
        case .int8: bytes.bigEndian(Int64.self).map { .int($0) }
        case .float4: bytes.bigEndian(UInt32.self).map { .double(Double(Float(bitPattern: $0))) }
        case .float8: bytes.bigEndian(UInt64.self).map { .double(Double(bitPattern: $0)) }
        case .text: bytes.contains { $0 <= 2 } ? unescapedCell(bytes) : Self.cell(bytes, .text)
        case .plainText: Self.cell(bytes, .text)
        case .bytes: Self.cell(bytes, .blob)
        case .digits: digitsCell(bytes)
        case .whole: bytes.bigEndian(Int64.self).map { $0.magnitude < 1 << 53 ? .double(Double($0)) : .int($0) }
        case .number: Int64(String(decoding: bytes, as: UTF8.self)).map { .int($0) } ?? Self.cell(bytes, .text)
        }
    }

    private static func cell(_ bytes: UnsafeRawBufferPointer, _ tag: Cell.Tag) -> Cell {
        Cell(
            bits: UInt64(UInt(bitPattern: bytes.baseAddress)), length: UInt32(truncatingIfNeeded: bytes.count), tag: tag
        )
    }

    private func unescapedCell(_ bytes: UnsafeRawBufferPointer) -> Cell? {
        guard let text = EscapedText.unescaped(bytes) else { return nil }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(text.count, 1), alignment: 1)
        copy.copyBytes(from: text)
        unescaped.append(copy)
        return Self.cell(UnsafeRawBufferPointer(rebasing: copy[..<text.count]), .text)
    }

    private func digitsCell(_ bytes: UnsafeRawBufferPointer) -> Cell? {
        let digits = String(decoding: bytes, as: UTF8.self)
        if let number = UInt64(digits) { return .unsigned(number) }
        guard Int64(digits) == nil, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
            return Int64(digits).map { .int($0) }
        }
        error = StorageError(
            .overflow, "The sum \(digits) is beyond the range of uint64; sum a part, or store Doubles.")
        return nil
    }

    private func forgetUnescaped() {
        for bytes in unescaped { bytes.deallocate() }
        unescaped = []
    }
}
