internal import Foundation
internal import StorageDriver

/// Converts values from the representations of other software to the store's, and back.
///
/// A stored value that is not of the type is passed unchanged, and decoding it throws `typeMismatch`; so other rows
/// stay readable. A value that the column cannot preserve is refused when it is written.
enum ForeignValue {
    // MARK: Dates

    /// Seconds from 1970 to 2001.
    private static let unixReference = 978_307_200.0
    /// The Unix seconds of the years 0000 to 9999. Milliseconds, which would be dates of far-off years, are beyond.
    private static let unixRange = -62_167_219_200.0..<253_402_300_800.0
    /// The Julian days that SQLite's functions accept: up to the year 9999.
    private static let julianRange = 0.0..<5_373_484.5
    /// The milliseconds from Julian day 0 to 2001.
    private static let julianReference = 211_845_067_200_000.0

    /// Text is ISO 8601, an integer Unix seconds and a real a Julian day, as <https://sqlite.org/datatype3.html>, section
    /// 2.2 has them; a real beyond Julian days is Unix seconds. Julian days are read to the millisecond, as SQLite does.
    static func readDate(_ value: Value) -> Value {
        switch value {
        case .text(let text): DateText.seconds(text).map(Value.double) ?? value
        case .int(let seconds): unixRange.contains(Double(seconds)) ? .double(Double(seconds) - unixReference) : value
        case .double(let days) where julianRange.contains(days):
            .double(((days * 86_400_000).rounded() - julianReference) / 1000)
        case .double(let seconds) where unixRange.contains(seconds): .double(seconds - unixReference)
        // A real would decode as seconds since 2001.
        case .double(let number): .text(number.description)
        default: value
        }
    }

    /// - Parameter sample: a value of the column, whose representation is used. A number keeps a date to the
    ///   millisecond at least; if it cannot, the date becomes text.
    /// - Throws: `invalidValue` outside the years 0000 to 9999.
    static func writeDate(_ value: Value, like sample: Value) throws(StorageError) -> Value {
        guard case .double(let seconds) = value else { return value }
        if let number = number(seconds, like: sample), case .double(let back) = readDate(number),
            (back - seconds).magnitude < 0.0005
        {
            return number
        }
        var style = "0000-00-00 00:00:00"
        if case .text(let text) = sample { style = text }
        if let text = DateText.text(seconds, like: style) { return .text(text) }
        throw StorageError(
            .invalidValue,
            "The date, \(seconds) seconds from 2001, cannot be represented in a column of other software.")
    }

    private static func number(_ seconds: Double, like sample: Value) -> Value? {
        let unix = seconds + unixReference
        switch sample {
        case .int: return Int64(exactly: unix).map(Value.int) ?? .double(unix)
        case .double(let number) where julianRange.contains(number):
            let days = ((seconds * 1000).rounded() + julianReference) / 86_400_000
            // The column may turn a whole number into an integer, which would be read as Unix seconds.
            return days.rounded() == days ? nil : .double(days)
        case .double: return .double(unix)
        default: return nil
        }
    }

    // MARK: UUIDs

    /// Text of 36 characters, or 16 bytes.
    static func readUUID(_ value: Value) -> Value {
        guard case .text(let text) = value, text.utf8.count == 36 else { return value }
        return UUID(uuidString: text).map { withUnsafeBytes(of: $0.uuid) { .blob(Array($0)) } } ?? value
    }

    /// - Parameter sample: a value of the column, whose representation and case of letters are used.
    static func writeUUID(_ value: Value, like sample: Value) -> Value {
        guard case .blob(let bytes) = value, bytes.count == 16, case .text(let style) = sample else { return value }
        let text = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).uuidString }
        return .text(style.utf8.contains { $0 >= 0x61 } ? text.lowercased() : text)
    }

    // MARK: Decimals

    /// A number, or the text of one. A real gets the fewest digits that identify it, so that 1.98 is 1.98.
    static func readDecimal(_ value: Value) -> Value {
        let digits: String
        switch value {
        case .int(let number): digits = String(number)
        case .double(let number) where number.isFinite: digits = number.description
        case .text(let text): digits = text
        default: return value
        }
        if let canonical = DecimalText.canonical(digits) { return .text(canonical) }
        // Only an exponent is left.
        guard case .double = value, let decimal = Decimal(string: digits) else { return value }
        return decimal.storedText.map(Value.text) ?? value
    }

    /// - Parameter isReal: whether the column turns integers into reals.
    /// - Throws: `invalidValue` if neither an integer nor a real equals the number.
    static func writeDecimal(_ value: Value, isReal: Bool) throws(StorageError) -> Value {
        guard case .text(let text) = value else { return value }
        if let integer = Int64(text), !isReal { return .int(integer) }
        if let real = Double(text), readDecimal(.double(real)) == value { return .double(real) }
        throw StorageError(
            .invalidValue, "\(text) has more digits than a column of numbers holds; round it, or make the column TEXT.")
    }

    // MARK: Text

    /// Text, or a number as its digits.
    static func readText(_ value: Value) -> Value {
        switch value {
        case .int(let number): .text(String(number))
        case .double(let number): .text(number.description)
        default: value
        }
    }

    /// For a column that turns the text of a number into the number.
    ///
    /// - Throws: `invalidValue` if that number would be read as another text: `007` as `7`.
    static func writeText(_ value: Value) throws(StorageError) -> Value {
        guard case .text(let text) = value, let number = numeric(text), readText(number) != value else { return value }
        throw StorageError(
            .invalidValue,
            "\(value) would become the number \(number), since the column's type turns text into numbers.")
    }

    /// The number that SQLite's numeric affinity makes of a text.
    private static func numeric(_ text: String) -> Value? {
        let trimmed = text.utf8.drop(while: isSpace).reversed().drop(while: isSpace).reversed()
        let isPlain = trimmed.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0) }
        let literal = String(decoding: trimmed, as: UTF8.self)
        guard isPlain, !trimmed.isEmpty else { return nil }
        if let integer = Int64(literal) { return .int(integer) }
        guard let real = Double(literal) else { return nil }
        return Int64(exactly: real).map(Value.int) ?? .double(real)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }
}
