import ArchiveBackend
import FaultyStorage
import Foundation
import Logging
import MemoryBackend
import SQLiteBackend
import StorageAPI
import StorageConformance
import StorageDriver
import Synchronization
import TestSupport

/// A backend with one small fault, which the suite must find.
struct Mutant: Sendable, CustomStringConvertible {
    /// The backend below a mutant.
    enum Base: String, Sendable { case memory, sqlite, archive }

    let id: String
    /// The clauses that it breaks. One of its killers must name one of them.
    let clauses: [Contract]
    let sentence: String
    let base: Base
    let fault: Fault

    init(
        _ id: String, breaking clauses: [Contract], _ sentence: String, on base: Base = .memory,
        _ change: (inout Fault) -> Void
    ) {
        self.id = id
        self.clauses = clauses
        self.sentence = sentence
        self.base = base
        var fault = Fault()
        change(&fault)
        self.fault = fault
    }

    /// Returns a mutant without a fault on a backend.
    static func sound(on base: Base) -> Mutant { Mutant("sound", breaking: [], "Nothing is wrong.", on: base) { _ in } }

    var description: String { id }
}

/// Runs the suite on a mutant.
struct MutantHarness: ConformanceHarness {
    let mutant: Mutant

    func makePlace() throws -> MutantState {
        if mutant.base == .memory { return MutantState(base: .memory, folder: nil) }
        return MutantState(base: mutant.base, folder: try Folders().makePlace())
    }

    func backend(at place: MutantState) -> any StorageBackend { MutantBackend(mutant: mutant, state: place) }

    func destroy(_ place: MutantState) throws {
        guard let folder = place.folder else { return }
        InjectedFaults.forget(folder)
        try FileManager.default.removeItem(at: folder)
    }

    func faults(at place: MutantState) -> (any FaultInjection)? {
        place.folder.flatMap { place.base == .archive ? InjectedFaults.archive(in: $0) : InjectedFaults.sqlite(in: $0) }
    }

    func outlivesClosing(_ info: BackendInfo) -> Bool { true }

    func files(at place: MutantState) -> [URL] { place.folder.map(Folders().files) ?? [] }

    /// The second process has the backend that the mutant stands on.
    func helper(at place: MutantState) -> HelperCommand? {
        place.folder.map {
            HelperCommand(
                executable: conformanceProgram,
                arguments: ["helper", "--backend", mutant.base.rawValue, "--place", $0.path])
        }
    }

    private struct Folders: ConformanceHarness {
        func backend(at place: URL) -> any StorageBackend { InMemoryBackend(InMemoryBackend.Place()) }
    }
}

/// The state that a mutant keeps at its place, beside the data.
final class MutantState: Sendable {
    let base: Mutant.Base
    let folder: URL?
    let memory = Mutex(InMemoryBackend.Place())
    /// Engines that are never closed.
    let leaked = Mutex<[any StorageEngine]>([])
    /// The greatest key of each table, for a mutant that remembers it too well.
    let greatest = Mutex<[String: Int64]>([:])

    /// The first record of each value of a unique property, by table, for a mutant that frees none.
    private let taken = Mutex<[String: [Value: [Value]]]>([:])

    /// The number of readers.
    let readers = Mutex(0)
    /// The number of times that it was opened.
    let openings = Mutex(0)
    /// The number of open engines.
    let open = Mutex(0)

    init(base: Mutant.Base, folder: URL?) {
        self.base = base
        self.folder = folder
    }

    /// The file, as the second process has it too.
    var file: URL? { folder?.appending(path: base == .archive ? "test.karch" : "test.db") }

    func backend(_ fault: Fault) -> any StorageBackend {
        guard let folder, let path = file?.path else { return InMemoryBackend(memory.withLock { $0 }) }
        let isRelaxed = fault.opening == .waitsForNoDisk
        guard base == .archive else { return SQLiteBackend(path: path, durability: isRelaxed ? .relaxed : .full) }
        return InjectedFaults.backend(ArchiveBackend(path: path, durability: isRelaxed ? .relaxed : .full), in: folder)
    }

    /// Refuses a unique value that another record has, or had.
    func refuseTaken(_ write: Write) throws(StorageError) {
        guard write.isPut, let cell = write.cell({ $0.isUnique }) else { return }
        for (index, row) in write.rows.enumerated() where !row[cell].isNull {
            let key = write.key(of: row)
            let first = taken.withLock { taken in
                let first = taken[write.table.name]?[row[cell]] ?? key
                taken[write.table.name, default: [:]][row[cell]] = first
                return first
            }
            guard first != key else { continue }
            let model = write.table.path.first
            throw StorageError(
                .constraint, "Another record has the value.", model: model,
                property: write.table.columns[write.columns[cell]].property
            ).row(index, key: key)
        }
    }

    /// The files before the last transaction, by their names.
    private let before = Mutex<[String: Data]?>(nil)

    private var names: [String] {
        folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0.path) } ?? []
    }

    /// Keeps the files as they are before a transaction.
    func remember() {
        guard let folder else { return }
        let contents = names.compactMap { name in
            (try? Data(contentsOf: folder.appending(path: name))).map { (name, $0) }
        }
        before.withLock { $0 = Dictionary(contents) { first, _ in first } }
    }

    /// Does to the files what a fault does before they are opened.
    func prepare(_ fault: Fault.OpeningFault?) {
        guard let file, open.withLock({ $0 == 0 }) else { return }
        switch fault {
        case .losesLastCommit:
            guard let before = before.withLock({ $0 }), let folder else { return }
            for (name, contents) in before { try? contents.write(to: folder.appending(path: name)) }
            for name in names where before[name] == nil {
                try? FileManager.default.removeItem(at: folder.appending(path: name))
            }
        case .emptiesUnclosed:
            guard FileManager.default.fileExists(atPath: file.path + "-wal") else { return }
            for name in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + name) }
        case .forgetsLog: try? FileManager.default.removeItem(atPath: file.path + "-wal")
        default: break
        }
    }
}

struct MutantBackend: StorageBackend {
    static let scheme = "mutant"
    let mutant: Mutant
    let state: MutantState

    init(mutant: Mutant, state: MutantState) {
        self.mutant = mutant
        self.state = state
    }

    init(url _: StorageURL) throws(StorageError) {
        throw StorageError(.configuration, "A mutant has no URL; make it with a fault.")
    }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        let openings = state.openings.withLock { count in
            count += 1
            return count
        }
        if mutant.fault.opening == .forgets, openings > 5 { state.memory.withLock { $0 = InMemoryBackend.Place() } }
        if mutant.fault.opening == .opensTwice, let open = state.leaked.withLock({ $0.first }) {
            return MutantEngine(open, mutant.fault, state: state)
        }
        state.prepare(mutant.fault.opening)
        let engine = try openBase(logger)
        if [.leavesLock, .opensTwice].contains(mutant.fault.opening) { state.leaked.withLock { $0.append(engine) } }
        state.open.withLock { $0 += 1 }
        return MutantEngine(engine, mutant.fault, state: state)
    }

    private func openBase(_ logger: Logger) throws(StorageError) -> any StorageEngine {
        do {
            return try state.backend(mutant.fault).open(logger: logger)
        } catch {
            guard mutant.fault.opening == .replacesDamaged, let file = state.file else {
                throw mutant.fault.error?(error) ?? error
            }
            try? FileManager.default.removeItem(at: file)
            return try state.backend(mutant.fault).open(logger: logger)
        }
    }
}
