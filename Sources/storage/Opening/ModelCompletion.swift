import ArgumentParser
import Foundation
import StorageAPI
import Synchronization

/// Completes a model's name in a shell by the store that the command line names.
enum ModelCompletion {
    static let kind = CompletionKind.custom { words, _, prefix in
        let found = Names()
        let done = DispatchSemaphore(value: 0)
        // A completion is asked for in a separate process, whose main thread has nothing else to do.
        Task.detached {
            for word in words.dropFirst(2) where !word.hasPrefix("-") {
                guard let schemas = try? await StoreLocation(word).with(.reading, { try await $0.recordSchemas() })
                else {
                    continue
                }
                found.names.withLock { $0 = schemas.map(\.name) }
                break
            }
            done.signal()
        }
        done.wait()
        return found.names.withLock { names in names.filter { $0.hasPrefix(prefix) } }
    }

    private final class Names: Sendable {
        let names = Mutex<[String]>([])
    }
}
