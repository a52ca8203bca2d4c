import Foundation
import StorageKit
import Synchronization
import TestSupport
import Testing

/// The examples of the page Layers.
@Suite struct LayerExampleTests {
    @Storable
    struct Invoice: Equatable {
        var id: Int
        var customer: String
        var cents: Int
        var paid: Date?
        @Created var created = Date()
        @Modified var modified = Date()
    }

    @Storable
    struct OutboxMessage {
        var id: Int?
        var topic: String
        var invoice: Int
    }

    @Storable
    struct Draft {
        var id: Int
        var text: String
        var deleted: Date?
    }

    struct PositiveAmounts: Store.RecordLayer {
        var models: [any Storable.Type]? { [Invoice.self] }
        var needsFormerRecords: Bool { false }

        func didChange(
            _ change: Store.RecordChange, in transaction: borrowing Store.Transaction
        ) throws(StorageError) {
            guard let invoice = try change.after(Invoice.self), invoice.cents <= 0 else { return }
            throw StorageError(
                .constraint, "An invoice has an amount.", model: "Invoice", key: change.key, property: "cents")
        }
    }

    struct TrimmedCustomers: Store.RowLayer {
        var models: [any Storable.Type]? { [Invoice.self] }

        func willWrite(_ row: inout Store.PendingRow) throws(StorageError) {
            guard let customer = try row.value("customer", as: String.self) else { return }
            try row.set("customer", to: customer.trimmingCharacters(in: .whitespaces))
        }
    }

    struct Outbox: Store.RecordLayer {
        var models: [any Storable.Type]? { [Invoice.self] }

        func didChange(
            _ change: Store.RecordChange, in transaction: borrowing Store.Transaction
        ) throws(StorageError) {
            let (before, after) = (try change.before(Invoice.self), try change.after(Invoice.self))
            guard let after, after.paid != nil, before?.paid == nil else { return }
            try transaction.insert(OutboxMessage(id: nil, topic: "paid", invoice: after.id))
        }
    }

    struct KeepsPaid: Store.DeletionLayer {
        var models: [any Storable.Type]? { [Invoice.self] }

        func willDelete(
            _ record: Store.RecordChange, in transaction: borrowing Store.Transaction
        ) throws(StorageError) -> Store.DeletionDecision {
            guard let invoice = try record.before(Invoice.self), invoice.paid != nil else { return .delete }
            throw StorageError(.constraint, "A paid invoice stays.", model: "Invoice", key: record.key)
        }
    }

    struct SoftDeletion: Store.DeletionLayer {
        var models: [any Storable.Type]? { [Draft.self] }

        func willDelete(
            _ record: Store.RecordChange, in transaction: borrowing Store.Transaction
        ) throws(StorageError) -> Store.DeletionDecision {
            guard let draft = try record.before(Draft.self) else { return .delete }
            // Deleted twice, it goes.
            if draft.deleted != nil { return .delete }
            try transaction.update(Draft.self).where { $0.id == draft.id }.set(\.deleted, to: Date()).run()
            return .keep
        }
    }

    /// Follows every model, and so reads records without their types.
    final class Trail: Store.RecordLayer {
        let lines = Mutex<[String]>([])

        func didChange(_ change: Store.RecordChange, in _: borrowing Store.Transaction) throws(StorageError) {
            let before = try change.recordBefore()?.value("text", as: String.self) ?? "none"
            let after = try change.recordAfter()?.value("text", as: String.self) ?? "none"
            lines.withLock { $0.append("\(change.model): \(before), \(after)") }
        }
    }

    private static let layers: [any Store.Layer] = [
        TrimmedCustomers(), PositiveAmounts(), Outbox(), KeepsPaid(), SoftDeletion(),
    ]

