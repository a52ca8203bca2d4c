import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The numbers are as `Calendar(identifier: .iso8601)` has them in the time zone: the Gregorian calendar at all times. Each engine
// gives the same ones; a zone with summer time follows the rules that the program's system knows. A date outside the
// years 1 to 9999 counts as the nearest instant in them.

extension QueryExpression {
    fileprivate func part<W>(_ part: DatePart, in zone: TimeZone) -> QueryExpression<W> {
        let zone = DateZone(identifier: zone.identifier, offset: zone.secondsFromGMT())
        return QueryExpression<W>(.datePart(part, node, zone), depth: depth + 1)
    }
}

extension QueryExpression where V == Date {
    /// The date's year in a time zone, to group, filter and sort by.
    ///
    /// ```swift
    /// let sales = try await store.select(Invoice.self)
    ///     .group { $0.date.year(in: .gmt) }
    ///     .all { ($0.key, $0.sum { $0.total }) }
    /// ```
    public func year(in zone: TimeZone) -> QueryExpression<Int> { part(.year, in: zone) }
    /// The date's month in a time zone, from 1 to 12.
    public func month(in zone: TimeZone) -> QueryExpression<Int> { part(.month, in: zone) }
    /// The date's day of the month in a time zone, from 1.
    public func day(in zone: TimeZone) -> QueryExpression<Int> { part(.day, in: zone) }
    /// The date's weekday in a time zone, from 1 for a Sunday to 7 for a Saturday.
    public func weekday(in zone: TimeZone) -> QueryExpression<Int> { part(.weekday, in: zone) }
    /// The date's hour in a time zone, from 0 to 23.
    public func hour(in zone: TimeZone) -> QueryExpression<Int> { part(.hour, in: zone) }
}

extension QueryExpression where V == Date? {
    /// The date's year in a time zone; nil for nil.
    public func year(in zone: TimeZone) -> QueryExpression<Int?> { part(.year, in: zone) }
    /// The date's month in a time zone, from 1 to 12; nil for nil.
    public func month(in zone: TimeZone) -> QueryExpression<Int?> { part(.month, in: zone) }
    /// The date's day of the month in a time zone, from 1; nil for nil.
    public func day(in zone: TimeZone) -> QueryExpression<Int?> { part(.day, in: zone) }
    /// The date's weekday in a time zone, from 1 for a Sunday to 7 for a Saturday; nil for nil.
    public func weekday(in zone: TimeZone) -> QueryExpression<Int?> { part(.weekday, in: zone) }
    /// The date's hour in a time zone, from 0 to 23; nil for nil.
    public func hour(in zone: TimeZone) -> QueryExpression<Int?> { part(.hour, in: zone) }
}
