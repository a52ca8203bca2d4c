import StorageJSON

/// Finds the records of delimited values and their fields among the buffered bytes of an input, without copying them.
///
/// A record is what RFC 4180 says: it ends at a line feed that no quotes enclose. One that has quotes inside of a field
/// without quotes, or none where one should end, is not plain; its fields are not found.
///
/// Used by one thread.
final class CSVReader {
    /// A field: where it is in the buffered bytes, without the quotes around it.
    struct Field {
        var start: Int
        var count: Int
        var isQuoted: Bool
        /// True if two quotes in it stand for one.
        var hasEscapes: Bool
    }

    /// A record: where it is in the buffered bytes.
    struct Record {
        /// The line on which it begins, from 1.
        var line: Int
        var start: Int
        var end: Int
        var isPlain: Bool
    }

    let delimiter: UInt8
    private let input: InputBuffer
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var position = 0
    @exclusivity(unchecked) private var line: Int
    /// The line feeds in the record that is looked at.
    @exclusivity(unchecked) private var newlines = 0
    /// True if the chunk ends with the input.
    @exclusivity(unchecked) private var isLast = false

    init(_ input: InputBuffer, delimiter: UInt8) {
        self.input = input
        self.delimiter = delimiter
        line = input.line
    }

    /// The input's name for messages.
    var name: String { input.name }

    var fraction: Double { input.fraction }

    /// The bytes of a record, valid until the next chunk is read.
    func bytes(of record: Record) -> UnsafeRawBufferPointer { bytes(record.start, record.end - record.start) }

    /// The bytes of a field, as long.
    func bytes(of field: Field) -> UnsafeRawBufferPointer { bytes(field.start, field.count) }

    private func bytes(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: chunk[start..<start + count])
    }

    /// The next record, whose fields are appended; nil after the last.
    ///
    /// - Parameter staysInChunk: nil also where the next record is not buffered whole.
    func next(_ fields: inout [Field], staysInChunk: Bool = false) throws -> Record? {
        let first = fields.count
        while true {
            switch scan(&fields) {
            case .plain(let end): return take(end, isPlain: true)
            case .odd:
                fields.removeSubrange(first...)
                if let end = oddEnd() { return take(end, isPlain: false) }
            case .incomplete: fields.removeSubrange(first...)
            }
            guard !staysInChunk, try readChunk() else { return nil }
        }
    }

    private func take(_ end: Int, isPlain: Bool) -> Record {
        let record = Record(line: line, start: position, end: end, isPlain: isPlain)
        line += newlines
        position = end
        return record
    }

    /// The end of a record whose quotes are not where they should be.
    private func oddEnd() -> Int? {
        var scanner = CSVScanner()
        let rest = UnsafeRawBufferPointer(rebasing: chunk[position...])
        let count = scanner.end(in: rest) ?? (isLast ? rest.count : nil)
        newlines = rest.prefix(count ?? 0).count { $0 == 0x0A }
        return count.map { position + $0 }
    }

    /// Makes the next record a buffered one; false at the end of the input.
    private func readChunk() throws -> Bool {
        input.consume(position)
        position = 0
        chunk = UnsafeRawBufferPointer(start: nil, count: 0)
        guard !isLast, try input.peek() != nil else { return false }
        var scanner = CSVScanner()
        isLast = try input.length(&scanner) == nil
        chunk = input.available
        return true
    }

    // MARK: Fields

    private enum Outcome {
        case plain(end: Int)
        case odd
        case incomplete
    }

    /// Finds the fields of the record that is next.
    private func scan(_ fields: inout [Field]) -> Outcome {
        var (place, newlines) = (position, 0)
        let (end, bytes, delimiter) = (chunk.count, chunk, delimiter)
        guard place < end else { return .incomplete }
        while true {
            var field = Field(start: place, count: 0, isQuoted: false, hasEscapes: false)
            if place < end, bytes[place] == UInt8(ascii: "\"") {
                field.isQuoted = true
                field.start += 1
                guard let close = closing(&field, &newlines) else { return isLast ? .odd : .incomplete }
                place = close + 1
            } else {
                while place < end, bytes[place] != delimiter, bytes[place] != 0x0A {
                    if bytes[place] == UInt8(ascii: "\"") { return .odd }
                    place += 1
                }
                field.count = place - field.start
            }
            var following = place
            if following < end, bytes[following] == 0x0D { following += 1 }
            if following == end, !isLast { return .incomplete }
            if place < end, bytes[place] == delimiter {
                fields.append(field)
                place += 1
                continue
            }
            let isAtEnd = following == end
            // What is behind closing quotes is a delimiter or the end.
            guard isAtEnd || bytes[following] == 0x0A else { return .odd }
            if !field.isQuoted, field.count > 0, bytes[field.start + field.count - 1] == 0x0D { field.count -= 1 }
            fields.append(field)
            self.newlines = newlines + (isAtEnd ? 0 : 1)
            return .plain(end: isAtEnd ? end : following + 1)
        }
    }

    /// The closing quote of a field; nil if it is not among the bytes.
    private func closing(_ field: inout Field, _ newlines: inout Int) -> Int? {
        var place = field.start
        while place < chunk.count {
            let byte = chunk[place]
            if byte == UInt8(ascii: "\"") {
                // Whether the quote is a half of two is not known where the bytes end.
                guard place + 1 < chunk.count else { break }
                guard chunk[place + 1] == UInt8(ascii: "\"") else { break }
                field.hasEscapes = true
                place += 1
            } else if byte == 0x0A {
                newlines += 1
            }
            place += 1
        }
        guard place < chunk.count, place + 1 < chunk.count || isLast else { return nil }
        field.count = place - field.start
        return place
    }
}

/// The end of a record of comma-separated values: a newline that no quotes enclose.
struct CSVScanner: FrameScanner {
    private var isQuoted = false

    mutating func end(in bytes: UnsafeRawBufferPointer) -> Int? {
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == 0x0A, !isQuoted { return index + 1 }
        }
        return nil
    }
}
