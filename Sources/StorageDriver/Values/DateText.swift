/// Dates as ISO 8601 text: `2021-01-02`, `2021-01-02 03:04:05.678`, `2021-01-02T03:04:05Z`, `2021-01-02 03:04+02:00`.
/// Without a zone they are UTC, as for SQLite (<https://sqlite.org/lang_datefunc.html>). Years are 0000 to 9999 of the
/// Gregorian calendar.
///
/// A store keeps a date as seconds since 2001 in a Double; each text that is written here gives the same Double back.
package enum DateText {
    static let secondsPerDay: Int64 = 86400
    /// The days from 0000-03-01 to 2001-01-01, where `Date` counts from.
    static let referenceDay: Int64 = 730_791

    // MARK: Reading

    /// The seconds since 2001-01-01 00:00 UTC; nil if the text is not such a date.
    package static func seconds(_ text: String) -> Double? {
        var text = text
        return text.withUTF8 { seconds(UnsafeRawBufferPointer($0)) }
    }

    /// The same of the bytes of a text.
    package static func seconds(_ text: UnsafeRawBufferPointer) -> Double? {
        var rest = DateScanner(text)
        guard let year = rest.number(4), rest.take("-"), let month = rest.number(2), rest.take("-"),
            let day = rest.number(2), (1...12).contains(month), day >= 1, day <= days(in: month, of: year)
        else { return nil }
        var whole = (dayNumber(year: year, month: month, day: day) - referenceDay) * secondsPerDay
        guard !rest.isAtEnd else { return Double(whole) }
        guard rest.take("T") || rest.take(" ") || rest.take("t"), let time = time(&rest),
            let offset = zone(&rest), rest.isAtEnd
        else { return nil }
        whole += time.whole - offset
        return time.fraction.isEmpty ? Double(whole) : number(whole, Array(time.fraction))
    }

    /// The number nearest to the whole seconds and the digits after them.
    private static func number(_ whole: Int64, _ fraction: [UInt8]) -> Double? {
        guard whole < 0, let rest = complement(fraction) else { return Double(decimal(whole, fraction)) }
        // -1 and .9 are -0.1.
        return Double(decimal(-whole - 1, rest)).map { -$0 }
    }

    private static func decimal(_ whole: Int64, _ fraction: [UInt8]) -> String {
        "\(whole)." + (fraction.isEmpty ? "0" : "") + String(decoding: fraction, as: UTF8.self)
    }

    /// The digits of the difference to the next whole number; nil without any.
    private static func complement(_ digits: [UInt8]) -> [UInt8]? {
        guard let last = digits.lastIndex(where: { $0 != 0x30 }) else { return nil }
        return digits[..<last].map { 0x69 - $0 } + [0x6A - digits[last]]
    }

    private static func time(_ rest: inout DateScanner) -> (whole: Int64, fraction: UnsafeRawBufferPointer)? {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let hour = rest.number(2), hour < 24, rest.take(":"), let minute = rest.number(2), minute < 60
        else { return nil }
        let whole = hour * 3600 + minute * 60
        guard rest.take(":") else { return (whole, none) }
        guard let second = rest.number(2), second < 60 else { return nil }
        guard rest.take(".") else { return (whole + second, none) }
        let digits = rest.digits()
        return digits.isEmpty ? nil : (whole + second, digits)
    }

    /// The zone's seconds east of UTC; nil if the rest is not a zone.
    private static func zone(_ rest: inout DateScanner) -> Int64? {
        _ = rest.take(" ")
        if rest.isAtEnd || rest.take("Z") || rest.take("z") { return 0 }
        let isWest = rest.take("-")
        guard isWest || rest.take("+"), let hours = rest.number(2), hours < 24 else { return nil }
        _ = rest.take(":")
        let minutes = rest.isAtEnd ? 0 : rest.number(2)
        guard let minutes, minutes < 60 else { return nil }
        return (hours * 3600 + minutes * 60) * (isWest ? -1 : 1)
    }

    // MARK: Writing

    /// The text in UTC with as many digits of a second as it takes: `2026-11-21T09:57:11.25Z`. Nil outside the years that
    /// have a text, and where that would be more than nine digits.
    package static func text(_ seconds: Double) -> String? {
        wholeText(seconds) ?? text(seconds, Style(separator: "T", zone: "Z", widths: Array(0...9), hasTime: true))
    }

    /// The same of whole seconds; nil for others. Most dates are such.
    private static func wholeText(_ seconds: Double) -> String? {
        withWholeText(seconds) { String(decoding: $0, as: UTF8.self) }
    }

    /// Calls the closure with the text of whole seconds; returns nil, without a call, for others and outside the years that have a
    /// text.
    package static func withWholeText<R>(_ seconds: Double, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        guard seconds.magnitude < 4e11, let count = Int64(exactly: seconds) else { return nil }
        let second = second(ofDay: count)
        let (year, month, day) = calendarDay((count - second) / secondsPerDay + referenceDay)
        guard (0...9999).contains(year) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: 20, alignment: 1) { bytes in
            var place = 0
            func append(_ number: Int64, _ width: Int, end: Unicode.Scalar) {
                var rest = number
                for offset in (0..<width).reversed() {
                    bytes[place + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                    rest /= 10
                }
                bytes[place + width] = UInt8(ascii: end)
                place += width + 1
            }
            append(year, 4, end: "-")
            append(month, 2, end: "-")
            append(day, 2, end: "T")
            append(second / 3600, 2, end: ":")
            append(second / 60 % 60, 2, end: ":")
            append(second % 60, 2, end: "Z")
            return body(UnsafeRawBufferPointer(bytes))
        }
    }

    /// The text in the format of a sample: its separator, its zone's sign and at least its digits of a second; a date
    /// alone only if no time is lost. Nil outside the years that have a text, and within 0.0001 seconds of 2001, where
    /// numbers are too fine.
    package static func text(_ seconds: Double, like sample: String) -> String? { text(seconds, Style(sample)) }

    private static func text(_ seconds: Double, _ style: Style) -> String? {
        guard seconds.magnitude < 4e11 else { return nil }
        let whole = seconds.rounded(.down)
        guard let count = Int64(exactly: whole) else { return nil }
        let second = second(ofDay: count)
        guard let date = date((count - second) / secondsPerDay + referenceDay) else { return nil }
        if !style.hasTime, second == 0, whole == seconds { return date }
        let time = "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        guard let digits = fraction(of: seconds, style) else { return nil }
        return date + style.separator + time + (digits.isEmpty ? "" : ".") + digits + style.zone
    }

    private struct Style {
        var separator = " "
        var zone = ""
        /// The least digits of a second.
        var digits = 0
        /// The permitted numbers of digits; nil for groups of three, and more where it takes more.
        var widths: [Int]?
        var hasTime: Bool

        init(separator: String, zone: String, widths: [Int], hasTime: Bool) {
            (self.separator, self.zone, self.widths, self.hasTime) = (separator, zone, widths, hasTime)
        }

        init(_ sample: String) {
            let time = sample.utf8.dropFirst(10)
            hasTime = !time.isEmpty
            if time.first == UInt8(ascii: "T") { separator = "T" }
            if time.last == UInt8(ascii: "Z") { zone = "Z" }
            if time.contains(UInt8(ascii: "+")) || time.contains(UInt8(ascii: "-")) { zone = "+00:00" }
            let fraction = time.drop { $0 != UInt8(ascii: ".") }.dropFirst()
            digits = min(fraction.prefix { $0 >= 0x30 && $0 <= 0x39 }.count, 9)
        }
    }

    /// The digits after the whole seconds, as few as identify the number, padded as the style demands.
    private static func fraction(of seconds: Double, _ style: Style) -> String? {
        let parts = seconds.magnitude.description.utf8.split(separator: UInt8(ascii: "."))
        guard parts.count == 2, !parts[1].contains(UInt8(ascii: "e")) else { return nil }
        var digits = Array(parts[1])
        if seconds < 0, let rest = complement(digits) { digits = rest }
        if digits == [0x30] { digits = [] }
        let least = max(digits.count, style.digits)
        guard
            let width = (style.widths ?? [0, 3, 6, 9]).first(where: { $0 >= least })
                ?? (style.widths == nil ? least : nil)
        else { return nil }
        return String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: width - digits.count)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }

    // MARK: The calendar

    // A year that begins in March has its leap day at its end, and 400 years have 146,097 days.

    private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let months = (month + 9) % 12
        let leapDays = floor(years, 4) - floor(years, 100) + floor(years, 400)
        return years * 365 + leapDays + (months * 153 + 2) / 5 + day - 1
    }

    /// The seconds since midnight.
    static func second(ofDay seconds: Int64) -> Int64 { ((seconds % secondsPerDay) + secondsPerDay) % secondsPerDay }

    private static func date(_ number: Int64) -> String? {
        let (year, month, day) = calendarDay(number)
        guard (0...9999).contains(year) else { return nil }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    /// The day that is so many days after 0000-03-01.
    static func calendarDay(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let era = floor(number, 146_097)
        let day = number - era * 146_097
        let years = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (years * 365 + years / 4 - years / 100)
        let months = (dayOfYear * 5 + 2) / 153
        let month = months < 10 ? months + 3 : months - 9
        let year = era * 400 + years + (month > 2 ? 0 : 1)
        return (year, month, dayOfYear - (months * 153 + 2) / 5 + 1)
    }

    private static func days(in month: Int64, of year: Int64) -> Int64 {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        number >= 0 ? number / divisor : -((divisor - 1 - number) / divisor)
    }
}

/// Takes a date's text apart.
private struct DateScanner {
    private let bytes: UnsafeRawBufferPointer
    private var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func take(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// A number of so many digits, at most four.
    mutating func number(_ count: Int) -> Int64? {
        guard bytes.count - position >= count else { return nil }
        var value: Int64 = 0
        for index in position..<position + count {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        position += count
        return value
    }

    /// All digits that are next.
    mutating func digits() -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<position])
    }
}
