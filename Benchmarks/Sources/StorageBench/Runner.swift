import Foundation

/// The times of one way in one case, in seconds for the whole case.
struct Measurement: Codable {
    let work: Work
    let records: Int
    let way: String
    let operations: Int
    let seconds: [Double]

    var median: Double { seconds.median }
    var nanoseconds: Double { median / Double(operations) * 1e9 }
    var least: Double { (seconds.min() ?? 0) / Double(operations) * 1e9 }
    var most: Double { (seconds.max() ?? 0) / Double(operations) * 1e9 }
}

extension [Double] {
    /// The middle value, or the mean of the two in the middle.
    var median: Double {
        guard !isEmpty else { return 0 }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}

/// Measures the cases of one size: all ways in turn, round after round, so that what else the machine does meets all.
struct Runner {
    let options: Options
    let folder: URL
    let count: Int

    func run() async throws -> [Measurement] {
        let sample = Sample(count)
        let folder = folder.appendingPathComponent("\(count)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let ways = try Contestants.all(folder, sample).filter(isWanted)
        for way in ways { try await way.fill() }
        var measurements: [Measurement] = []
        for work in Work.allCases where options.works.contains(work) {
            let able = ways.filter { $0.works.contains(work) }
            measurements += try await measure(work, able, work.operations(sample))
            note("\(count) \(work.rawValue)")
        }
        return measurements
    }

    /// Foundation's coders take seconds for what takes others milliseconds.
    private func isWanted(_ way: any Contestant) -> Bool { !(way is Archiver) || count <= options.archiverLimit }

    private func measure(_ work: Work, _ ways: [any Contestant], _ operations: Int) async throws -> [Measurement] {
        var times = [[Double]](repeating: [], count: ways.count)
        let begin = ContinuousClock.now
        var round = 0
        // Round 0 is not counted: caches fill, statements are prepared.
        while round <= options.minimumRounds
            || (round <= options.maximumRounds && (ContinuousClock.now - begin).inSeconds < options.secondsPerCase)
        {
            for turn in ways.indices {
                // A way that comes after the same one in each round would always find the same caches.
                let index = (turn + round) % ways.count
                try await ways[index].prepare(work, round: Rounds.next())
                let time = try await seconds { () async throws in try await ways[index].run(work) }
                if round > 0 { times[index].append(time) }
                ways[index].make(.fetch, round: 0)
            }
            round += 1
        }
        return zip(ways, times).map {
            Measurement(work: work, records: count, way: $0.name, operations: operations, seconds: $1)
        }
    }
}

/// Numbers the rounds of the whole run, so that none writes what is stored already. The main task's alone.
enum Rounds {
    nonisolated(unsafe) private static var last = 0

    static func next() -> Int {
        last += 1
        return last
    }
}

/// The time of a body. Its result is kept until the clock has stopped.
func seconds<T>(_ body: () async throws -> T) async rethrows -> Double {
    let begin = ContinuousClock.now
    let result = try await body()
    let time = (ContinuousClock.now - begin).inSeconds
    withExtendedLifetime(result) {}
    return time
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}

/// Progress, which is no part of the report.
func note(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
