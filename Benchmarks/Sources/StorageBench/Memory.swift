import Foundation
import SQLiteBackend
import StorageAPI

#if canImport(Darwin)
import Darwin
#endif

/// The greatest memory of a process that does one thing, in bytes.
struct MemoryMeasurement: Codable {
    let what: MemoryCase
    let records: Int
    let bytes: Int

    static func table(_ measurements: [MemoryMeasurement]) -> String {
        var lines = ["| process | records | greatest resident memory |", "|---|---|---|"]
        for item in measurements {
            lines.append("| \(item.what.title) | \(item.records) | \(megabytes(item.bytes)) |")
        }
        let own = { (what: MemoryCase) in measurements.last { $0.what == what }?.bytes ?? 0 }
        let structs = own(.structs) - own(.nothing)
        if structs > 0 {
            let ratio = Double(own(.fetch) - own(.nothing)) / Double(structs)
            lines.append(String(format: "| fetch all against the structs themselves | | %.2f × |", ratio))
        }
        return lines.joined(separator: "\n")
    }

    private static func megabytes(_ bytes: Int) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}

enum MemoryCase: String, CaseIterable, Codable {
    case nothing, structs, stream, fetch

    var title: String {
        switch self {
        case .nothing: "opens the store"
        case .structs: "opens the store and makes the structs without it"
        case .stream: "streams all records"
        case .fetch: "fetches all records"
        }
    }
}

/// Measures each case in a separate process, since a process never says what it no longer needs.
struct Memory {
    let folder: URL
    let counts: [Int]

    func run() throws -> [MemoryMeasurement] {
        try counts.flatMap { count in
            let path = folder.appendingPathComponent("memory-\(count).db").path
            let store = try Store.Blocking.open(SQLiteBackend(path: path, durability: .relaxed), models: Record.self)
            try store.blocking.insert(Sample(count).records)
            try store.blocking.close()
            return try MemoryCase.allCases.map {
                MemoryMeasurement(what: $0, records: count, bytes: try Self.child($0, count, path))
            }
        }
    }

    private static func child(_ what: MemoryCase, _ count: Int, _ path: String) throws -> Int {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["memory", what.rawValue, "\(count)", path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw BenchmarkError("a process that measures memory failed: \(text)")
        }
        return bytes
    }

    static func run(_ arguments: ArraySlice<String>) async throws {
        let arguments = Array(arguments)
        guard arguments.count == 3, let what = MemoryCase(rawValue: arguments[0]), let count = Int(arguments[1]) else {
            throw BenchmarkError("usage: StorageBench memory CASE RECORDS DATABASE")
        }
        try await measure(what, count, arguments[2])
    }

    /// Runs one case in a child process and prints its peak resident memory.
    private static func measure(_ what: MemoryCase, _ count: Int, _ path: String) async throws {
        let store = try Store.Blocking.open(SQLiteBackend(path: path, durability: .relaxed), models: Record.self)
        switch what {
        case .nothing: break
        case .structs: try require(Sample.records(count).count == count)
        case .fetch: try require(store.blocking.select(Record.self).all().count == count)
        case .stream:
            var streamed = 0
            for try await _ in store.select(Record.self).stream() { streamed += 1 }
            try require(streamed == count)
        }
        print(try peak())
    }

    #if canImport(Darwin)
    /// The process's greatest resident memory.
    private static func peak() throws -> Int {
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
    }
    #else
    /// The process's greatest resident memory. Linux's getrusage counts that of the process which it was spawned from.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        guard let kilobytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw BenchmarkError("/proc/self/status has no VmHWM")
        }
        return kilobytes * 1024
    }
    #endif

    private static func require(_ holds: Bool) throws {
        guard holds else { throw BenchmarkError("another number of records than were stored") }
    }
}
