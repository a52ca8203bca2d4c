import ArgumentParser
import Foundation
import StorageAPI
import StorageJSON
import TerminalOutput

/// `storage backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a copy of a store's last commit to a file, while the store is in use.",
        discussion: """
            The file has the store's own format. It is complete and on the disk, or there is no file.

            Examples:
              storage backup people.db people-2026-11-21.db
              storage backup archive:people.karch latest.karch --overwrite
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: "The file to write.")
    var file: String

    @Flag(name: [.customLong("overwrite"), .customLong("replace")], help: "Replace an existing file.")
    var overwrite = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        try NewFile.check(file, mayReplace: overwrite)
        let progress = ProgressLine(isWanted: !noProgress)
        let location = try await store.with(.reading) { store in
            try await progress.during("Writing \(file)") { try await store.backUp(to: file, replacing: overwrite) }
            return store.info.location
        }
        try result.tell(
            "\(file) is a copy of \(location).".printable, ["file": .string(file), "store": .string(location)])
    }
}
