import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests the forms of Foundation that the suite's cases cannot have, because StorageKit adds them or because they need
/// models that are Equatable.
@Suite("Q5 Q9 Sort descriptors, and predicates of owned records")
struct SortDescriptorTests {
    private func withRows(_ body: (Select<Sample, Store>, [Sample]) async throws -> Void) async throws {
        try await withStore(.memory) { store in
            let rows = Sample.rows(120, seed: 1)
            try await store.insert(rows)
            try await body(store.select(Sample.self), rows)
        }
    }

    @Test func `an order by sort descriptors is the order as it is typed`() async throws {
        try await withRows { select, _ in
            let found = try await select.order(SortDescriptor(\.small, order: .reverse), SortDescriptor(\.number))
                .keys()
            try await expect(select.order { $0.small.descending }.order { $0.number }.keys(), equals: found)
            let byName = try await select.order(SortDescriptor(\.name, comparator: .lexical)).keys()
            try await expect(select.order { $0.name }.keys(), equals: byName)
            await expectError(.invalidQuery) { try await select.order(SortDescriptor(\.main?.name)).keys() }
        }
    }

    @Test func `a predicate asks whether an owned record is nil`() async throws {
        try await withRows { select, rows in
            let found = try await select.where(#Predicate { $0.main == nil }).keys()
            expect(found, equals: rows.filter { $0.main == nil }.map(\.id))
        }
    }
}
