import CSQLite
import CSQLiteFaults
import FaultyStorage
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// Every call by which SQLite changes a file, every page and every allocation that it asks for fails, one after the other,
/// while a workload with every verb runs.
@Suite("E5 A call that failed has stored nothing, wherever it fails")
struct WriteFaultTests {
    typealias State = FaultyWorkload.State

    /// A fault.
    private struct Fault: CustomStringConvertible {
        var disk = FaultyDisk.Fault(call: 0)
        /// The maximum number of pages of the database; 0 for any number.
        var pages = 0
        /// The allocation that fails; 0 for none.
        var allocation: Int64 = 0

        var description: String { "\(disk), at most \(pages) pages, allocation \(allocation)" }
    }

    /// The effects of a run of the workload.
    private struct Run {
        /// The expected records after each step.
        var states: [State] = []
        var calls: Int64 = 0
        var allocations: Int64 = 0
        var pages = 0
        /// The step in which a call of the disk's failed.
        var failedStep: Int?
        /// The kind of the call that failed first.
        var failed = 0
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `what a failed call did is not there, and what succeeded is`(isFull: Bool, isForEver: Bool) async throws {
        try await withFolder { folder in
            let template = try await Self.template(in: folder)
            let healthy = try await Self.run(Fault(), template, in: folder)
            expect(healthy.failedStep == nil && healthy.calls > 200)
            for call in Self.share(of: healthy.calls, oneOf: 127) {
                let fault = FaultyDisk.Fault(call: call, isFull: isFull, isForEver: isForEver)
                _ = try await Self.run(Fault(disk: fault), template, in: folder, healthy: healthy)
            }
        }
    }

    @Test func `where no page is to be had, what a failed call did is not there`() async throws {
        try await withFolder { folder in
            let template = try await Self.template(in: folder)
            let healthy = try await Self.run(Fault(), template, in: folder)
            for pages in Self.share(of: Int64(healthy.pages), oneOf: 17) {
                _ = try await Self.run(Fault(pages: Int(pages)), template, in: folder)
            }
        }
    }

    #if os(Linux)
    // In a process of its own, since SQLite has one allocator for all connections.
    @Test func `where no memory is to be had, what a failed call did is not there`() async throws {
        await #expect(processExitsWith: .success) {
            try #require(sqlite_faults_watch_memory() == 1)
            try await withFolder { folder in
                let template = try await Self.template(in: folder)
                let healthy = try await Self.run(Fault(), template, in: folder)
                try #require(healthy.allocations > 1000)
                for allocation in Self.share(of: healthy.allocations, oneOf: 2003) {
                    _ = try await Self.run(Fault(allocation: allocation), template, in: folder)
                }
            }
        }
    }
    #endif

    /// Some of the numbers up to a count, in each run others: all of them take hours.
    private static func share(of count: Int64, oneOf step: Int) -> StrideThrough<Int64> {
        let step = TestExtent.step(step)
        return stride(from: Int64.random(in: 1...Int64(step)), through: count, by: step)
    }

    /// A database whose pages are so large that few of them fill the writer's cache: rows then reach the disk before
    /// their commit does.
    private static func template(in folder: URL) async throws -> URL {
        let path = folder.appending(path: "template.db").path
        try sqliteRun(path, "PRAGMA page_size = 65536", "VACUUM")
        try await open(path).close()
        return URL(filePath: path)
    }

    private static func open(_ path: String) async throws -> Store {
        try await Store(
            SQLiteBackend(path: path, cacheMebibytes: 1), models: FaultyWorkload.Note.self, FaultyWorkload.Entry.self)
    }

    /// Runs the workload with a fault on a copy of the template, and compares what is stored after reopening.
    private static func run(
        _ fault: Fault, _ template: URL, in parent: URL, healthy: Run? = nil
    ) async throws -> Run {
        let folder = parent.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.db")
        try FileManager.default.copyItem(at: template, to: file)
        let disk = try #require(FaultyDisk(folder))
        let store = try await open(file.path)
        if fault.pages > 0 {
            try await store.withUnsafeSQLiteHandle { StorageTests.run("PRAGMA max_page_count = \(fault.pages)", $0) }
        }
        disk.arm(fault.disk)
        sqlite_faults_arm_memory(fault.allocation, 0)
        var run = await work(store, disk, fault: fault)
        run.allocations = sqlite_faults_allocations()
        sqlite_faults_arm_memory(0, 0)
        // The file is closed while the disk still fails: the next program finds the file as it is left.
        try? await store.close()
        disk.heal()
        let reopened = try await open(file.path)
        let found = try await State(reopened)
        let expected = run.states.last ?? State()
        // Where nothing can be written any more, what a commit left in the log before its sync failed stays there.
        let isUnrepaired = fault.disk.isForEver && run.failed == SQLITE_FAULTS_SYNC
        let unrepaired = isUnrepaired ? run.failedStep.flatMap { healthy?.states[$0] } : nil
        expect(found == expected || found == unrepaired, "\(fault), \(found.difference(from: expected))")
        var problems: [StoreProblem] = []
        try await reopened.verify { problems.append($0) }
        expect(problems.isEmpty, "\(fault)")
        try await reopened.close()
        run.pages = Int(try sqliteColumn(file.path, "PRAGMA page_count").first ?? "") ?? 0
        return run
    }

    private static func work(_ store: Store, _ disk: FaultyDisk, fault: Fault) async -> Run {
        var run = Run()
        var state = State()
        let mayFail = fault.pages > 0 || fault.allocation > 0
        for (index, step) in FaultyWorkload.steps.enumerated() {
            var next = state
            do {
                try await step.run(store, &next)
                state = next
                // A store that goes on shows what it has stored, and nothing else.
                let found = try? await State(store)
                expect(found == nil || found == state, "\(fault), after \(step.name)")
            } catch let error as StorageError {
                // What an earlier step has not stored is not found.
                let codes: [StorageError.Code] = [.io, .full, .notFound, .invalidQuery]
                expect(codes.contains(error.code) && (disk.failed != 0 || mayFail), "\(fault), \(step.name): \(error)")
            } catch {
                Issue.record("\(fault), \(step.name): \(error)")
            }
            if run.failedStep == nil, disk.failed != 0 { run.failedStep = index }
            run.states.append(state)
        }
        run.calls = disk.calls
        run.failed = disk.failed
        return run
    }
}
