/// Instants as ISO 8601 text in UTC: `2026-11-21T09:57:11.25Z`.
///
/// A store keeps a date as seconds since 2001 in a Double. The text has as many digits of a second as it takes to give
/// the same Double back.
enum DateText {
    private static let secondsOfDay = 86_400.0
    /// Days from 0000-03-01 to 2001-01-01 in the proleptic Gregorian calendar.
    private static let epochDay = 730_791

    /// The text; nil where the instant is no number, or not in the years 1 to 9999, or finer than nanoseconds.
    static func text(_ seconds: Double) -> String? {
        guard seconds.isFinite, abs(seconds) < 300_000_000_000 else { return nil }
        let whole = seconds.rounded(.down)
        let day = (whole / secondsOfDay).rounded(.down)
        let (year, month, dayOfMonth) = civil(Int(day) + epochDay)
        guard (1...9999).contains(year) else { return nil }
        let second = Int(whole - day * secondsOfDay)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }.joined(separator: ":")
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
        guard let fraction = fraction(seconds, whole) else { return nil }
        return "\(date)T\(clock)\(fraction)Z"
    }

    private static func fraction(_ seconds: Double, _ whole: Double) -> String? {
        if seconds == whole { return "" }
        var scale = 1.0
        for digits in 1...9 {
            scale *= 10
            let part = ((seconds - whole) * scale).rounded()
            if part < scale, whole + part / scale == seconds { return "." + padded(Int(part), digits) }
        }
        return nil
    }

    // MARK: Reading

    /// The seconds since 2001 of a text `2026-11-21T09:57:11.25Z`, whose time, fraction and zone may be left out (then it
    /// is midnight, and UTC); nil where it is none.
    static func seconds(_ text: String) -> Double? {
        var rest = Substring(text)
        guard let year = number(&rest, 4), take(&rest, "-"), let month = number(&rest, 2), take(&rest, "-"),
            let day = number(&rest, 2), year > 0, (1...12).contains(month), day > 0, day <= days(in: month, of: year)
        else { return nil }
        let midnight = Double(self.day(year, month, day) - epochDay) * secondsOfDay
        guard !rest.isEmpty else { return midnight }
        guard take(&rest, "T") || take(&rest, " ") || take(&rest, "t") else { return nil }
        guard let hour = number(&rest, 2), take(&rest, ":"), let minute = number(&rest, 2), hour < 24, minute < 60
        else { return nil }
        let second = take(&rest, ":") ? number(&rest, 2) : 0
        guard let second, second < 60 else { return nil }
        let fraction = take(&rest, ".") ? self.fraction(&rest) : 0
        guard let fraction, let zone = zone(&rest), rest.isEmpty else { return nil }
        return midnight + Double(hour * 3600 + minute * 60 + second - zone) + fraction
    }

    private static func take(_ rest: inout Substring, _ character: Character) -> Bool {
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    private static func number(_ rest: inout Substring, _ digits: Int) -> Int? {
        let text = rest.prefix(digits)
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest.removeFirst(digits)
        return Int(text)
    }

    private static func fraction(_ rest: inout Substring) -> Double? {
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard (1...18).contains(digits.count), let number = Double(digits) else { return nil }
        rest.removeFirst(digits.count)
        // Powers of ten up to 10^22 are exact, so this is the same division that wrote the digits.
        return number / (0..<digits.count).reduce(1.0) { scale, _ in scale * 10 }
    }

    /// Seconds east of UTC.
    private static func zone(_ rest: inout Substring) -> Int? {
        if rest.isEmpty || take(&rest, "Z") || take(&rest, "z") { return 0 }
        let sign = take(&rest, "+") ? 1 : take(&rest, "-") ? -1 : 0
        guard sign != 0, let hours = number(&rest, 2), hours < 24 else { return nil }
        _ = take(&rest, ":")
        guard !rest.isEmpty else { return sign * hours * 3600 }
        guard let minutes = number(&rest, 2), minutes < 60 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }

    // MARK: Calendar

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    /// The day counted from 0000-03-01; the year is not negative.
    private static func day(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let yearOfEra = year % 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year / 400 * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    }

    /// Year, month and day of a day counted from 0000-03-01, by the usual arithmetic of 400-year eras.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let era = (day >= 0 ? day : day - 146_096) / 146_097
        let dayOfEra = day - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let year = yearOfEra + era * 400 + (month < 10 ? 0 : 1)
        return (year, month < 10 ? month + 3 : month - 9, dayOfYear - (153 * month + 2) / 5 + 1)
    }
}
