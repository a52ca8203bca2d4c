import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit

#if Configuration
import Configuration
import StorageConfiguration

/// The store that the environment names, or else the file `notes.json`. No other line of the program knows the engine.
func openNotes() async throws -> Store {
    let environment = ProcessInfo.processInfo.environment
    let settings = ConfigReader(providers: [
        EnvironmentVariablesProvider(environmentVariables: environment),
        try await FileProvider<JSONSnapshot>(filePath: "notes.json", allowMissing: true),
    ])
    return try await Store(
        configuration: settings, checking: environment.keys, backends: [SQLiteBackend.self, ArchiveBackend.self],
        models: Note.self)
}
#else
/// Without the package's trait Configuration: the store whose URL the environment gives.
func openNotes() async throws -> Store {
    let url = ProcessInfo.processInfo.environment["STORAGE_URL"] ?? "sqlite:notes.db"
    return try await Store(url: url, backends: [SQLiteBackend.self, ArchiveBackend.self], models: Note.self)
}
#endif

/// Runs the body with the store, and closes it whatever happens.
func withNotes(_ body: (Store) async throws -> Void) async throws {
    let store = try await openNotes()
    do {
        try await body(store)
    } catch {
        // The body's error says more than one of closing.
        try? await store.close()
        throw error
    }
    try await store.close()
}
