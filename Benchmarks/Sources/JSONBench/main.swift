import Foundation
import SQLiteBackend
import StorageAPI

#if canImport(Glibc)
import Glibc
#endif

// JSON of a list into a store: by the model's schema, and by JSONDecoder with a type of its own. Each way is a process of
// its own, so that the greatest memory is that way's.

let arguments = CommandLine.arguments.dropFirst()
let records = arguments.last.flatMap { Int($0) } ?? 1_000_000

func write(_ path: String) throws {
    FileManager.default.createFile(atPath: path, contents: nil)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.write(contentsOf: Data(#"{"status": "ok", "data": {"items": [\#n"#.utf8))
    var text = ""
    for id in 0..<records {
        let city = id % 3 == 0 ? "null" : #""City \#(id % 500)""#
        text += id == 0 ? "" : ",\n"
        text += #"{"id": \#(id), "title": "Fountain pen number \#(id)", "price": \#(id % 9000).25, "stock": \#(id % 40), "#
            + #""flags": {"new": \#(id % 2 == 0)}, "seller": {"name": "Seller \#(id % 900)", "city": \#(city)}}"#
        if text.utf8.count > 1 << 20 {
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
    }
    try file.write(contentsOf: Data((text + "\n]}}").utf8))
    try file.close()
}

func measure(_ way: String, _ path: String) async throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let store = try await Store(
        SQLiteBackend(path: "\(folder)/\(way).db", durability: .relaxed), models: Listing.self)
    let began = ContinuousClock.now
    if way == "schema" {
        try await store.save(jsonFile: URL(fileURLWithPath: path), as: Listing.self, at: "data.items")
    } else {
        let page = try JSONDecoder().decode(ListingPage.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        try await store.save(page.data.items.map(\.model))
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    let count = try await store.select(Listing.self).count()
    try await store.close()
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    let row = String(
        format: "| %@ | %d | %.2f | %.0f | %.1f |", way, count, seconds, Double(count) / seconds,
        Double(usage.ru_maxrss) / 1000)
    print(row)
}

func start(_ way: String, _ path: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    process.arguments = [way, path, "\(records)"]
    try process.run()
    process.waitUntilExit()
}

if let way = arguments.first, arguments.count == 3, let path = arguments.dropFirst().first {
    try await measure(way, path)
} else {
    let folder = NSTemporaryDirectory() + "/json-bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try write("\(folder)/list.json")
    print("| way | records | seconds | records a second | greatest memory in MB |\n|---|---|---|---|---|")
    fflush(nil)
    for way in ["decoder", "schema"] { try start(way, "\(folder)/list.json") }
}
