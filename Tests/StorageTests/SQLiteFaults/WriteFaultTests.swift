import CSQLiteFaults
import Foundation
import SQLiteBackend
import StorageKit
import Testing

/// Every call by which SQLite changes a file fails, one after the other, while a workload with every verb runs.
@Suite("E5 A call that failed has stored nothing, wherever the disk fails")
struct WriteFaultTests {
    typealias State = FaultyWorkload.State

    /// What a run of the workload did.
    private struct Run {
        /// The expected records after each step.
        var states: [State] = []
        var calls: Int64 = 0
        /// The step in which the fault showed.
        var failedStep: Int?
        /// The kind of the call that failed first.
        var failed = 0
    }

    @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
    func `what a failed call did is not there, and what succeeded is`(isFull: Bool, isForEver: Bool) async throws {
        try await withFolder { folder in
            let template = try await template(in: folder)
            let healthy = try await run(FaultyDisk.Fault(call: 0), template, in: folder)
            #expect(healthy.failedStep == nil && healthy.calls > 200)
            // The whole takes minutes; each run has a share of its own.
            let isWhole = ProcessInfo.processInfo.environment["STORAGE_TESTS"] == "all"
            let step: Int64 = isWhole ? 1 : 41
            for call in stride(from: isWhole ? 1 : Int64.random(in: 1...step), through: healthy.calls, by: Int(step)) {
                let fault = FaultyDisk.Fault(call: call, isFull: isFull, isForEver: isForEver)
                _ = try await run(fault, template, in: folder, healthy)
            }
        }
    }

    /// A database whose pages are so large that few of them fill the writer's cache: rows then reach the disk before
    /// their commit does.
    private func template(in folder: URL) async throws -> URL {
        let path = folder.appending(path: "template.db").path
        try sqliteRun(path, "PRAGMA page_size = 65536", "VACUUM")
        try await open(path).close()
        return URL(filePath: path)
    }

    private func open(_ path: String) async throws -> Store {
        try await Store(
            SQLiteBackend(path: path, cacheMebibytes: 1), models: FaultyWorkload.Note.self, FaultyWorkload.Entry.self)
    }

    /// Runs the workload with a fault on a copy of the template, and compares what is stored after reopening.
    private func run(
        _ fault: FaultyDisk.Fault, _ template: URL, in parent: URL, _ healthy: Run? = nil
    ) async throws -> Run {
        let folder = parent.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "a.db")
        try FileManager.default.copyItem(at: template, to: file)
        let disk = try #require(FaultyDisk(folder))
        let store = try await open(file.path)
        disk.arm(fault)
        let run = await work(store, disk, fault)
        // The file is closed while the disk still fails: what is left is what a next program finds.
        try? await store.close()
        disk.heal()
        let reopened = try await open(file.path)
        let found = try await State(reopened)
        let expected = run.states.last ?? State()
        // Where nothing can be written any more, what a commit left in the log before its sync failed stays there.
        let unrepaired =
            fault.isForEver && run.failed == SQLITE_FAULTS_SYNC
            ? run.failedStep.flatMap { healthy?.states[$0] } : nil
        #expect(found == expected || found == unrepaired, "\(fault), \(found.difference(from: expected))")
        var problems: [StoreProblem] = []
        try await reopened.verify { problems.append($0) }
        #expect(problems.isEmpty, "\(fault)")
        try await reopened.close()
        return run
    }

    private func work(_ store: Store, _ disk: FaultyDisk, _ fault: FaultyDisk.Fault) async -> Run {
        var run = Run()
        var state = State()
        for (index, step) in FaultyWorkload.steps.enumerated() {
            var next = state
            do {
                try await step.run(store, &next)
                state = next
                // A store that goes on shows what it has stored, and nothing else.
                let found = try? await State(store)
                #expect(found == nil || found == state, "\(fault), after \(step.name)")
            } catch let error as StorageError {
                // What an earlier step has not stored is not found.
                let codes: [StorageError.Code] = [.io, .full, .notFound, .invalidQuery]
                #expect(codes.contains(error.code) && disk.failed != 0, "\(fault), \(step.name): \(error)")
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
