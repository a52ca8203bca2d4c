import Foundation
import SQLiteBackend
import StorageAPI
import StorageJSON

#if canImport(Glibc)
import Glibc
#endif

// JSON of a list into a store: by the model's schema, and by JSONDecoder with a separate type. Each way is a process of
// its own, so that the greatest memory is that way's.

let arguments = CommandLine.arguments.dropFirst()
let records = arguments.last.flatMap { Int($0) } ?? 1_000_000

/// The texts of records.
func listing(_ id: Int) -> String {
    let city = id % 3 == 0 ? "null" : #""City \#(id % 500)""#
    return #"{"id": \#(id), "title": "Fountain pen number \#(id)", "price": \#(id % 9000).25, "stock": \#(id % 40), "#
        + #""flags": {"new": \#(id % 2 == 0)}, "seller": {"name": "Seller \#(id % 900)", "city": \#(city)}}"#
}

func purchase(_ id: Int) -> String {
    let lines = (0..<3).map { line in
        let count = line == 0 ? "" : #", "count": \#(id % 7 + line)"#
        return #"{"product": "Fountain pen number \#(id % 5000 + line)", "price": \#(id % 900).75\#(count)}"#
    }
    return #"{"id": \#(id), "buyer": {"name": "Buyer number \#(id % 900)", "city": "City \#(id % 500)"}, "#
        + #""agent": \#(id % 100), "lines": [\#(lines.joined(separator: ", "))]}"#
}

func write(_ path: String, _ record: (Int) -> String) throws {
    let url = URL(fileURLWithPath: path)
    try Data().write(to: url)
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: Data(#"{"status": "ok", "data": {"items": [\#n"#.utf8))
    var text = ""
    for id in 0..<records {
        text += (id == 0 ? "" : ",\n") + record(id)
        if text.utf8.count > 1 << 20 {
            try file.write(contentsOf: Data(text.utf8))
            text = ""
        }
    }
    try file.write(contentsOf: Data((text + "\n]}}").utf8))
    try file.close()
}

func save<M: Storable, Page: Decodable>(
    _ way: String, _ path: String, _ model: M.Type, _ page: Page.Type, _ store: Store, _ models: (Page) -> [M]
) async throws {
    if way == "schema" {
        try await store.save(jsonFile: URL(fileURLWithPath: path), as: M.self, options: .init(at: "data.items"))
    } else {
        let page = try JSONDecoder().decode(Page.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
        try await store.save(models(page))
    }
}

func measure(_ way: String, _ path: String) async throws {
    let file = URL(fileURLWithPath: path)
    let isGraph = file.lastPathComponent == "graphs.json"
    let folder = file.deletingLastPathComponent().path
    let store = try await Store(
        SQLiteBackend(path: "\(folder)/\(way)-\(isGraph).db", durability: .relaxed),
        models: Listing.self, Purchase.self, Agent.self)
    try await store.save((0..<100).map(Agent.init))
    let began = ContinuousClock.now
    if isGraph {
        try await save(way, path, Purchase.self, PurchasePage.self, store) { $0.data.items.map(\.model) }
    } else {
        try await save(way, path, Listing.self, ListingPage.self, store) { $0.data.items.map(\.model) }
    }
    let seconds = (ContinuousClock.now - began) / .seconds(1)
    let count = try await isGraph ? store.select(Purchase.self).count() : store.select(Listing.self).count()
    try await store.close()
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    let row = String(
        format: "| %@ | %@ | %d | %.2f | %.0f | %.1f |", isGraph ? "graphs" : "records", way, count, seconds,
        Double(count) / seconds,
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
    try write("\(folder)/list.json", listing)
    try write("\(folder)/graphs.json", purchase)
    print(
        "| what | way | records | seconds | records a second | greatest memory in MB |\n|---|---|---|---|---|---|")
    fflush(nil)
    for file in ["list.json", "graphs.json"] {
        for way in ["decoder", "schema"] { try start(way, "\(folder)/\(file)") }
    }
}
