import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage backup`.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Write a copy of a store's last commit to a file, while the store is in use.",
        discussion: """
            The file has the store's own format. It is complete and on the disk, or there is no file.

            With --verify the file gets its name only after it was opened, every row was read, and its records were \
            compared with the store's by digests of one moment. Records that others change meanwhile are compared as \
            the history has them, if the store keeps one; models without a history that have changed are named.

            Examples:
              storage backup people.db people-2026-11-21.db
              storage backup archive:people.karch latest.karch --overwrite --verify

            storage restore puts a backup in a store's place.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: "The file to write.")
    var file: String

    @Flag(name: [.customLong("overwrite"), .customLong("replace")], help: "Replace an existing file.")
    var overwrite = false

    @Flag(help: "Check the file before it gets its name, and compare it with the store.")
    var verify = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        try NewFile.check(file, mayReplace: overwrite)
        let progress = ProgressLine(isWanted: !noProgress)
        let command = self
        let (location, checked) = try await Interruption.cancelling {
            try await command.store.with(.reading) { store in
                (store.info.location, try await command.write(store, progress))
            }
        }
        let sentence = "\(file) is a copy of \(location).".printable
        guard let checked else {
            return try result.tell(sentence, ["file": .string(file), "store": .string(location)])
        }
        try result.tell(
            "\(sentence) \(checked.text)",
            ["file": .string(file), "store": .string(location), "verified": checked.json])
    }

    private func write(_ store: Store, _ progress: ProgressLine) async throws -> Store.CheckedBackup? {
        guard verify else {
            try await progress.during("Writing \(file)") { try await store.backUp(to: file, replacing: overwrite) }
            return nil
        }
        return try await progress.during("Writing and verifying \(file)") {
            let scheme = try StorageURL(self.store.readingURL()).scheme
            return try await store.checkedBackUp(to: file, replacing: overwrite, as: scheme)
        }
    }
}

extension Store {
    /// Writes a backup to a file, which is opened and checked before it gets its name.
    ///
    /// - Parameter scheme: the store's backend.
    func checkedBackUp(
        to file: String, replacing: Bool, as scheme: String
    ) async throws(StorageError) -> CheckedBackup {
        try await backUp(to: file, replacing: replacing) { path throws(StorageError) in
            try await Store(
                url: "\(scheme):\(StoreLocation.escaped(path))?readonly=true", backends: StoreLocation.backends)
        }
    }
}

extension Store.CheckedBackup {
    /// The finding as a sentence.
    var text: String {
        let records = models.reduce(0) { $0 + $1.records }
        let found = "\(models.count.counted("model")) with \(records.counted("record")): no problems"
        guard !changedMeanwhile.isEmpty else { return "\(found), and all are as in the store." }
        let names = changedMeanwhile.joined(separator: ", ").printable
        return "\(found). Changed while it was written, so not compared: \(names)."
    }

    var json: JSONValue {
        .object([
            "models": .array(
                models.map { model in
                    .object([
                        "model": .string(model.model), "records": .count(model.records),
                        "sha256": .string(model.hexadecimal),
                        "compared": .bool(!changedMeanwhile.contains(model.model)),
                    ])
                })
        ])
    }
}