    @Test
    func `a record that is not valid is refused, and a customer is trimmed`() async throws {
        try await withStore(.memory, layers: Self.layers) { store in
            let stored = try await store.insert(Invoice(id: 1, customer: " Ann ", cents: 100))
            expect(stored.customer, equals: "Ann")
            let error = await #expect(throws: StorageError.self) {
                try await store.update(Invoice.self).where { $0.id == 1 }.set(\.cents, to: 0).run()
            }
            expect(error?.code, equals: .constraint)
            expect(error?.message, equals: "An invoice has an amount.")
            expect(error?.property, equals: "cents")
            try await expect(store.find(Invoice.self, key: 1), equals: stored)
        }
    }

    @Test
    func `records of JSON meet the layers too`() async throws {
        try await withStore(.memory, layers: Self.layers) { store in
            let json = #"[{"id": 1, "customer": " Ann ", "cents": 1}, {"id": 2, "customer": "Bo", "cents": CENTS}]"#
            func save(_ cents: Int) async throws {
                let text = json.replacing("CENTS", with: "\(cents)")
                try await store.save(json: Data(text.utf8), as: Invoice.self)
            }
            let error = await #expect(throws: StorageError.self) { try await save(0) }
            expect(error?.message, equals: "An invoice has an amount.")
            try await expect(store.select(Invoice.self).count(), equals: 0)
            try await save(5)
            try await expect(store.select(Invoice.self).all().map(\.customer), equals: ["Ann", "Bo"])
        }
    }

    @Test
    func `what is paid leaves one message, which an undone transaction takes along`() async throws {
        try await withStore(.memory, layers: Self.layers) { store in
            try await store.insert([Invoice(id: 1, customer: "a", cents: 1), Invoice(id: 2, customer: "b", cents: 2)])
            try await store.update(Invoice.self).where { $0.id == 1 }.set(\.paid, to: Date()).run()
            try await store.update(Invoice.self).where { $0.id == 1 }.set(\.cents, to: 5).run()
            await #expect(throws: CancellationError.self) {
                try await store.transaction { tx in
                    try tx.update(Invoice.self).where { $0.id == 2 }.set(\.paid, to: Date()).run()
                    throw CancellationError()
                }
            }
            try await expect(store.select(OutboxMessage.self).all().map(\.invoice), equals: [1])
        }
    }

    @Test
    func `a paid invoice is not deleted, by a condition neither`() async throws {
        try await withStore(.memory, layers: Self.layers) { store in
            try await store.insert([
                Invoice(id: 1, customer: "a", cents: 1, paid: Date()), Invoice(id: 2, customer: "b", cents: 2),
            ])
            await #expect(throws: StorageError.self) { try await store.delete(Invoice.self).run() }
            await #expect(throws: StorageError.self) { try await store.truncate(Invoice.self) }
            try await expect(store.select(Invoice.self).count(), equals: 2)
            try await store.delete(Invoice.self, key: 2)
            try await expect(store.select(Invoice.self).count(), equals: 1)
        }
    }

    @Test
    func `a draft is deleted softly at first`() async throws {
        try await withStore(.memory, layers: Self.layers) { store in
            try await store.insert(Draft(id: 1, text: "a"))
            try await expect(store.delete(Draft.self, key: 1), equals: 1)
            try await expect(store.select(Draft.self).where { $0.deleted == nil }.count(), equals: 0)
            try await expect(store.select(Draft.self).count(), equals: 1)
            try await expect(store.delete(Draft.self, key: 1), equals: 1)
            try await expect(store.select(Draft.self).count(), equals: 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `a layer of every model reads the records before and after without their types`(_ kind: Backend) async throws {
        let trail = Trail()
        try await withStore(kind, layers: [trail]) { store in
            try await store.insert(Draft(id: 1, text: "a"))
            try await store.update(Draft.self).where { $0.id == 1 }.set(\.text, to: "b").run()
            try await store.delete(Draft.self, key: 1)
        }
        expect(trail.lines.withLock { $0 }, equals: ["Draft: none, a", "Draft: a, b", "Draft: b, none"])
    }
}
