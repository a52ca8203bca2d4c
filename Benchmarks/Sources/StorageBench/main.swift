import CBaseline
import Foundation
import SQLiteBackend
import StorageAPI

// One case a process for callgrind, which counts instructions: StorageBench CASE COUNT REPETITIONS
// All timed cases in one process, alternating: StorageBench time COUNT ROUNDS

let arguments = CommandLine.arguments
let name = arguments.count > 1 ? arguments[1] : "time"
let count = arguments.count > 2 ? Int(arguments[2]) ?? 100_000 : 100_000
let repetitions = arguments.count > 3 ? Int(arguments[3]) ?? 5 : 5

let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("storage-bench-\(getpid())")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// Without await at the top level: callgrind cannot follow the main thread into the concurrency runtime.
let bench = try Bench(folder: folder, count: count)
switch name {
case "time": try bench.time(rounds: repetitions)
default: for _ in 0..<repetitions { try bench.run(name) }
}
