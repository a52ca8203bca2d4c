import Foundation
import StorageKit
import Synchronization
import TestSupport
import Testing

/// Every backend beside the next one, so that each is once the first and once the second.
let pairsOfBackends = zip(Backend.allCases, Backend.allCases.dropFirst() + Backend.allCases.prefix(1)).map { ($0, $1) }

/// Runs a test on two new stores.
func withStores(_ backends: (Backend, Backend), _ body: (Store, Store) async throws -> Void) async throws {
    try await withStore(backends.0) { first in
        try await withStore(backends.1) { second in try await body(first, second) }
    }
}

@Suite("Copying models between stores")
struct CopyTests {
    private func fill(_ store: Store) async throws {
        try await store.insert(Sampler.all)
        try await store.insert((1...5).map { Branchlet.tree($0, $0) })
        try await store.insert((1...600).map { Ticket(id: nil, title: "\($0 % 7)", code: "\($0)") })
    }

    @Test(arguments: pairsOfBackends)
    func `what is copied is equal, and so are the digests`(_ from: Backend, _ to: Backend) async throws {
        try await withStores((from, to)) { source, target in
            try await fill(source)
            let copied = try await target.copy(from: source)
            expect(copied.map(\.model), equals: ["Sampler", "Branchlet", "Ticket"])
            expect(copied.map(\.records), equals: [3, 5, 600])
            for digest in copied {
                try await expect(target.digest(of: digest.model), equals: digest)
                try await expect(source.digest(of: digest.model), equals: digest)
            }
            // NaN is no equal of itself, so the first is compared without it.
            let samplers = try await target.select(Sampler.self).all()
            expect(samplers.dropFirst().map(\.words), equals: Sampler.all.dropFirst().map(\.words))
            expect(samplers[2], equals: Sampler.all[2])
            expect(samplers[0].double.isNaN && samplers[1].parts == Sampler.all[1].parts)
            try await expect(target.select(Branchlet.self).all(), equals: (1...5).map { Branchlet.tree($0, $0) })
            try await expect(target.select(Ticket.self).where { $0.title == "3" }.count(), equals: 86)
        }
    }

    @Test(arguments: pairsOfBackends)
    func `an error names the engine of the store that is at fault`(_ from: Backend, _ to: Backend) async throws {
        try await withStores((from, to)) { source, target in
            try await source.insert(Branchlet.tree(1, 1))
            try await target.insert(Branchlet.tree(9, 1))
            let refusal = await expectError(.constraint) { try await target.copy(from: source) }
            expect(refusal?.backend, equals: target.info.name)
            let unknown = await expectError(.invalidQuery) { try await target.copy(["None"], from: source) }
            expect(unknown?.backend, equals: source.info.name)
        }
    }

    @Test(arguments: pairsOfBackends)
    func `an assigned key that was deleted does not come back in the copy`(_ from: Backend, _ to: Backend) async throws
    {
        try await withStores((from, to)) { source, target in
            try await source.insert((1...3).map { Ticket(id: nil, title: "", code: "\($0)") })
            try await source.delete(Ticket.self, key: 3)
            try await target.copy(from: source)
            try await expect(target.insert(Ticket(id: nil, title: "", code: "new")).id, equals: 4)
        }
    }

    @Test
    func `records that are there are kept, or replaced where that is asked for`() async throws {
        try await withStores((.memory, .sqlite)) { source, target in
            try await source.insert(Branchlet.tree(1, 2))
            let old = Branchlet.tree(9, 1)
            try await target.insert(old)
            let ticket = try await target.insert(Ticket(id: nil, title: "kept", code: "1"))
            await expectError(.constraint) { try await target.copy(from: source) }
            try await expect(target.select(Branchlet.self).all(), equals: [old])
            try await target.copy(["Branchlet"], from: source, replacing: true)
            try await expect(target.select(Branchlet.self).all(), equals: [Branchlet.tree(1, 2)])
            try await expect(target.select(Ticket.self).all(), equals: [ticket])
        }
    }

