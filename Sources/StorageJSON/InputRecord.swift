import StorageAPI
import StorageDriver

/// A record of the input, undecoded.
package struct InputRecord {
    /// The line on which it begins, from 1.
    package let line: Int
    /// Its bytes, valid until the next record is asked for.
    package let bytes: UnsafeRawBufferPointer
    /// Its name in an object of records.
    package let key: String?
    /// True if it has been read from its bytes, so that nothing is left to do.
    let isRead: Bool
    private let members: Result<[JSONValue.Member], BadRecord>?

    package init(
        line: Int, bytes: UnsafeRawBufferPointer, key: String?, content: Result<[JSONValue.Member], BadRecord>
    ) {
        (self.line, self.bytes, self.key, isRead, members) = (line, bytes, key, false, content)
    }
}

/// The reason why a record cannot be read, and its position.
package struct BadRecord: Error {
    package let line: Int
    package let message: String

    package init(line: Int, message: String) { (self.line, self.message) = (line, message) }
}

/// The records of an input, one after the other.
package protocol RecordSource {
    /// The next record; nil after the last.
    ///
    /// - Throws: if the ends of records cannot be found.
    mutating func next() throws -> InputRecord?
    /// The part of the input that has been read, from 0 to 1.
    var fraction: Double { get }
}

extension InputRecord {
    /// A record that is JSON text, which is not parsed yet.
    package init(json bytes: UnsafeRawBufferPointer, line: Int, key: String? = nil, isRead: Bool = false) {
        (self.line, self.bytes, self.key, self.isRead, members) = (line, bytes, key, isRead, nil)
    }

    /// Its members, or its problem. JSON is parsed for each call.
    package var content: Result<[JSONValue.Member], BadRecord> {
        if let members { return members }
        do throws(JSONProblem) {
            let value = try JSONParser.parse(bytes)
            if case .object(let members) = value {
                return .success(members)
            } else {
                return .failure(BadRecord(line: line, message: "A record must be an object; this is \(value.kind)."))
            }
        } catch {
            // What is missing at the end is missing where the text ends, not after the white space.
            let end = bytes.lastIndex { !$0.isJSONSpace } ?? 0
            let newlines = bytes.prefix(min(error.offset, end)).count { $0 == 0x0A }
            return .failure(BadRecord(line: line + newlines, message: error.message))
        }
    }
}

/// Newline-delimited JSON: an object a line. Empty lines are passed over.
package struct LineSource: RecordSource {
    private let input: InputBuffer
    private var consumed = 0

    package init(_ input: InputBuffer) { self.input = input }

    package var fraction: Double { input.fraction }

    package mutating func next() throws -> InputRecord? {
        input.consume(consumed)
        consumed = 0
        try input.skipSpace()
        guard try input.peek() != nil else { return nil }
        var scanner = LineScanner()
        consumed = try input.length(&scanner) ?? input.available.count
        return InputRecord(json: UnsafeRawBufferPointer(rebasing: input.available.prefix(consumed)), line: input.line)
    }
}

