internal import Foundation
public import StorageAPI
import StorageJSON

/// The second process of the cases that need one. It opens a store, plays its role, and writes lines.
public enum ConformanceHelper {
    /// Runs the role that the arguments name; they come from ``ConformanceHarness/helper(at:)``.
    ///
    /// - Throws: `configuration` for unknown arguments; errors of the store.
    public static func run(_ backend: any StorageBackend, arguments: [String]) async throws(StorageError) {
        guard let role = arguments.first.flatMap(Role.init) else {
            throw StorageError(
                .configuration, "The helper's arguments \(arguments) name none of its roles: \(Role.allCases).")
        }
        let number = arguments.dropFirst().first.flatMap { Int($0) } ?? 0
        do {
            try await run(role, number, on: backend)
        } catch {
            say("error \(error.code.rawValue)")
        }
    }

    /// The task of the helper. Each role writes a line for each step, so that the case can follow it.
    enum Role: String, CaseIterable {
        /// Commits one graph after another, without end, and writes the number of each when its call has returned.
        case commits
        /// Writes many records in one transaction and stays in it: writes `inside`, then waits to be killed.
        case transaction
        /// Opens the store with a later version of a model, which converts its records: writes `opening`, then `opened`.
        case migration
        /// Inserts records from a number on, and writes `done`.
        case insert
        /// Adds 1 to a record's number in so many transactions, and writes `done`.
        case count
        /// Takes all records one after the other, and writes how many there were and by how many KiB its memory has grown:
        /// from a stream.
        case stream
        /// In a loop of a read block.
        case loop
        /// Into a file of JSON.
        case export
    }

    private static func run(_ role: Role, _ number: Int, on backend: any StorageBackend) async throws(StorageError) {
        if role == .migration { say("opening") }
        let store =
            role == .migration ? try await Store(backend, models: Item<AsDouble>.self) : try await Store(backend)
        switch role {
        case .commits:
            for next in number... {
                try await store.insert(graph(next))
                say("\(next)")
            }
        case .transaction: try await stayInside(store)
        case .migration: say("opened")
        case .insert:
            try await store.insert((number..<number + 100).map { Pen(id: $0) })
            say("done")
        case .count: try await count(number, store)
        case .stream, .loop, .export: try await measure(role, store)
        }
        try await store.close()
    }

    /// The graph for a number. Its parts show whether it is complete.
    static func graph(_ number: Int) -> Person {
        let pens = (0..<20).map { Pen(id: $0, color: "pen \(number)", price: Double(number)) }
        return Person(
            id: number, name: "person \(number)", tags: (0..<10).map { "tag \($0) of \(number)" },
            city: City(id: number, name: "city", districts: [District(id: 1, lamps: pens)]), pens: pens)
    }

    private static func stayInside(_ store: Store) async throws(StorageError) {
        do {
            try await store.transaction { tx in
                for number in 1000..<1200 { try tx.save(graph(number)) }
                try tx.truncate(Pen.self)
                say("inside")
                while true { Thread.sleep(forTimeInterval: 3600) }
            }
        } catch {
            throw (error as? StorageError) ?? StorageError(.io, "\(error)")
        }
    }

    private static func count(_ times: Int, _ store: Store) async throws(StorageError) {
        for _ in 0..<times {
            do {
                try await store.transaction { tx in
                    let stored = try tx.find(Measure.self, key: 1)?.number ?? 0
                    try tx.save(Measure(id: 1, number: stored + 1))
                }
            } catch {
                throw (error as? StorageError) ?? StorageError(.io, "\(error)")
            }
        }
        say("done")
    }

    private static func measure(_ role: Role, _ store: Store) async throws(StorageError) {
        // What any number of records needs, and what an engine keeps of what it has read, is there before it is measured.
        _ = try await store.select(Pen.self).where { $0.color == "" }.count()
        _ = try await take(role, store, limit: 1024)
        let before = ProcessMemory.peak
        let count = try await take(role, store)
        say("\(count) records")
        guard let before, let after = ProcessMemory.peak else { return say("unknown") }
        say("\(after - before)")
    }

    /// - Returns: the number of records.
    private static func take(_ role: Role, _ store: Store, limit: Int = .max) async throws(StorageError) -> Int {
        var count = 0
        let pens = store.select(Pen.self).limit(limit)
        switch role {
        case .loop:
            do {
                try await store.read { try $0.select(Pen.self).limit(limit).forEach { _ in count += 1 } }
            } catch {
                throw (error as? StorageError) ?? StorageError(.io, "\(error)")
            }
        case .export:
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).json")
            defer { try? FileManager.default.removeItem(at: file) }
            count = try await pens.export(to: file)
        default: for try await _ in pens.stream() { count += 1 }
        }
        return count
    }

    /// Writes a line without buffering: the process may be killed at any moment.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
