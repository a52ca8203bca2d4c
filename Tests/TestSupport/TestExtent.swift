import Foundation
package import Testing

/// The extent of tests that take long: a share of them each time, and eight times as much by `scripts/test --all`. All
/// of it would take days for what tries every place of every file. Shares begin elsewhere each day, and in each step of
/// `scripts/soak`.
package enum TestExtent {
    /// True if more is run than each time: the environment has `STORAGE_TESTS=all`.
    package static let isLarge = extent == "all"
    /// True between two commits, where `scripts/test --fast` runs a quarter of a share: the environment has `STORAGE_TESTS=few`.
    package static let isSmall = extent == "few"
    private static let extent = ProcessInfo.processInfo.environment["STORAGE_TESTS"]
    private static let factor = 8

    /// The engines that tests of several run on, where `STORAGE_ENGINES` names them, as `scripts/test --fast` does; nil for
    /// all of them.
    private static let engines = ProcessInfo.processInfo.environment["STORAGE_ENGINES"].flatMap { text in
        text.isEmpty ? nil : text.split(separator: ",").map(String.init)
    }

    /// The engines that are run.
    package static func chosen<Engine: RawRepresentable<String>>(_ all: [Engine]) -> [Engine] {
        guard let engines else { return all }
        return all.filter { engines.contains($0.rawValue) }
    }

    /// Returns the number of runs of something that has no end.
    package static func count(_ share: Int) -> Int { isLarge ? factor * share : share }

    /// The start of shares, and the seed of generated programs: `STORAGE_TEST_SEED`, or else the number of days since 1970.
    package static let seed =
        ProcessInfo.processInfo.environment["STORAGE_TEST_SEED"].flatMap(Int.init).map { max($0, 0) }
        ?? Int(Date().timeIntervalSince1970 / 86_400)

    /// The variables with which the same parts are run again on another day.
    package static let variables = (extent.map { "STORAGE_TESTS=\($0) " } ?? "") + "STORAGE_TEST_SEED=\(seed)"

    /// One of how many is run, where each time it is one of `step`.
    package static func step(_ step: Int) -> Int { isLarge ? max(step / factor, 1) : isSmall ? 4 * step : step }

    /// Some of the elements, spread evenly.
    package static func share<T>(_ elements: [T], oneOf step: Int) -> [T] {
        let step = Self.step(step)
        return stride(from: seed % step, to: elements.count, by: step).map { elements[$0] }
    }
}

extension Trait where Self == IssueHandlingTrait {
    /// Adds to each failure how the same share of the tests is run again, whatever the day.
    package static var repeatable: Self {
        .compactMapIssues { issue in
            // A suite's trait is asked for the suite, and again for each of its tests.
            let comment: Comment = "Repeat it with \(TestExtent.variables)"
            guard !issue.comments.contains(comment) else { return issue }
            var issue = issue
            issue.comments.append(comment)
            return issue
        }
    }
}
