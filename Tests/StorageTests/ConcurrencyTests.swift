import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("T3 T4 T5 Concurrency and what outlives its source")
struct ConcurrencyTests {
    @Storable struct Counter: Equatable {
        var id: Int
        var value = 0
        var mirror = 0
        var parts: [Part] = []
    }
    @Storable struct Part: Equatable {
        var id: Int
    }
    @Storable struct Late: Equatable {
        var id: Int?
    }

    @Test(arguments: Backend.allCases)
    func `T3 64 tasks that each increment a counter lose nothing`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Counter(id: 1))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<64 {
                    group.addTask {
                        try await store.transaction { tx in
                            var counter = try #require(try tx.find(Counter.self, key: 1))
                            counter.value += 1
                            counter.parts.append(Part(id: counter.value))
                            try tx.save(counter)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let counter = try await store.find(Counter.self, key: 1)
            #expect(counter?.value == 64)
            #expect(counter?.parts == (1...64).map { Part(id: $0) })
        }
    }

    @Test(arguments: Backend.allCases)
    func `K2 64 tasks that insert at once get 64 keys, in a model that nobody has used`(_ backend: Backend) async throws
    {
        try await withStore(backend) { store in
            let keys = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 0..<64 { group.addTask { try await store.insert(Late()).id } }
                return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
            }
            #expect(keys == Set((1...64).map(Optional.some)))
        }
    }

    @Test(arguments: Backend.allCases)
    func `W4 of writers that wait together one may fail alone`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let failures = try await withThrowingTaskGroup(of: Bool.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        do throws(StorageError) {
                            // Half of them have a key that another one has as well.
                            let parts = [Part(id: index)]
                            try await store.insert([Counter(id: index), Counter(id: -1 - index / 2, parts: parts)])
                            return false
                        } catch {
                            #expect(error.code == .duplicateKey && error.element == 1)
                            return true
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(failures == 32)
            #expect(try await store.select(Counter.self).count() == 64)
            #expect(
                try await store.select(Counter.self).where { $0.id < 0 && $0.parts.any { $0.id >= 0 } }.count() == 32)
        }
    }

    @Test(arguments: Backend.allCases)
    func `T4 readers during a writer see no torn pair and no half graph`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((0..<5).map { Counter(id: $0) })
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 1...100 {
                        let parts = (0..<(round % 7)).map { Part(id: $0) }
                        try await store.save(
                            (0..<5).map { Counter(id: $0, value: round % 7, mirror: round % 7, parts: parts) })
                    }
                }
                for reader in 0..<4 {
                    group.addTask {
                        for _ in 0..<50 {
                            let query = store.select(Counter.self).where { $0.id >= 0 }
                            let counters =
                                reader % 2 == 0 ? try await query.all() : try await store.select(Counter.self).all()
                            #expect(Set(counters.map(\.value)).count == 1)
                            #expect(counters.count == 5)
                            #expect(counters.allSatisfy { $0.value == $0.mirror && $0.value == $0.parts.count })
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `T7 the main actor runs other jobs while a read that it waits for is in the middle`(
        _ backend: Backend
    ) async throws {
        try await withStore(backend) { store in
            let count = TestExtent.count(20_000)
            try await store.insert((1...count).map { Counter(id: $0) })
            let (middle, isInMiddle) = AsyncStream<Void>.makeStream()
            let goOn = DispatchSemaphore(value: 0)
            let reading = Task { @MainActor in
                try await store.read { tx in
                    var seen = 0
                    try tx.select(Counter.self).forEach { _ in
                        seen += 1
                        if seen == count / 2 {
                            isInMiddle.yield()
                            goOn.wait()
                        }
                    }
                    return seen
                }
            }
            for await _ in middle { break }
            // The read waits for this.
            await MainActor.run { _ = goOn.signal() }
            #expect(try await reading.value == count)
        }
    }

    @Test(arguments: Backend.allCases)
    func `T5 a builder taken out of a transaction or a read block throws closed`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Counter(id: 1))
            let select = try store.blocking.transaction { tx in tx.select(Counter.self) }
            let update = try store.blocking.transaction { tx in tx.update(Counter.self).set(\.value, to: 9) }
            let delete = try store.blocking.transaction { tx in tx.delete(Counter.self) }
            let snapshot = try store.blocking.read { tx in tx.select(Counter.self) }
            await expectError(.closed) { try select.all() }
            await expectError(.closed) { try select.count() }
            await expectError(.closed) { try update.run() }
            await expectError(.closed) { try delete.run() }
            await expectError(.closed) { try snapshot.keys() }
            #expect(try await store.find(Counter.self, key: 1) == Counter(id: 1))
        }
    }

    @Test(arguments: Backend.allCases)
    func `T5 after close every call and stream throws closed; closing twice is no error`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            let counter = Counter(id: 1)
            try await store.insert((1...1000).map { Counter(id: $0) })
            let begun = store.select(Counter.self).stream()
            var iterator = begun.makeAsyncIterator()
            #expect(try await iterator.next()?.id == 1)
            let select = store.select(Counter.self)
            try await store.close()
            try await store.close()
            await expectError(.closed) { try await store.insert(counter) }
            await expectError(.closed) { try await store.insert([counter]) }
            await expectError(.closed) { try await store.save(counter) }
            await expectError(.closed) { try await store.update(counter) }
            await expectError(.closed) { try await store.update(Counter.self).set(\.value, to: 1).run() }
            await expectError(.closed) { try await store.delete(counter) }
            await expectError(.closed) { try await store.delete(Counter.self, key: 1) }
            await expectError(.closed) { try await store.delete(Counter.self).run() }
            await expectError(.closed) { try await store.truncate(Counter.self) }
            await expectError(.closed) { try await store.find(Counter.self, key: 1) as Any }
            await expectError(.closed) { try await select.all() }
            await expectError(.closed) { try await select.first() as Any }
            await expectError(.closed) { try await select.count() }
            await expectError(.closed) { try await select.exists() }
            await expectError(.closed) { try await select.keys() }
            await expectError(.closed) { try await select.sum { $0.value } }
            await expectError(.closed) { try await store.select(Late.self).all() }
            await expectError(.closed) { try await store.transaction { _ in 1 } }
            await expectError(.closed) { try await store.read { _ in 1 } }
            await expectError(.closed) { try store.blocking.insert(counter) }
            await expectError(.closed) { try store.blocking.select(Counter.self).all() }
            await expectError(.closed) { try await select.stream().collect() }
            await expectError(.closed) {
                while try await iterator.next() != nil {}
                return 0
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `T5 closing while others work: each call is done or closed, nothing hangs`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((0..<300).map { Counter(id: -1 - $0) })
            let (underWay, isUnderWay) = AsyncStream.makeStream(of: Void.self)
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        do {
                            for round in 0..<200 {
                                if round == 20 { isUnderWay.yield() }
                                switch task % 4 {
                                case 0: try await store.insert(Counter(id: task * 1000 + round))
                                case 1: _ = try await store.select(Counter.self).all()
                                case 2: _ = try await store.select(Counter.self).stream().collect()
                                default: try await store.transaction { tx in try tx.select(Counter.self).count() }
                                }
                            }
                        } catch {
                            #expect((error as? StorageError)?.code == .closed, "\(error)")
                        }
                    }
                }
                group.addTask {
                    for await _ in underWay { break }
                    do { try await store.close() } catch { Issue.record(error) }
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `T1 a blocking write or close inside a transaction throws busy, not a deadlock`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            try await store.insert(Counter(id: 1))
            let codes = try await store.transaction { tx in
                var codes: [StorageError.Code] = []
                func collect(_ body: () throws -> Void) {
                    do { try body() } catch { codes += (error as? StorageError).map { [$0.code] } ?? [] }
                }
                try tx.insert(Counter(id: 2))
                collect { try store.blocking.insert(Counter(id: 3)) }
                collect { try store.blocking.truncate(Counter.self) }
                collect { try store.blocking.delete(Counter.self).run() }
                collect { try store.blocking.transaction { _ in } }
                collect { try store.blocking.select(Late.self).all().forEach { _ in } }
                collect { try store.blocking.close() }
                return codes
            }
            #expect(codes == Array(repeating: .busy, count: 6))
            #expect(try await store.select(Counter.self).keys() == [1, 2])
        }
    }
}
