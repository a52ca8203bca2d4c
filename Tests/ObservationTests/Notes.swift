import MemoryBackend
import Observation
import StorageKit
import StorageObservation
import Synchronization
import TestSupport

@Storable
struct Note: Equatable {
    var id: Int
    var title: String
    var isDone = false

    /// Titles in the order of their numbers.
    static func title(_ number: Int) -> String { "note \(number + 100)" }
}

func filledStore(_ count: Int, _ reads: ReadCounter? = nil) async throws -> Store {
    let store = try await Store(
        InMemoryBackend(), models: Note.self, options: .init(instruments: reads.map { [$0] } ?? []))
    try await store.save((0..<count).map { Note(id: $0 + 1, title: Note.title($0 + 1)) })
    return store
}

/// Counts the reads of a store that have ended.
final class ReadCounter: Store.Instrument {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func begin(_ call: Store.Call) -> (@Sendable (Store.Call.End) -> Void)? {
        if call.isWriting { return nil }
        return { _ in self.number.withLock { $0 += 1 } }
    }
}

/// Records whether a change was announced.
final class Told: Sendable {
    private let isNoted = Mutex(false)

    var isTold: Bool { isNoted.withLock { $0 } }
    func note() { isNoted.withLock { $0 = true } }
}

/// The rows of a table, one for each record.
@MainActor final class Rows {
    var titles: [String] = []
}

/// Lets what other tasks have read come to the main actor.
func settle() async { for _ in 0..<200 { await Task.yield() } }

extension LiveQuery {
    /// Waits until a condition holds, which is looked at whenever what it reads changes.
    func changes(
        until condition: (LiveQuery) -> Bool, fileID: String = #fileID, line: Int = #line
    ) async throws {
        try await observed(until: { condition(self) }, fileID: fileID, line: line)
    }
}