    @Test
    func `chosen models are copied and no others; an unknown one is refused`() async throws {
        try await withStores((.memory, .sqlite)) { source, target in
            try await fill(source)
            await expectError(.invalidQuery) { try await target.copy(["Ticket", "Nothing"], from: source) }
            try await expect(target.schema().isEmpty)
            try await target.copy(["Ticket"], from: source)
            try await expect(target.schema().map(\.path), equals: [["Ticket"]])
        }
    }

    @Test
    func `a cancelled copy leaves nothing, and the store goes on`() async throws {
        try await withStores((.memory, .sqlite)) { source, target in
            try await fill(source)
            let running = Mutex<Task<[ModelDigest], any Error>?>(nil)
            let isKnown = DispatchSemaphore(value: 0)
            let task = Task {
                try await target.copy(from: source) { _ in
                    isKnown.wait()
                    running.withLock { $0?.cancel() }
                    isKnown.signal()
                }
            }
            running.withLock { $0 = task }
            isKnown.signal()
            await expectError(.cancelled) { try await task.value }
            try await expect(target.schema().isEmpty)
            try await target.copy(from: source)
            try await expect(target.digest(of: "Ticket"), equals: source.digest(of: "Ticket"))
        }
    }

    @Test
    func `a store is not copied to itself, and a closed one not at all`() async throws {
        try await withStores((.memory, .sqlite)) { source, target in
            await expectError(.configuration) { try await source.copy(from: source) }
            try await source.insert(Branchlet.tree(1, 1))
            try await source.close()
            await expectError(.closed) { try await target.copy(from: source) }
        }
    }

    @Test
    func `progress counts every row and ends at the total`() async throws {
        try await withStores((.sqlite, .archive)) { source, target in
            try await fill(source)
            let last = Mutex<CopyProgress?>(nil)
            let copied = try await target.copy(from: source) { progress in
                last.withLock {
                    expect(progress.rows >= $0?.rows ?? 0)
                    $0 = progress
                }
            }
            let end = last.withLock { $0 }
            expect(end?.rows, equals: end?.totalRows)
            expect(end?.rows, equals: copied.map(\.rows).reduce(0, +))
            expect(end?.records, equals: 608)
        }
    }
}

@Suite("Digests of models")
struct DigestTests {
    @Test
    func `the digest is SHA-256 of the documented bytes`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Branchlet(id: 1, name: "one"))
            // Computed by Python's hashlib from what ModelDigest documents.
            try await expect(
                store.digest(of: "Branchlet").hexadecimal
                    == "6dca0ea94379f26df58f4873602ab4488887cb2a33f03f76a8ffb48d318f8b9f")
        }
    }

    @Test
    func `any change changes the digest, and undoing it brings it back`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert(Sampler.all)
            let before = try await store.digest(of: "Sampler")
            var seen: Set<ModelDigest> = [before]
            let changes: [(inout Sampler) -> Void] = [
                { $0.flag.toggle() }, { $0.tiny -= 1 }, { $0.unsigned -= 1 }, { $0.double = 0 }, { $0.text = nil },
                { $0.text = "e\u{301}" }, { $0.text = "é" }, { $0.bytes = Data() }, { $0.moment += 1 },
                { $0.price += 1 }, { $0.size = .small }, { $0.words = [] }, { $0.numbers = nil }, { $0.numbers = [] },
                { $0.parts.swapAt(0, 1) }, { $0.parts[0].bolts = [] }, { $0.main = nil }, { $0.spares = nil },
            ]
            for change in changes {
                var model = Sampler.all[1]
                change(&model)
                try await store.save(model)
                expect(seen.insert(try await store.digest(of: "Sampler")).inserted)
            }
            try await store.save(Sampler.all[1])
            try await expect(store.digest(of: "Sampler"), equals: before)
            try await store.delete(Sampler.all[0])
            try await expect(store.digest(of: "Sampler") != before)
        }
    }
}
