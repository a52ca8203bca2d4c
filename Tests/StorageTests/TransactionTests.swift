import Foundation
import StorageKit
import Synchronization
import Testing

@Suite("T1 T2 Transactions")
struct TransactionTests {
    @Storable struct Line: Equatable {
        var id: Int
        var text = ""
    }
    @Storable struct Page: Equatable {
        var id: Int
        var title = ""
        var lines: [Line] = []
    }
    @Storable struct Late: Equatable {
        var id: Int?
        var text = ""
    }
    struct Stop: Error, Equatable { var reason: String }

    static func page(_ id: Int, _ title: String = "") -> Page {
        Page(id: id, title: title, lines: [Line(id: 1, text: title), Line(id: 1)])
    }

    @Test(arguments: Backend.allCases)
    func `T1 what the body writes is stored together, and its value is returned`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let count = try await store.transaction { tx in
                try tx.insert(Self.page(1))
                try tx.insert([Self.page(2), Self.page(3)])
                try tx.delete(Page.self, key: 2)
                return try tx.select(Page.self).count()
            }
            #expect(count == 2)
            #expect(try await store.select(Page.self).all() == [Self.page(1), Self.page(3)])
        }
    }

    @Test(arguments: Backend.allCases)
    func `T1 a thrown error undoes everything, children and new models too, and comes out`(_ backend: Backend)
        async throws
    {
        try await withStore(backend) { store in
            let old = [Self.page(1, "a"), Self.page(2, "b"), Self.page(3, "c")]
            try await store.insert(old)
            await #expect(throws: Stop(reason: "mine")) {
                try await store.transaction { tx in
                    try tx.insert(Self.page(4))
                    try tx.save(Page(id: 1, title: "changed"))
                    try tx.update(Page(id: 2))
                    try tx.delete(Page.self, key: 3)
                    try tx.update(Page.self).set(\.title, to: "all").run()
                    try tx.insert(Late(text: "first use"))
                    try tx.truncate(Line.self)
                    try tx.delete(Page.self).run()
                    throw Stop(reason: "mine")
                }
            }
            #expect(try await store.select(Page.self).all() == old)
            #expect(try await store.select(Late.self).all() == [])
            #expect(try await store.insert(Late()).id == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `T1 a StorageError thrown by the body comes out as it is`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let error = await expectError(.full) {
                try await store.transaction { _ -> Int in throw StorageError(.full, "mine", property: "p") }
            }
            #expect(error?.message == "mine" && error?.property == "p" && error?.operation == nil)
        }
    }

    @Test(arguments: Backend.allCases)
    func `T1 a call that fails has done nothing, and the body may go on`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.transaction { tx in
                try tx.insert(Self.page(500))
                do throws(StorageError) {
                    try tx.insert((0..<600).map { Self.page($0) })
                    Issue.record("a duplicate key was accepted")
                } catch {
                    #expect(error.code == .duplicateKey)
                    #expect(error.element == 500)
                }
                try tx.insert(Self.page(1))
            }
            #expect(try await store.select(Page.self).all() == [Self.page(1), Self.page(500)])
        }
    }

    @Test(arguments: Backend.allCases)
    func `T2 every read inside sees the transaction's writes, and nobody else does`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.page(1))
            try await store.transaction { tx in
                try tx.insert(Self.page(2, "new"))
                #expect(try tx.find(Page.self, key: 2) == Self.page(2, "new"))
                #expect(try tx.select(Page.self).where { $0.lines.any { $0.text == "new" } }.keys() == [2])
                try tx.update(Page.self).where { $0.id == 1 }.set(\.title, to: "x").run()
                #expect(try tx.select(Page.self).where { $0.title == "x" }.exists())
                try tx.delete(Page.self, key: 2)
                #expect(try tx.find(Page.self, key: 2) == nil)
                #expect(try tx.select(Page.self).sum { $0.id } == 1)
                try tx.save(Self.page(3))
                let outside = try onAnotherThread { try store.blocking.select(Page.self).all() }
                #expect(outside.map(\.id) == [1] && outside.first?.title == "")
            }
            #expect(try await store.select(Page.self).keys() == [1, 3])
        }
    }

    @Test(arguments: Backend.allCases)
    func `T2 a savepoint fails alone, also inside another; the outer one undoes it`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.transaction { tx in
                try tx.insert(Self.page(1))
                #expect(throws: Stop(reason: "inner")) {
                    try tx.savepoint {
                        try tx.insert(Self.page(2))
                        try tx.insert(Late())
                        throw Stop(reason: "inner")
                    }
                }
                let value = try tx.savepoint {
                    try tx.insert(Self.page(3))
                    try? tx.savepoint {
                        try tx.delete(Page.self).run()
                        throw Stop(reason: "innermost")
                    }
                    return try tx.savepoint { try tx.insert(Self.page(4)).id }
                }
                #expect(value == 4)
                try? tx.savepoint {
                    try tx.savepoint { try tx.insert(Self.page(5)) }
                    throw Stop(reason: "outer")
                }
                #expect(try tx.insert(Late()).id == 1)
            }
            #expect(try await store.select(Page.self).all() == [1, 3, 4].map { Self.page($0) })
            #expect(try await store.select(Late.self).count() == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `T1 the blocking forms are the same calls`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let blocking = store.blocking
            try blocking.insert([Self.page(1), Self.page(2)])
            try blocking.save(Self.page(3))
            try blocking.update(Self.page(1, "x"))
            #expect(throws: Stop(reason: "b")) {
                try blocking.transaction { tx in
                    try tx.delete(Page.self).run()
                    throw Stop(reason: "b")
                }
            }
            #expect(try blocking.transaction { tx in try tx.delete(Page.self, key: 3) } == 1)
            #expect(try blocking.read { tx in try tx.select(Page.self).all() } == [Self.page(1, "x"), Self.page(2)])
            #expect(try blocking.delete(Page.self).where { $0.title == "x" }.run() == 1)
            #expect(try blocking.update(Page.self).set(\.title, to: "y").run() == 1)
            try blocking.truncate(Page.self)
            #expect(try blocking.select(Page.self).count() == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `T1 a task cancelled in its transaction undoes it; the store goes on`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.page(1))
            let (inside, isInside) = AsyncStream.makeStream(of: Void.self)
            let isCancelled = DispatchSemaphore(value: 0)
            let task = Task {
                try await store.transaction { tx in
                    try tx.insert(Self.page(2))
                    isInside.finish()
                    isCancelled.wait()
                    _ = try tx.select(Page.self).exists()
                }
            }
            for await _ in inside {}
            task.cancel()
            isCancelled.signal()
            await expectError(.cancelled) { try await task.value as Any }
            let before = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try await store.insert(Self.page(3))
            }
            await expectError(.cancelled) { try await before.value as Any }
            #expect(try await store.select(Page.self).keys() == [1])
            try await store.insert(Self.page(4))
        }
    }

    @Test(arguments: Backend.allCases)
    func `T3 a read block sees one snapshot from its first read to its end`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.page(1, "old"))
            let seen = try await store.read { snapshot in
                let first = try snapshot.find(Page.self, key: 1)
                try onAnotherThread {
                    try store.blocking.save(Page(id: 1, title: "new"))
                    try store.blocking.insert(Self.page(2))
                }
                let second = try snapshot.find(Page.self, key: 1)
                return (first, second, try snapshot.select(Page.self).count())
            }
            #expect(seen.0 == Self.page(1, "old") && seen.1 == seen.0 && seen.2 == 1)
            #expect(try await store.select(Page.self).count() == 2)
        }
    }
}
