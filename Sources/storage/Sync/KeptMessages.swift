import Foundation
import StorageSync
import Synchronization

/// A way to a hub that keeps each message as a file: `1-question.sync`, `1-answer.sync`, `2-question.sync` and so on.
final class KeptMessages: SyncTransport {
    private let way: any SyncTransport
    private let folder: URL
    private let count = Mutex(0)

    /// Makes the folder if it is missing. Files of earlier messages are replaced.
    init(_ way: any SyncTransport, folder: String) throws {
        (self.way, self.folder) = (way, URL(fileURLWithPath: folder))
        do {
            try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        } catch {
            throw ToolError("\(folder) cannot be made a folder for messages.", .io)
        }
    }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        let number = count.withLock { count in
            count += 1
            return count
        }
        try keep(message, "\(number)-question.sync")
        let answer = try await way.exchange(message)
        try keep(answer, "\(number)-answer.sync")
        return answer
    }

    private func keep(_ message: [UInt8], _ name: String) throws {
        let file = folder.appending(path: name)
        do {
            try Data(message).write(to: file)
        } catch {
            throw ToolError("\(file.path) cannot be written.", .io)
        }
    }
}
