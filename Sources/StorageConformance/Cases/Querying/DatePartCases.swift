internal import Foundation
internal import StorageAPI
import StorageDriver

extension Conformance {
    /// An instant with its parts in UTC: year, month, day, weekday, hour.
    private static let instants: [(text: String, parts: [Int])] = [
        ("2001-01-01T00:00:00Z", [2001, 1, 1, 2, 0]), ("2000-12-31T23:59:59.999Z", [2000, 12, 31, 1, 23]),
        ("1970-01-01T00:00:00Z", [1970, 1, 1, 5, 0]), ("1969-12-31T23:00:00.5Z", [1969, 12, 31, 4, 23]),
        ("2000-02-29T12:30:00Z", [2000, 2, 29, 3, 12]), ("2024-02-29T23:59:59Z", [2024, 2, 29, 5, 23]),
        ("2023-03-01T00:00:00Z", [2023, 3, 1, 4, 0]), ("1900-02-28T23:59:59Z", [1900, 2, 28, 4, 23]),
        ("1900-03-01T00:00:00Z", [1900, 3, 1, 5, 0]), ("1582-10-10T01:00:00Z", [1582, 10, 10, 1, 1]),
        ("0001-01-01T00:00:00Z", [1, 1, 1, 2, 0]), ("9999-12-31T23:59:59Z", [9999, 12, 31, 6, 23]),
    ]

    /// Instants of zones with summer time, of an unusual offset and of a fixed one, with their parts there.
    private static let zoned: [(zone: String, text: String, parts: [Int])] = [
        ("Europe/Berlin", "2024-03-31T00:59:59Z", [2024, 3, 31, 1, 1]),
        ("Europe/Berlin", "2024-03-31T01:00:00Z", [2024, 3, 31, 1, 3]),
        ("Europe/Berlin", "2024-10-27T00:30:00Z", [2024, 10, 27, 1, 2]),
        ("Europe/Berlin", "2024-10-27T01:30:00Z", [2024, 10, 27, 1, 2]),
        ("Europe/Berlin", "2023-12-31T23:30:00Z", [2024, 1, 1, 2, 0]),
        ("Europe/London", "1969-01-15T23:30:00Z", [1969, 1, 16, 5, 0]),
        ("America/New_York", "2024-11-03T05:30:00Z", [2024, 11, 3, 1, 1]),
        ("America/New_York", "2024-11-03T06:30:00Z", [2024, 11, 3, 1, 1]),
        ("America/New_York", "2024-02-29T02:00:00Z", [2024, 2, 28, 4, 21]),
        ("Asia/Kathmandu", "2024-02-28T18:20:00Z", [2024, 2, 29, 5, 0]),
        ("GMT-0330", "2021-01-01T03:00:00Z", [2020, 12, 31, 5, 23]),
    ]

    private static func date(_ text: String) -> Date {
        DateText.seconds(text).map { Date(timeIntervalSinceReferenceDate: $0) } ?? .distantPast
    }

    private static func parts(
        _ query: Select<Holder<Date>, Store>, in zone: TimeZone
    ) async throws -> [Int: [Int]] {
        let groups = query.group {
            (
                $0.id, $0.value.year(in: zone), $0.value.month(in: zone), $0.value.day(in: zone),
                $0.value.weekday(in: zone), $0.value.hour(in: zone)
            )
        }
        let found = try await groups.all { ($0.key.0, $0.key.1, $0.key.2, $0.key.3, $0.key.4, $0.key.5) }
        return found.reduce(into: [:]) { $0[$1.0] = [$1.1, $1.2, $1.3, $1.4, $1.5] }
    }

    /// Q3: parts of dates.
    static let datePartCases: [ConformanceCase] = [
        ConformanceCase(
            "dates/parts", for: [.q3: [11]],
            "A date has the parts of the Gregorian calendar in UTC, before 1970, in leap years and at the ends of its years."
        ) { t in
            let store = try await t.open(Holder<Date>.self)
            let holders = instants.enumerated().map { Holder(id: $0, value: date($1.text), optional: nil) }
            let beyond = [-1e300, 1e300, -6.4e10, 2.6e11].enumerated().map {
                Holder(id: 100 + $0, value: Date(timeIntervalSinceReferenceDate: $1), optional: nil)
            }
            try await store.insert(holders + beyond)
            let found = try await parts(store.store.select(Holder<Date>.self), in: .gmt)
            for (id, instant) in instants.enumerated() {
                try t.expect(found[id], equals: instant.parts, "The parts of \(instant.text).")
            }
            for (id, parts) in zip(100..., [instants[10], instants[11], instants[10], instants[11]].map(\.parts)) {
                try t.expect(found[id], equals: parts, "The parts of a date beyond the years 1 to 9999.")
            }
        },
        ConformanceCase(
            "dates/zones", for: [.q3: [11]],
            "A date has the parts of the time zone that the query states, also where summer time begins and ends."
        ) { t in
            let store = try await t.open(Holder<Date>.self)
            try await store.insert(
                zoned.enumerated().map { Holder(id: $0, value: date($1.text), optional: nil) })
            for (id, sample) in zoned.enumerated() {
                guard let zone = TimeZone(identifier: sample.zone) else {
                    try t.expect(false, "The system knows no zone \(sample.zone).")
                    continue
                }
                let found = try await parts(store.store.select(Holder<Date>.self).where { $0.id == id }, in: zone)
                try t.expect(found[id], equals: sample.parts, "The parts of \(sample.text) in \(sample.zone).")
            }
        },
        ConformanceCase(
            "dates/queries", for: [.q3: [11], .q7: [4]],
            "Parts of dates filter, sort and group, and are nil for nil, in typed and in text form."
        ) { t in
            let store = try await t.open(Holder<Date>.self)
            let dates = [
                "1969-07-20T20:17:00Z", "2024-07-01T00:00:00Z", "2023-02-28T22:00:00Z", "1904-02-29T01:00:00Z",
            ]
            try await store.insert(
                dates.enumerated().map { Holder(id: $0, value: date($1), optional: $0 < 3 ? date($1) : nil) })
            let july = store.select(Holder<Date>.self) { $0.where { $0.value.month(in: .gmt) == 7 } }
            try t.expect(try await july.keys(), equals: [0, 1])
            let sorted = store.select(Holder<Date>.self) {
                $0.order { $0.value.day(in: .gmt) }.order { $0.value.hour(in: .gmt).descending }
            }
            try t.expect(try await sorted.keys(), equals: [1, 0, 2, 3])
            let none = store.select(Holder<Date>.self) { $0.where { $0.optional.year(in: .gmt) == nil } }
            try t.expect(try await none.keys(), equals: [3])
            let months = try await store.store.select(Holder<Date>.self).group { $0.optional.month(in: .gmt) }
                .all { ($0.key, $0.count) }
            try t.expect(
                months.sorted { ($0.0 ?? 0) < ($1.0 ?? 0) }.map { "\($0.0 ?? 0): \($0.1)" },
                equals: ["0: 1", "2: 1", "7: 2"])
            let written = store.store.select(Holder<Date>.self)
            try t.expect(
                try await written.where(text: "year(value) < 1970 and hour(value, \"Asia/Tokyo\") == 5").keys(),
                equals: [0])
            try t.expect(
                try await written.where(text: "month(value) - 2 in {0} and weekday(value) != 2").keys(), equals: [2])
            for text in ["month(value, \"Nowhere/At_All\") == 1", "month(id) == 1", "month(value, 1) == 1"] {
                try await t.expectError(.invalidQuery) { try await written.where(text: text).count() }
            }
        },
    ]
}
