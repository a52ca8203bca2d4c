// What the five systems show that this one grew out of, as programs of ours; README.md has both side by side. Each runs on a
// database and on an archive, and ends the program where a line does not do what it says.
// swift run SeedsExample

import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit

let folder = FileManager.default.temporaryDirectory.appending(path: "seeds-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

for (scheme, ending) in [("sqlite", "db"), ("archive", "karch")] {
    func url(_ name: String) -> String { "\(scheme):\(folder)/\(name).\(ending)" }
    print("On \(scheme):")
    try await CoreModelPort.run(url("core-model"))
    try await CCDBPort.run(url("ccdb"))
    try await CoreDataPort.run(url("core-data"))
    try await MagicalRecordPort.run(url("magical-record"))
    try await StudentsPort.run(url("students"))
}

/// Opens a store of the engine that the URL names.
func open(_ url: String, _ models: [any Storable.Type]) async throws(StorageError) -> Store {
    try await Store(url: url, backends: [SQLiteBackend.self, ArchiveBackend.self], models: models)
}

/// Ends the program where a line does not do what it says.
func expect(_ condition: Bool, _ fact: String) {
    print(condition ? "  ok     \(fact)" : "  WRONG  \(fact)")
    if !condition { exit(1) }
}

/// Returns whether a call throws the error.
func throwing(_ code: StorageError.Code, _ call: () async throws -> Void) async throws -> Bool {
    do { try await call() } catch let error as StorageError where error.code == code { return true }
    return false
}
