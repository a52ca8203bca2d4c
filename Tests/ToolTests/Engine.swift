import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport

/// The backends whose stores are files.
enum Engine: String, CaseIterable, Sendable {
    case sqlite, archive

    /// The engine of a test of what does not depend on the engine; with `scripts/test --all` each engine.
    static func one(_ engine: Engine) -> [Engine] { TestExtent.isLarge ? allCases : [engine] }

    /// An engine for each value, in turn; with `scripts/test --all` each engine for each value.
    static func each<T>(with values: [T]) -> [(Engine, T)] {
        values.enumerated().flatMap { number, value in
            one(allCases[number % allCases.count]).map { ($0, value) }
        }
    }

    func open(_ path: String) async throws -> Store {
        switch self {
        case .sqlite: try await Store(SQLiteBackend(path: path, durability: .relaxed))
        case .archive: try await Store(ArchiveBackend(path: path, durability: .relaxed))
        }
    }
}

extension Tool {
    static let file = "people.store"

    /// A tool in a new folder with a store of the samples.
    init(_ engine: Engine) async throws {
        folder = try TemporaryFolder()
        try await with(engine) { (store) async throws in
            try await store.insert(Person.samples)
            try await store.insert([Pair(first: "a,b", second: -5, note: nil), Pair(first: "a", second: 1, note: "")])
        }
    }

    /// Opens the store by its program's types.
    @discardableResult
    func with<T: Sendable>(
        _ engine: Engine, _ name: String = Tool.file, _ body: (Store) async throws -> T
    ) async throws -> T {
        let store = try await engine.open(folder.path(name))
        do {
            let result = try await body(store)
            try await store.close()
            return result
        } catch {
            try? await store.close()
            throw error
        }
    }

    func people(_ engine: Engine) async throws -> [Person] {
        try await with(engine) { store in try await store.select(Person.self).all() }
    }
}
