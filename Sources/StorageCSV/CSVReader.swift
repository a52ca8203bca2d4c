package import StorageJSON

/// Finds the records of delimited values and their fields among the buffered bytes of an input, without copying them.
///
/// A quotation mark at the beginning of a field encloses it, up to the mark that a delimiter or the end of the record follows.
/// Anywhere else a mark is a character. A record ends at a line feed, a carriage return, or both, outside of marks. If the mark at
/// the beginning of a field encloses no field, marks are read as characters in it, and its record is not well formed. So
/// an error spoils one line, and the records after it are found.
///
/// Used by one thread.
package final class CSVReader {
    /// A field: where it is in the buffered bytes, without the marks around it.
    package struct Field {
        package var start: Int
        package var count = 0
        package var isQuoted = false
        /// True if two marks in it stand for one.
        package var hasEscapes = false

        /// True if the field is empty, without marks around it.
        package var isMissing: Bool { count == 0 && !isQuoted }
    }

    /// A record: where it is in the buffered bytes.
    package struct Record {
        /// The line on which it begins, from 1.
        package var line: Int
        package var start: Int
        package var end: Int
        /// True if each mark at the beginning of a field encloses it.
        package var isWellFormed: Bool
    }

    package let dialect: CSVDialect
    private let input: InputBuffer
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var line = 1
    /// True if no more bytes will be buffered: the chunk ends with the input.
    @exclusivity(unchecked) private var isLast = false
    /// True if no more bytes may be buffered, because a record has at most so many.
    @exclusivity(unchecked) private var isFull = false

    package init(_ input: InputBuffer, _ dialect: CSVDialect) {
        self.input = input
        self.dialect = dialect
    }

    /// The input's name for messages.
    package var name: String { input.name }

    package var fraction: Double { input.fraction }

    /// The bytes of a record, valid until the next chunk is read.
    package func bytes(of record: Record) -> UnsafeRawBufferPointer { bytes(record.start, record.end - record.start) }

    /// The bytes of a field, as long.
    package func bytes(of field: Field) -> UnsafeRawBufferPointer { bytes(field.start, field.count) }

    private func bytes(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: chunk[start..<start + count])
    }

    /// The next record, whose fields are appended; nil after the last.
    ///
    /// - Parameter staysInChunk: nil also where the next record is not buffered whole.
    package func next(_ fields: inout [Field], staysInChunk: Bool = false) throws -> Record? {
        let first = fields.count
        while true {
            if let record = scan(&fields) { return record }
            fields.removeSubrange(first...)
            guard !staysInChunk, try readChunk() else { return nil }
        }
    }

    /// Buffers more of the next record, so much that long records are not looked at often; false at the end of the input.
    ///
    /// - Throws: if the record is larger than records may be.
    private func readChunk() throws -> Bool {
        input.consume(position)
        position = 0
        chunk = UnsafeRawBufferPointer(start: nil, count: 0)
        guard !isLast, try input.peek() != nil else { return false }
        let (known, limit) = (input.available.count, InputBuffer.recordLimit)
        let wasFull = isFull
        isFull = known >= limit
        // Without room for more, a mark that no other has closed is a character. A record that has no end either is refused.
        var scanner = SizeScanner(rest: wasFull && isFull ? known + 1 : min(known * 2, limit))
        isLast = try input.length(&scanner) == nil
        chunk = input.available
        return true
    }

    // MARK: Fields

    /// Finds the fields of the next record, and passes over it; nil if it is not buffered whole.
    private func scan(_ fields: inout [Field]) -> Record? {
        var (place, newlines) = (position, 0)
        let (end, bytes, delimiter, hasQuotes) = (chunk.count, chunk, dialect.delimiter, dialect.hasQuotes)
        guard place < end else { return nil }
        var record = Record(line: line, start: place, end: place, isWellFormed: true)
        while true {
            var field = Field(start: place)
            if hasQuotes, place < end, bytes[place] == CSVDialect.mark {
                switch enclosed(&field, &newlines) {
                case .upTo(let next): place = next
                case .nothing: record.isWellFormed = false
                case .unknown: return nil
                }
            }
            if !field.isQuoted {
                while place < end, bytes[place] != delimiter, bytes[place] != 0x0A, bytes[place] != 0x0D { place += 1 }
                field.count = place - field.start
            }
            fields.append(field)
            if place < end, bytes[place] == delimiter {
                place += 1
                continue
            }
            guard let length = lineEnd(at: place) else { return nil }
            record.end = place + length
            position = record.end
            line += newlines + (length > 0 ? 1 : 0)
            isFull = false
            return record
        }
    }

    /// The number of bytes of the line end at a place, 0 at the end of the input; nil if that is not known yet.
    private func lineEnd(at place: Int) -> Int? {
        guard place < chunk.count else { return isLast ? 0 : nil }
        guard chunk[place] == 0x0D else { return 1 }
        guard place + 1 < chunk.count else { return isLast ? 1 : nil }
        return chunk[place + 1] == 0x0A ? 2 : 1
    }

    private func isEnd(_ byte: UInt8) -> Bool { byte == dialect.delimiter || byte == 0x0A || byte == 0x0D }

    /// The bytes that the mark at the beginning of a field encloses.
    private enum Enclosed {
        case upTo(Int)
        case nothing
        /// The bytes that are buffered do not tell.
        case unknown
    }

    /// Finds the closing mark of a field that begins with a mark, and makes the field a quoted one if it finds such a mark.
    private func enclosed(_ field: inout Field, _ newlines: inout Int) -> Enclosed {
        let (end, bytes) = (chunk.count, chunk)
        var (place, lines, hasEscapes) = (field.start + 1, 0, false)
        while place < end {
            let byte = bytes[place]
            place += 1
            if byte == 0x0A || byte == 0x0D && (place == end || bytes[place] != 0x0A) { lines += 1 }
            guard byte == CSVDialect.mark else { continue }
            // Whether the mark is a half of two is not known where the bytes end.
            guard place < end || isLast else { break }
            if place < end, bytes[place] == CSVDialect.mark {
                hasEscapes = true
                place += 1
                continue
            }
            guard place == end || isEnd(bytes[place]) else { return .nothing }
            field.start += 1
            (field.count, field.isQuoted, field.hasEscapes) = (place - 1 - field.start, true, hasEscapes)
            newlines += lines
            return .upTo(place)
        }
        return isLast || isFull ? .nothing : .unknown
    }
}

/// The end of a number of bytes.
private struct SizeScanner: FrameScanner {
    var rest: Int

    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard rest > bytes.count else { return rest }
        rest -= bytes.count
        return nil
    }
}
