import Foundation

/// The options of the command line.
struct Options {
    var sizes = [10_000, 100_000, 1_000_000]
    var works = Work.allCases
    var minimumRounds = 3
    var maximumRounds = 9
    var secondsPerCase = 12.0
    var archiverLimit = 100_000
    var measuresMemory = true
    var measuresConcurrency = true
    var json: URL?
    var chart: URL?

    static let usage = """
        usage: StorageBench [--quick] [--sizes N,N] [--only CASE,CASE] [--json FILE] [--chart FILE.svg]
               StorageBench observing    what observed queries cost
               StorageBench live         what a live model takes of the main actor
               StorageBench history      what keeping a history costs
               StorageBench commits      reading commits, groups of transactions, and copies of the past
               StorageBench references   what references cost
               StorageBench count WAY CASE RECORDS REPETITIONS    for callgrind
        cases: \(Work.allCases.map(\.rawValue).joined(separator: " "))
        """

    init(_ arguments: [String]) throws {
        var arguments = arguments[...]
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": beQuick()
            case "--sizes": sizes = try Self.value(argument, &arguments).split(separator: ",").compactMap { Int($0) }
            case "--only":
                works = try Self.value(argument, &arguments).split(separator: ",").map { name in
                    guard let work = Work(rawValue: String(name)) else { throw BenchmarkError("no case \(name)") }
                    return work
                }
                measuresMemory = false
                measuresConcurrency = false
            case "--json": json = URL(fileURLWithPath: try Self.value(argument, &arguments))
            case "--chart": chart = URL(fileURLWithPath: try Self.value(argument, &arguments))
            default: throw BenchmarkError("unknown argument \(argument)\n\(Self.usage)")
            }
        }
    }

    private mutating func beQuick() {
        sizes = [10_000]
        (minimumRounds, maximumRounds, secondsPerCase) = (3, 7, 3)
        measuresMemory = false
    }

    private static func value(_ name: String, _ arguments: inout ArraySlice<String>) throws -> String {
        guard let value = arguments.popFirst() else { throw BenchmarkError("\(name) needs a value") }
        return value
    }
}
