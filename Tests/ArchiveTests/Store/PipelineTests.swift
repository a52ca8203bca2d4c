import ArchiveBackend
import FaultyStorage
import Foundation
import Logging
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// W7, E3: commits that are written while the disk takes others.
@Suite struct PipelineTests {
    private static let path = "/a.karch"

    /// An engine whose commits the test finishes when it wants to.
    private struct Stepped {
        let files: MemoryFiles
        let engine: any PipeliningEngine
        let table: TableSchema

        init(_ files: MemoryFiles = MemoryFiles()) async throws {
            self.files = files
            let backend = ArchiveBackend(path: path, compaction: .manual)
            try await Store(FaultyArchive(backend: backend, files: files), models: Note.self).close()
            engine = try #require(
                try backend.open(layer: files, logger: Logger(label: "test")) as? any PipeliningEngine)
            table = try #require(try engine.reader(.query).tables().first)
        }

        func write(_ id: Int64, title: String? = nil) throws(StorageError) -> any PendingCommit {
            try engine.writeAhead { (writer) throws(StorageError) in
                let plan = WritePlan(id: 1, operation: .insert, table: table, columns: [0, 1])
                let row = ValueCells(ValueList(width: 2, values: [.int(id), .text(title ?? "note \(id)")]))
                _ = try writer.write(RowBatch(plan: plan, count: 1, cells: row.cells))
            }
        }

        /// The keys that a reader sees.
        func keys() throws -> [Int64] {
            let reader = try engine.reader(.query)
            defer { reader.end() }
            let plan = QueryPlan(id: nil, query: Query(.count), table: table, tables: [table])
            var cursor = try reader.rows(plan, QueryArguments())
            return try cursor.next() ? Array(1...10).prefix(Int(cursor.cells[0].int)).map { $0 } : []
        }
    }

    /// The keys in the file, as a program finds them that opens it.
    private static func stored(_ files: MemoryFiles) async throws -> [Int] {
        let store = try await Store(
            FaultyArchive(backend: ArchiveBackend(path: path, access: .readOnly), files: files), models: Note.self)
        defer { try? store.blocking.close() }
        return try await store.select(Note.self).keys()
    }

    @Test func `a transaction runs on what the one before did, and readers see it when it is on the disk`()
        async throws
    {
        let stepped = try await Stepped()
        let first = try stepped.write(1)
        #expect(throws: StorageError.self) { try stepped.write(1) }
        let second = try stepped.write(2)
        try expect(stepped.keys(), equals: [])
        let syncs = stepped.files.syncs
        try first.finish()
        try expect(stepped.keys(), equals: [1])
        expect(stepped.files.syncs, equals: syncs + 1)
        // The sync for the first has taken the second along.
        try second.finish()
        try expect(stepped.keys(), equals: [1, 2])
        expect(stepped.files.syncs, equals: syncs + 1)
        try stepped.engine.close()
        try await expect(Self.stored(stepped.files), equals: [1, 2])
    }

    @Test func `where a sync fails, commits that stand on it fail too, and none is seen`() async throws {
        let stepped = try await Stepped()
        try stepped.write(1).finish()
        let (second, third) = (try stepped.write(2), try stepped.write(3))
        stepped.files.set(MemoryFiles.Fault(call: 0))
        #expect(throws: StorageError.self) { try second.finish() }
        let calls = stepped.files.calls
        let error = #expect(throws: StorageError.self) { try third.finish() }
        expect(error?.code == .io && error?.message.contains("open it again") == true)
        #expect(throws: StorageError.self) { try stepped.write(4) }
        expect(stepped.files.calls, equals: calls)
        try expect(stepped.keys(), equals: [1])
        try stepped.engine.close()
        stepped.files.cutPower(keeping: 0)
        try await expect(Self.stored(stepped.files), equals: [1])
    }

    @Test func `a commit that was on the disk before a later sync failed is no failure`() async throws {
        let stepped = try await Stepped()
        let (first, second) = (try stepped.write(1), try stepped.write(2))
        try first.finish()
        let third = try stepped.write(3)
        stepped.files.set(MemoryFiles.Fault(call: 0))
        #expect(throws: StorageError.self) { try third.finish() }
        try second.finish()
        try expect(stepped.keys(), equals: [1, 2])
        try stepped.engine.close()
    }

    @Test func `a write that fails leaves the commit before it, which is waited for still`() async throws {
        let stepped = try await Stepped()
        let first = try stepped.write(1)
        stepped.files.limit(to: stepped.files.used)
        #expect(throws: StorageError.self) { try stepped.write(2, title: String(repeating: "x", count: 100_000)) }
        stepped.files.limit(to: nil)
        let third = try stepped.write(2)
        try first.finish()
        try third.finish()
        try expect(stepped.keys(), equals: [1, 2])
        try stepped.engine.close()
        try await expect(Self.stored(stepped.files), equals: [1, 2])
    }

    @Test func `a transaction without changes waits for what it has seen`() async throws {
        let stepped = try await Stepped()
        _ = try stepped.write(1)
        let empty = try stepped.engine.writeAhead { (_) throws(StorageError) in }
        stepped.files.set(MemoryFiles.Fault(call: 0))
        #expect(throws: StorageError.self) { try empty.finish() }
        try stepped.engine.close()
    }

    @Test func `a rewritten file has the commits that are waited for in the old one`() async throws {
        let stepped = try await Stepped()
        let first = try stepped.write(1)
        let compacting = try #require(stepped.engine as? any CompactingEngine)
        try compacting.compact()
        let second = try stepped.write(2)
        try expect(stepped.keys(), equals: [])
        try first.finish()
        try expect(stepped.keys(), equals: [1])
        try second.finish()
        try expect(stepped.keys(), equals: [1, 2])
        try stepped.engine.close()
        stepped.files.cutPower(keeping: 0)
        try await expect(Self.stored(stepped.files), equals: [1, 2])
    }

    // MARK: Many tasks

    /// Inserts notes from tasks at once, and returns the keys that the store has acknowledged.
    private static func insert(_ count: Int, by tasks: Int, into store: Store) async -> Set<Int> {
        await withTaskGroup(of: [Int].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var acknowledged: [Int] = []
                    for number in 0..<count {
                        let id = 1 + task * count + number
                        if (try? await store.insert(Note(id: id, title: "\(id)"))) != nil { acknowledged.append(id) }
                    }
                    return acknowledged
                }
            }
            return await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    @Test func `whichever call fails, what many tasks were told is there, and readers see nothing else`() async throws {
        var outcomes: [String: Int] = [:]
        for call in 0..<24 {
            for isSticky in [false, true] {
                let files = MemoryFiles()
                let backend = FaultyArchive(backend: ArchiveBackend(path: Self.path), files: files)
                let store = try await Store(backend, models: Note.self)
                files.set(MemoryFiles.Fault(call: call, isSticky: isSticky))
                let acknowledged = await Self.insert(6, by: 16, into: store)
                let seen = Set(try await store.select(Note.self).keys())
                try #require(seen == acknowledged, "call \(call)")
                if acknowledged.count < 96 { outcomes["with failures", default: 0] += 1 }
                files.cutPower { ($0 + call).isMultiple(of: 3) }
                let stored = Set(try await Self.stored(files))
                try #require(stored.isSuperset(of: acknowledged), "call \(call)")
                outcomes["kept what was acknowledged", default: 0] += 1
                try? await store.close()
            }
        }
        report("a call fails and power is cut while 16 tasks write", outcomes)
        // However the tasks' inserts come together, there are six writes and six syncs.
        expect(outcomes["with failures", default: 0] >= 24)
    }
}
