import ArchiveBackend
import Foundation
import MemoryBackend
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

/// The backends that need no server. A test whose subject depends on them runs on each; behaviour that all backends share is
/// a case of the conformance suite.
enum Backend: String, CaseIterable, Sendable {
    case memory, sqlite, sqliteInMemory, archive

    /// SQLite in memory is SQLite in a temporary file, so it takes part only where all is run.
    static var allCases: [Backend] {
        TestExtent.chosen([.memory, .sqlite, .archive] + (TestExtent.isLarge ? [.sqliteInMemory] : []))
    }

    /// The name that errors show.
    var name: String { self == .sqliteInMemory ? "sqlite" : rawValue }

    func open(
        in folder: URL, history: Store.HistoryOptions? = nil, layers: [any Store.Layer] = []
    ) async throws -> Store {
        func store(_ backend: some StorageBackend) async throws -> Store {
            try await Store(backend, models: [], options: .init(history: history, layers: layers))
        }
        return switch self {
        case .memory: try await store(InMemoryBackend())
        // A test asks what a commit holds, not whether the disk has it.
        case .sqlite:
            try await store(SQLiteBackend(path: folder.appending(path: "test.db").path, durability: .relaxed))
        case .archive: try await store(ArchiveBackend(path: folder.appending(path: "test.karch").path))
        case .sqliteInMemory: try await store(SQLiteBackend(path: ":memory:"))
        }
    }
}

/// Runs a test on a new, empty store, and closes and removes it afterwards.
@discardableResult
func withStore<T>(
    _ backend: Backend, layers: [any Store.Layer] = [], _ body: (Store) async throws -> T
) async throws -> T {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storage-tests-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try await backend.open(in: folder, layers: layers)
    do {
        let result = try await body(store)
        try await store.close()
        return result
    } catch {
        try? await store.close()
        throw error
    }
}

/// Expects the body to throw an error of this code, and returns it for a closer look.
@discardableResult
func expectError<T>(
    _ code: StorageError.Code, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () async throws -> T
) async -> StorageError? {
    do {
        let result = try await body()
        Issue.record("expected \(code), and \(result) was returned \(comment ?? "")", sourceLocation: sourceLocation)
    } catch let error as StorageError {
        expect(error.code, equals: code, comment ?? "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("expected \(code), and \(error) was thrown \(comment ?? "")", sourceLocation: sourceLocation)
    }
    return nil
}

extension Select.Stream where Source == Store {
    /// All records, one after the other.
    func collect() async throws -> [Model] {
        var models: [Model] = []
        for try await model in self { models.append(model) }
        return models
    }
}
