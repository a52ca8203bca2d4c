import Foundation

/// How much of what takes long is run: a share of it each time, all of it by `scripts/test --all`.
package enum TestExtent {
    /// Whether everything is run: the environment has `STORAGE_TESTS=all`.
    package static let isWhole = ProcessInfo.processInfo.environment["STORAGE_TESTS"] == "all"

    /// The engines that tests of several run on, where `STORAGE_ENGINES` names them, as `scripts/test --fast` does; nil for
    /// all of them.
    private static let engines = ProcessInfo.processInfo.environment["STORAGE_ENGINES"].flatMap { text in
        text.isEmpty ? nil : text.split(separator: ",").map(String.init)
    }

    /// Those of the engines that are run.
    package static func chosen<Engine: RawRepresentable<String>>(_ all: [Engine]) -> [Engine] {
        guard let engines else { return all }
        return all.filter { engines.contains($0.rawValue) }
    }

    /// How many of something are run.
    package static func count(_ share: Int, whole: Int) -> Int { isWhole ? whole : share }

    /// Where shares begin: `STORAGE_TEST_SEED`, which `scripts/soak` gives another value each time; 0 where it is not set.
    package static let seed =
        ProcessInfo.processInfo.environment["STORAGE_TEST_SEED"].flatMap(Int.init).map { max($0, 0) } ?? 0

    /// Some of the elements, spread evenly, or all of them.
    package static func share<T>(_ elements: [T], oneOf step: Int) -> [T] {
        isWhole ? elements : stride(from: seed % step, to: elements.count, by: step).map { elements[$0] }
    }
}
