import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageAPI
import StorageBrowser
import StorageDriver

#if PostgreSQL
import PostgreSQLBackend
#endif

/// The program that `storage browse` starts. The store's URL comes by the environment, since others can read a command
/// line and a URL may have a password.
@main
struct BrowserProgram {
    private static let variable = "STORAGE_BROWSE_URL"
    private static let files: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]
    #if PostgreSQL
    private static let backends = files + [PostgreSQLBackend.self]
    #else
    private static let backends = files
    #endif

    static func main() async {
        do {
            guard let text = ProcessInfo.processInfo.environment[variable] else {
                throw StorageError(.configuration, "Start this program by storage browse STORE.")
            }
            unsetenv(variable)
            let url = try StorageURL(text)
            let isFile = files.contains { $0.scheme == url.scheme }
            let name = isFile ? URL(fileURLWithPath: url.path).lastPathComponent : url.description
            let store = ShownStore(name: name, path: isFile ? url.path : nil) {
                try await Store(url: text, backends: backends)
            }
            // A store that cannot be opened at all is reported on the terminal.
            _ = try await store.current()
            try await BrowserServer(store) { address in
                say("Open \(address)\nCtrl-C ends it. The address is good for one visit.\n", on: .standardOutput)
            }.run()
        } catch {
            say("storage: \((error as? StorageError)?.message ?? "\(error)")\n", on: .standardError)
            exit(1)
        }
    }

    private static func say(_ text: String, on file: FileHandle) { try? file.write(contentsOf: Data(text.utf8)) }
}
