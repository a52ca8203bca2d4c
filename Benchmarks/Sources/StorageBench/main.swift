import Foundation

// Compares the toolkit with what a user would pick instead; see Options.usage.

let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("storage-bench-\(getpid())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
let ended = DispatchSemaphore(value: 0)
nonisolated(unsafe) var status: Int32 = 0
// Measured on the main actor, whose thread must not wait.
if CommandLine.arguments.dropFirst().first == "live" {
    Task { @MainActor in
        do { try await LiveModel.measure(folder) } catch { print(error) }
        try? FileManager.default.removeItem(at: folder)
        exit(0)
    }
    RunLoop.main.run()
}
// The main thread only waits: callgrind cannot follow it into the concurrency runtime.
Task.detached {
    do {
        try await run(Array(CommandLine.arguments.dropFirst()))
    } catch {
        note("\(error)")
        status = 1
    }
    ended.signal()
}
ended.wait()
try? FileManager.default.removeItem(at: folder)
exit(status)

func run(_ arguments: [String]) async throws {
    switch arguments.first {
    case "count": try await Counting.run(arguments.dropFirst())
    case "memory": try await Memory.run(arguments.dropFirst())
    case "observing": try await Observing.run(folder)
    case "commits": try await Commits.run(folder)
    case "history": try await Histories.run(folder)
    case "references": try await References.run(folder)
    case "--help": print(Options.usage)
    default: try await compare(Options(arguments))
    }
}

func compare(_ options: Options) async throws {
    let checked = folder.appendingPathComponent("check")
    try FileManager.default.createDirectory(at: checked, withIntermediateDirectories: true)
    note("\(try await Contestants.check(checked)) comparisons: all ways give equal values")
    var report = Report()
    for count in options.sizes {
        report.measurements += try await Runner(options: options, folder: folder, count: count).run()
    }
    if options.measuresConcurrency {
        report.concurrency = try await Concurrency(folder: folder, rounds: options.minimumRounds).run()
    }
    if options.measuresMemory { report.memory = try Memory(folder: folder, counts: [100_000, 1_000_000]).run() }
    report.show()
    try report.write(options)
}
