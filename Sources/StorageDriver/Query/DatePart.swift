import Synchronization

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A part of a date as a number, in the Gregorian calendar of all times (ISO 8601) and a time zone.
///
/// Every date has every part: one outside the years 1 to 9999, or NaN, counts as the nearest instant in them, and NaN as the
/// last.
public enum DatePart: String, Hashable, Sendable, CaseIterable {
    case year
    /// From 1 to 12.
    case month
    /// The day of the month, from 1.
    case day
    /// From 1 for a Sunday to 7 for a Saturday, as in `Calendar`.
    case weekday
    /// From 0 to 23.
    case hour

    /// The whole seconds since 2001 in a calendar of years 1 to 9999.
    package static let seconds: ClosedRange<Int64> = -63_113_904_000...252_423_993_599

    /// The part of a date that a store keeps as seconds since 2001; null for null.
    ///
    /// - Throws: `invalidQuery` if the system does not know the time zone.
    public func value(of date: Value, in zone: DateZone) throws(StorageError) -> Value {
        let seconds: Double
        switch date {
        case .double(let number): seconds = number
        case .int(let number): seconds = Double(number)
        default: return .null
        }
        let (first, last) = (Double(Self.seconds.lowerBound), Double(Self.seconds.upperBound))
        // Every comparison with NaN is false.
        let instant = seconds < last ? max(seconds, first).rounded(.down) : last
        let local = Int64(instant) + Self.bounded(Int64(try zone.offset(at: instant)))
        return .int(part(of: Self.bounded(local)))
    }

    private static func bounded(_ seconds: Int64) -> Int64 {
        min(max(seconds, Self.seconds.lowerBound), Self.seconds.upperBound)
    }

    private func part(of seconds: Int64) -> Int64 {
        let second = DateText.second(ofDay: seconds)
        let days = (seconds - second) / DateText.secondsPerDay
        switch self {
        case .hour: return second / 3600
        // 2001 began with a Monday.
        case .weekday: return ((days + 1) % 7 + 7) % 7 + 1
        case .year: return DateText.calendarDay(days + DateText.referenceDay).year
        case .month: return DateText.calendarDay(days + DateText.referenceDay).month
        case .day: return DateText.calendarDay(days + DateText.referenceDay).day
        }
    }
}

/// The time zone in which a query takes parts of a date.
public enum DateZone: Hashable, Sendable {
    /// A number of seconds east of UTC at all times; 0 for UTC.
    case offset(Int)
    /// A zone by its identifier, with the offsets that the system on which the query runs knows: `Europe/Berlin`.
    case named(String)

    private static let known = Mutex<[String: TimeZone]>([:])

    /// The seconds east of UTC at an instant, in seconds since 2001.
    func offset(at instant: Double) throws(StorageError) -> Int {
        guard case .named(let name) = self else {
            if case .offset(let seconds) = self { return seconds }
            return 0
        }
        guard let zone = Self.zone(name) else {
            throw StorageError(
                .invalidQuery, "This system knows no time zone \(name); give an identifier such as Europe/Berlin.")
        }
        return zone.secondsFromGMT(for: Date(timeIntervalSinceReferenceDate: instant))
    }

    /// The zone of an identifier; nil if the system knows none.
    package init?(identifier: String) {
        guard let zone = Self.zone(identifier) else { return nil }
        self.init(identifier: identifier, offset: zone.secondsFromGMT())
    }

    /// A zone by its identifier. GMT and UTC have an offset, which is the same at all times.
    package init(identifier: String, offset: Int) {
        let isFixed = identifier.hasPrefix("GMT") || ["UTC", "Etc/UTC", "Etc/GMT"].contains(identifier)
        self = isFixed ? .offset(offset) : .named(identifier)
    }

    private static func zone(_ name: String) -> TimeZone? {
        known.withLock { known in
            if let zone = known[name] { return zone }
            let zone = TimeZone(identifier: name)
            // Unknown names are not kept, so a hostile text does not fill the memory.
            known[name] = zone
            return zone
        }
    }
}
