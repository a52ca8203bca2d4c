import ArgumentParser
import Foundation
import StorageAPI
import StorageJSON
import TerminalOutput

/// `storage compact`.
struct CompactCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compact",
        abstract: "Free the space of deleted and replaced records.",
        discussion: """
            Writes a new file beside the old one, and replaces the old one when the new file is complete.

            Examples:
              storage compact people.karch
              storage compact sqlite:people.db
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let progress = ProgressLine(isWanted: !noProgress)
        let (path, before) = try await store.with(.writing) { store in
            let path = store.info.location
            let before = Self.size(path)
            try await progress.during("Compacting \(path)") { try await store.compact() }
            return (path, before)
        }
        let after = Self.size(path)
        try result.tell(
            "\(path): \(before.grouped) bytes before, \(after.grouped) now.",
            ["before": .count(before), "after": .count(after)])
    }

    /// The bytes of the file and of SQLite's log.
    private static func size(_ path: String) -> Int {
        ["", "-wal"].reduce(0) { sum, suffix in
            let attributes = try? FileManager.default.attributesOfItem(atPath: path + suffix)
            return sum + (attributes?[.size] as? Int ?? 0)
        }
    }
}
