import Observation
import StorageKit
import TestSupport
import Testing

@Storable
private struct Score: Equatable {
    var id: Int
    var points: Int
}

@Suite struct LiveTests {
    @Test(arguments: Backend.allCases)
    func `whoever reads the value is told of each change`(_ backend: Backend) async throws {
        try await withStore(backend) { store in try await tellsOfChanges(store) }
    }

    @Test func `an error of the query ends the observation and is kept`() async throws {
        try await withStore(.memory) { store in try await keepsError(store) }
    }

    @Test func `when it is released, it observes no more`() async throws {
        try await withStore(.memory) { store in try await isReleased(store) }
    }
}

@MainActor
private func tellsOfChanges(_ store: Store) async throws {
    try await store.save(Score(id: 1, points: 1))
    let live = Live([], store.select(Score.self).values())
    try await live.changes { $0.value.map(\.points) == [1] }
    try await store.save(Score(id: 2, points: 5))
    try await live.changes { $0.value.map(\.points) == [1, 5] }
    #expect(live.error == nil)
}

@MainActor
private func keepsError(_ store: Store) async throws {
    try await store.save(Score(id: 1, points: .max))
    let live = Live(0, store.select(Score.self).values(.sum { $0.points }))
    try await live.changes { $0.value == .max }
    try await store.save(Score(id: 2, points: 1))
    try await live.changes { $0.error?.code == .overflow }
}

@MainActor
private func isReleased(_ store: Store) async throws {
    try await store.save(Score(id: 1, points: 1))
    var live: Live<Int>? = Live(0, store.select(Score.self).values(.count))
    weak let released = live
    try await live?.changes { $0.value == 1 }
    live = nil
    // The task that has shown the value may have it for a moment.
    try await eventually { released == nil }
}

extension Live {
    /// Waits until a condition holds, which is looked at whenever what it reads changes.
    fileprivate func changes(
        until condition: (Live) -> Bool, fileID: String = #fileID, line: Int = #line
    ) async throws {
        try await observed(until: { condition(self) }, fileID: fileID, line: line)
    }
}
