import Foundation
import StorageAPI
import StorageSync
import Synchronization

/// The processor's time when an answer was on its way.
final class Began: Sendable {
    private let value = Mutex(0.0)
    var time: Double {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}

/// The ways of large records from one store to the other.
private enum Large: String, CaseIterable {
    case pages, changes, patches, commit

    var title: String {
        switch self {
        case .pages: "200 records in pages"
        case .changes: "200 changes of the hub"
        case .patches: "200 patches"
        case .commit: "a patch of 100 records"
        }
    }

    var count: Int { self == .commit ? 100 : 200 }
    var keys: [UUID] { (0..<count).map { Note.key($0) } }

    /// Notes with images of 256 KiB, which do not compress.
    var notes: [Note] {
        var state: UInt64 = 1
        return (0..<count).map { number in
            var image = Data(capacity: 256 << 10)
            for _ in 0..<(256 << 10) / 8 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                withUnsafeBytes(of: state ^ (state >> 33)) { image.append(contentsOf: $0) }
            }
            return Note(number, version: 1, image: image)
        }
    }

    func prepare(_ hub: String, _ replica: String) async throws {
        let (home, store) = (try await open(path: hub), try await open(path: replica))
        if self != .pages {
            try await home.save((0..<count).map { Note($0) })
            try await Replica(store, models: [Note.self], to: Way(try await Hub(home, models: [Note.self]))).sync()
        }
        let source = self == .pages || self == .changes ? home : store
        if self == .commit { try await source.save(notes) } else { for note in notes { try await source.save(note) } }
        try await home.close()
        try await store.close()
    }

    /// Brings the records across by an exchange.
    func exchange(_ home: Store, _ store: Store) async throws {
        try await Replica(store, models: [Note.self], to: Way(try await Hub(home, models: [Note.self]))).sync()
        let stored = try await (self == .pages || self == .changes ? store : home).find(
            Note.self, key: Note.key(count - 1))
        try require(stored?.image != nil, "the records did not arrive")
    }

    /// The same by reading and saving them: with the transactions of the commits of the records.
    func move(_ home: Store, _ store: Store) async throws {
        let (source, target) = self == .pages || self == .changes ? (home, store) : (store, home)
        if self == .commit {
            try await target.save(try await source.find(Note.self, keys: keys).compactMap(\.self))
        } else {
            for key in keys { if let note = try await source.find(Note.self, key: key) { try await target.save(note) } }
        }
    }
}

/// Messages with large records, each in a separate process, beside a process that moves the records from store to store
/// without messages. SQLite's caches are small, so that they do not hide the messages.
func memory() async throws {
    for large in Large.allCases {
        var peaks: [Int] = []
        for way in ["exchange", "move"] {
            let paths = ["hub", "replica"].map {
                folder.appendingPathComponent("\(large.rawValue)-\(way)-\($0).db").path
            }
            try await large.prepare(paths[0], paths[1])
            peaks.append(try child(["memory-of", large.rawValue, way] + paths))
        }
        figure(
            "memory for \(large.title) of 256 KiB, beyond the stores' \(peaks[1] >> 20) MiB",
            Double(peaks[0] - peaks[1]) / 1_048_576, unit: "MiB", digits: 1, goal: 32)
    }
}

func memory(of arguments: ArraySlice<String>) async throws {
    let arguments = Array(arguments)
    guard arguments.count == 4, let large = Large(rawValue: arguments[0]) else {
        throw Failure("usage: SyncBench memory-of CASE exchange|move HUB REPLICA")
    }
    let home = try await open(path: arguments[2], cacheMebibytes: 1)
    let store = try await open(path: arguments[3], cacheMebibytes: 1)
    if arguments[1] == "exchange" { try await large.exchange(home, store) } else { try await large.move(home, store) }
    print(try peak())
}

private func child(_ arguments: [String]) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let bytes = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
        throw Failure("a process that measures memory failed: \(text)")
    }
    return bytes
}
