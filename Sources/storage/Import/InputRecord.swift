import StorageAPI
import StorageDriver

/// A record of the input, undecoded.
struct InputRecord {
    /// The line on which it begins, from 1.
    let line: Int
    /// Its bytes, valid until the next record is asked for.
    let bytes: UnsafeRawBufferPointer
    /// Its name in an object of records.
    let key: String?
    /// Its members, or what is wrong with it.
    let content: Result<[JSONValue.Member], BadRecord>
}

/// Why a record cannot be read, and where.
struct BadRecord: Error {
    let line: Int
    let message: String
}

/// The records of an input, one after the other.
protocol RecordSource {
    /// The next record; nil after the last.
    ///
    /// - Throws: if the ends of records cannot be found.
    mutating func next() throws(ToolError) -> InputRecord?
    /// How much of the input has been read, from 0 to 1.
    var fraction: Double { get }
}

extension InputRecord {
    /// A record that is JSON text.
    init(json bytes: UnsafeRawBufferPointer, line: Int, key: String? = nil) {
        let content: Result<[JSONValue.Member], BadRecord>
        do throws(JSONProblem) {
            let value = try JSONParser.parse(bytes)
            if case .object(let members) = value {
                content = .success(members)
            } else {
                content = .failure(BadRecord(line: line, message: "A record must be an object; this is \(value.kind)."))
            }
        } catch {
            // What is missing at the end is missing where the text ends, not after the white space.
            let end = bytes.lastIndex { !$0.isJSONSpace } ?? 0
            let newlines = bytes.prefix(min(error.offset, end)).count { $0 == 0x0A }
            content = .failure(BadRecord(line: line + newlines, message: error.message))
        }
        self.init(line: line, bytes: bytes, key: key, content: content)
    }
}

/// Newline-delimited JSON: an object a line. Empty lines are passed over.
struct LineSource: RecordSource {
    private let input: InputBuffer
    private var consumed = 0

    init(_ input: InputBuffer) { self.input = input }

    var fraction: Double { input.fraction }

    mutating func next() throws(ToolError) -> InputRecord? {
        input.consume(consumed)
        consumed = 0
        try input.skipSpace()
        guard try input.peek() != nil else { return nil }
        var scanner = LineScanner()
        consumed = try input.length(&scanner) ?? input.available.count
        return InputRecord(json: UnsafeRawBufferPointer(rebasing: input.available.prefix(consumed)), line: input.line)
    }
}

/// One JSON array of objects, or one object whose members are the records.
struct DocumentSource: RecordSource {
    private let input: InputBuffer
    private let isKeyed: Bool
    private var state = State.before
    private var consumed = 0

    private enum State { case before, first, inside, ended }

    /// - Parameter isKeyed: whether it is an object.
    init(_ input: InputBuffer, isKeyed: Bool) {
        self.input = input
        self.isKeyed = isKeyed
    }

    var fraction: Double { input.fraction }

    mutating func next() throws(ToolError) -> InputRecord? {
        input.consume(consumed)
        consumed = 0
        if state == .before {
            try expect(isKeyed ? "{" : "[", "the beginning")
            state = .first
        }
        guard try isAtRecord() else { return nil }
        let key = isKeyed ? try readKey() : nil
        try input.skipSpace()
        var scanner = JSONValueScanner()
        guard let length = try input.length(&scanner) else { throw fatal("the text ends inside a record") }
        consumed = length
        return InputRecord(
            json: UnsafeRawBufferPointer(rebasing: input.available.prefix(length)), line: input.line, key: key)
    }

    /// Skips what is between records; returns false after the last.
    private mutating func isAtRecord() throws(ToolError) -> Bool {
        guard state != .ended else { return false }
        try input.skipSpace()
        if try input.peek() == UInt8(ascii: isKeyed ? "}" : "]") {
            input.consume(1)
            try input.skipSpace()
            guard try input.peek() == nil else { throw fatal("there is text after the end") }
            state = .ended
            return false
        }
        if state == .inside { try expect(",", "after a record") }
        state = .inside
        try input.skipSpace()
        return true
    }

    private func readKey() throws(ToolError) -> String {
        var scanner = JSONValueScanner()
        guard try input.peek() == UInt8(ascii: "\""), let length = try input.length(&scanner),
            case .string(let key)? = try? JSONParser.parse(
                UnsafeRawBufferPointer(rebasing: input.available.prefix(length)))
        else { throw fatal("there is no name before a record") }
        input.consume(length)
        try expect(":", "after a record's name")
        return key
    }

    private func expect(_ character: Unicode.Scalar, _ place: String) throws(ToolError) {
        try input.skipSpace()
        guard try input.peek() == UInt8(ascii: character) else { throw fatal("there is no \(character) \(place)") }
        input.consume(1)
    }

    private func fatal(_ problem: String) -> ToolError {
        ToolError("\(input.file.name), line \(input.line): \(problem); nothing after it can be read.")
    }
}
