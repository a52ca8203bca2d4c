import ArchiveBackend
import CBaseline
import Foundation

/// Runs one case in callgrind, which counts the instructions of the run alone: neither of making models nor of bringing
/// tables to what the case begins with.
enum Counting {
    static func run(_ arguments: ArraySlice<String>) async throws {
        let arguments = Array(arguments)
        if arguments.count == 4, arguments[0] == "growth", let number = Int(arguments[2]),
            let repetitions = Int(arguments[3]), number > 0, repetitions > 0
        {
            switch arguments[1] {
            case "chain": return try Chain.count(number, repetitions)
            case "waiting": return try await WaitingReads.count(number, repetitions)
            case "alternatives": return try Alternatives.count(number, repetitions)
            default: throw BenchmarkError("no growth of \(arguments[1]); there are chain, waiting and alternatives")
            }
        }
        guard arguments.count == 4, let work = Work(rawValue: arguments[1]), let count = Int(arguments[2]),
            let repetitions = Int(arguments[3]), repetitions > 0
        else { throw BenchmarkError("usage: StorageBench count WAY CASE RECORDS REPETITIONS") }
        let sample = Sample(count)
        cbaseline_prepare(count, sample.purchases.count)
        let way = try way(arguments[0], sample)
        guard way.works.contains(work) else { throw BenchmarkError("\(way.name) does not do \(work.rawValue)") }
        try await way.fill()
        // Round 0 is not counted: it prepares statements.
        for round in 0...repetitions {
            try await way.prepare(work, round: round + 1)
            cbaseline_count(round > 0 ? 1 : 0)
            let outcome = try await way.run(work)
            cbaseline_count(0)
            withExtendedLifetime(outcome) {}
        }
        print("operations", work.operations(sample) * repetitions)
    }

    private static func way(_ name: String, _ sample: Sample) throws -> any Contestant {
        switch name {
        case "toolkit": try Toolkit(folder, sample)
        case "archive": try Toolkit(ArchiveBackend(path: folder.appendingPathComponent("toolkit.karch").path), sample)
        case "c": try InC(folder, sample)
        case "swift": try HandWritten(folder, sample)
        default: throw BenchmarkError("no way \(name); there are toolkit, archive, c and swift")
        }
    }
}
