import Foundation

/// The bound that a ratio of medians must keep.
struct Goal {
    let work: Work
    let numerator: String
    let denominator: String
    let bound: Double
    /// True if the ratio must not exceed the bound; false if it must not fall below it.
    let isUpper: Bool

    private static let (own, c, swift) = ("toolkit", "C", "Swift by hand")
    private static let (codable, hand) = ("GRDB, Codable records", "GRDB, hand-written records")
    private static let cached = "GRDB, cached statements"

    static func atMost(_ bound: Double, _ work: Work, _ way: String) -> Goal {
        Goal(work: work, numerator: own, denominator: way, bound: bound, isUpper: true)
    }

    static func atLeast(_ bound: Double, _ work: Work, _ way: String) -> Goal {
        Goal(work: work, numerator: way, denominator: own, bound: bound, isUpper: false)
    }

    static let all: [Goal] = [
        atMost(1.05, .fetchItems, swift), atMost(1.08, .fetch, swift), atLeast(1.35, .fetch, hand),
        atLeast(2.6, .fetch, codable), atLeast(1.6, .stream, hand), atLeast(3.8, .stream, codable),
        atMost(0.85, .insert, c), atLeast(2.7, .insert, cached), atLeast(7, .insert, codable),
        atMost(1.10, .update, c), atMost(1.10, .upsert, c), atMost(1.10, .delete, c), atMost(1.15, .find, c),
        atMost(0.55, .findInBlock, c), atMost(1.05, .page, c), atMost(1.10, .insertGraphs, c),
        atMost(1.10, .saveGraphs, c), atLeast(5, .saveGraphs, codable), atMost(1.15, .loadGraphs, c),
        atLeast(5, .loadGraphs, codable),
    ]

    /// The median of the ratios of the rounds, for each size at which both were measured. A lookup in a read block is
    /// compared with one that is a separate transaction.
    func ratios(_ report: Report) -> [(records: Int, ratio: Double)] {
        report.measurements.map(\.records).uniqued.compactMap { records in
            let other: Work = work == .findInBlock && denominator == Self.c ? .find : work
            guard let above = report.measurement(numerator == Self.own ? work : other, records, numerator),
                let below = report.measurement(denominator == Self.own ? work : other, records, denominator)
            else { return nil }
            return (records, zip(above.seconds, below.seconds).map { $0 / $1 }.median)
        }
    }

    func holds(_ ratio: Double) -> Bool { isUpper ? ratio <= bound : ratio >= bound }

    static func table(_ report: Report) -> String {
        var lines = ["| goal | bound | measured |", "|---|---|---|"]
        for goal in all {
            let ratios = goal.ratios(report)
            guard !ratios.isEmpty else { continue }
            let measured = ratios.map { records, ratio in
                String(format: "%.2f at \(records)%@", ratio, goal.holds(ratio) ? "" : " (missed)")
            }
            let bound = (goal.isUpper ? "≤ " : "≥ ") + String(format: "%.2f", goal.bound)
            let name = "\(goal.work.title): \(goal.numerator) / \(goal.denominator)"
            lines.append("| \(name) | \(bound) | \(measured.joined(separator: ", ")) |")
        }
        return (lines + growth(report)).joined(separator: "\n")
    }

    /// Describes the growth of the toolkit's cost per record from the smallest to the largest size.
    private static func growth(_ report: Report) -> [String] {
        let sizes = report.measurements.map(\.records).uniqued.sorted()
        guard let least = sizes.first, let most = sizes.last, least < most else { return [] }
        return Work.allCases.compactMap { work in
            guard let small = report.measurement(work, least, own), let large = report.measurement(work, most, own)
            else { return nil }
            // A page is one scan of all records and a sort of some of them.
            let scale = work == .page ? Double(most) / Double(least) : 1
            let growth = large.nanoseconds / small.nanoseconds / scale
            return "| \(work.title): cost from \(least) to \(most) records | ≤ 1.30 | "
                + String(format: "%.2f%@ |", growth, growth <= 1.3 ? "" : " (missed)")
        }
    }
}
