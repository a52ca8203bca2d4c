import Foundation
import Logging
import MemoryBackend
import SQLiteBackend
import StorageAPI
import StorageConformance
import StorageDriver
import Synchronization

/// A backend with one small fault, which the suite must find.
struct Mutant: Sendable, CustomStringConvertible {
    /// What it stands on.
    enum Base: Sendable { case memory, sqlite }

    let id: String
    /// The clauses that it breaks. One of its killers must name one of them.
    let clauses: [Contract]
    let sentence: String
    let base: Base
    let fault: Fault

    init(
        _ id: String, _ clauses: [Contract], _ sentence: String, on base: Base = .memory,
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

    var description: String { id }
}

/// Runs the suite on a mutant.
struct MutantHarness: ConformanceHarness {
    let mutant: Mutant

    func makePlace() throws -> MutantState {
        guard mutant.base == .sqlite else { return MutantState(folder: nil) }
        let folder = FileManager.default.temporaryDirectory.appending(path: "mutant-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return MutantState(folder: folder)
    }

    func backend(at place: MutantState) -> any StorageBackend { MutantBackend(mutant: mutant, state: place) }

    func destroy(_ place: MutantState) throws {
        if let folder = place.folder { try FileManager.default.removeItem(at: folder) }
    }
}

/// What a mutant keeps at its place, beside the data.
final class MutantState: Sendable {
    let folder: URL?
    let memory = Mutex(InMemoryBackend.Place())
    /// Engines that are never closed.
    let leaked = Mutex<[any StorageEngine]>([])
    /// The greatest key of each table, for a mutant that remembers it too well.
    let greatest = Mutex<[String: Int64]>([:])

    init(folder: URL?) { self.folder = folder }

    func backend() -> any StorageBackend {
        guard let folder else { return InMemoryBackend(memory.withLock { $0 }) }
        return SQLiteBackend(path: folder.appending(path: "test.db").path, durability: .relaxed)
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
        if mutant.fault.opening == .forgets { state.memory.withLock { $0 = InMemoryBackend.Place() } }
        if mutant.fault.opening == .opensTwice, let open = state.leaked.withLock({ $0.first }) {
            return MutantEngine(open, mutant.fault, state)
        }
        let engine = try state.backend().open(logger: logger)
        if mutant.fault.opening != nil { state.leaked.withLock { $0.append(engine) } }
        return MutantEngine(engine, mutant.fault, state)
    }
}