/// One JSON array of objects, or one object whose members are the records, perhaps inside of other objects. With a path also
/// one record, or, where the path is empty, one on each line.
package struct DocumentSource: RecordSource {
    private let input: InputBuffer
    private var isKeyed: Bool
    /// The members that lead to the records; nil for an input that has nothing else.
    private let path: [String]?
    private var state = State.before
    private var consumed = 0

    private enum State { case before, first, inside, single, lines, ended }

    /// - Parameter isKeyed: whether it is an object.
    package init(_ input: InputBuffer, isKeyed: Bool) {
        self.input = input
        self.isKeyed = isKeyed
        path = nil
    }

    /// - Parameter path: the members that lead to an array of records, or to one record.
    package init(_ input: InputBuffer, at path: [String]) {
        self.input = input
        isKeyed = false
        self.path = path
    }

    package var fraction: Double { input.fraction }

    /// True for one record, false for an array.
    var isSingle: Bool { state == .single }

    package mutating func next() throws -> InputRecord? { try next(by: nil) }

    /// - Parameter reader: reads the records that it can.
    mutating func next(by reader: JSONRows?) throws -> InputRecord? {
        input.consume(consumed)
        consumed = 0
        if state == .before {
            if let path { try descend(path) }
            if path != nil, try input.peek() != UInt8(ascii: "[") {
                state = .single
                return try record(nil, reader)
            }
            try expect(isKeyed ? "{" : "[", "the beginning")
            state = .first
        }
        if state == .single || state == .lines {
            guard try isAtLine() else { return nil }
            return try record(nil, reader)
        }
        guard try isAtRecord() else { return nil }
        let key = isKeyed ? try readKey() : nil
        try input.skipSpace()
        return try record(key, reader)
    }

    /// The value that is next.
    private mutating func record(_ key: String?, _ reader: JSONRows?) throws -> InputRecord {
        let line = input.line
        let tried = input.available
        if let reader, let length = reader.add(tried) {
            consumed = length
            return InputRecord(json: UnsafeRawBufferPointer(rebasing: tried.prefix(length)), line: line, isRead: true)
        }
        let triedCount = tried.count
        var scanner = JSONValueScanner()
        if let length = try input.length(&scanner) {
            consumed = length
        } else if state == .single || state == .lines {
            // A word or a number may end with the text.
            consumed = input.available.count
            guard consumed > 0 else { throw fatal("the text ends where a record should be", isWhole: true) }
        } else {
            throw fatal("the text ends inside a record")
        }
        let bytes = UnsafeRawBufferPointer(rebasing: input.available.prefix(consumed))
        // It may have been cut where the buffer ended.
        let isRead = if let reader, consumed > triedCount { reader.add(bytes) != nil } else { false }
        return InputRecord(json: bytes, line: line, key: key, isRead: isRead)
    }

    /// Skips the separators between records; returns false after the last.
    private mutating func isAtRecord() throws -> Bool {
        guard state != .ended else { return false }
        try input.skipSpace()
        if try input.peek() == UInt8(ascii: isKeyed ? "}" : "]") {
            input.consume(1)
            try end()
            return false
        }
        if state == .inside {
            try expect(",", "after a record")
            try input.skipSpace()
            if try input.peek() == UInt8(ascii: isKeyed ? "}" : "]") { throw fatal("there is no record after a comma") }
        }
        state = .inside
        try input.skipSpace()
        if try input.peek() == UInt8(ascii: ",") { throw fatal("there is no record before a comma") }
        return true
    }

    // MARK: What is around the records

    private func descend(_ path: [String]) throws {
        for name in path {
            try input.skipSpace()
            guard try input.peek() == UInt8(ascii: "{") else {
                throw fatal("there is no object that has \(name)", isWhole: true)
            }
            input.consume(1)
            try input.skipSpace()
            while try input.peek() == UInt8(ascii: "\""), try StoredName(readKey()) != StoredName(name) {
                try passValue()
                if try input.peek() == UInt8(ascii: ",") { input.consume(1) }
                try input.skipSpace()
            }
            guard try input.peek() != UInt8(ascii: "}") else {
                throw fatal("there is no \(path.joined(separator: "."))", isWhole: true)
            }
        }
        try input.skipSpace()
    }

    private func passValue() throws {
        try input.skipSpace()
        var scanner = JSONValueScanner()
        try input.pass(&scanner)
        try input.skipSpace()
    }

    /// Returns whether another record follows the first one, which was no array.
    private mutating func isAtLine() throws -> Bool {
        guard state != .ended else { return false }
        let line = input.line
        try input.skipSpace()
        // On the same line it would be text after the end.
        guard path?.isEmpty == true, input.line > line, try input.peek() == UInt8(ascii: "{") else {
            try end()
            return false
        }
        state = .lines
        return true
    }

    /// Passes over what follows the records.
    private mutating func end() throws {
        state = .ended
        for _ in path ?? [] {
            try input.skipSpace()
            while try input.peek() == UInt8(ascii: ",") {
                input.consume(1)
                try input.skipSpace()
                _ = try readKey()
                try passValue()
            }
            try expect("}", "after the records")
        }
        try input.skipSpace()
        guard try input.peek() == nil else { throw fatal("there is text after the end") }
    }

    private func readKey() throws -> String {
        var scanner = JSONValueScanner()
        guard try input.peek() == UInt8(ascii: "\""), let length = try input.length(&scanner),
            case .string(let key)? = try? JSONParser.parse(
                UnsafeRawBufferPointer(rebasing: input.available.prefix(length)))
        else { throw fatal("there is no name before a record") }
        input.consume(length)
        try expect(":", "after a record's name")
        return key
    }

    private func expect(_ character: Unicode.Scalar, _ place: String) throws {
        try input.skipSpace()
        guard try input.peek() == UInt8(ascii: character) else { throw fatal("there is no \(character) \(place)") }
        input.consume(1)
    }

    private func fatal(_ problem: String, isWhole: Bool = false) -> InputProblem {
        InputProblem(
            "\(input.name), line \(input.line): \(problem)"
                + (isWhole ? "." : "; nothing after it can be read."))
    }
}
