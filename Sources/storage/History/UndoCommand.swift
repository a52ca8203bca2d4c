import ArgumentParser
import StorageAPI
import StorageJSON
import TerminalOutput

/// `storage undo`.
struct UndoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "undo", abstract: "Undo a commit: restore what it changed as it was before.",
        discussion: """
            It is a new commit, which prints its number; undoing that one redoes the first. Where a record has been changed \
            since, nothing is done, and the records are named.

            Examples:
              storage history people.db
              storage undo people.db 42
              storage undo people.db 42 --author Ann --note 'the wrong list'

            Exit codes: 0 undone; 1 records have changed since, or there is no such commit; 65 the records before are not kept.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The commit's number, as `storage history` prints it.", valueName: "commit"))
    var commit: Int

    @Option(help: ArgumentHelp("The author of the new commit.", valueName: "name"))
    var author: String?

    @Option(help: ArgumentHelp("The reason, which the history keeps.", valueName: "text"))
    var note: String?

    @OptionGroup var result: ResultOptions

    func run() async throws {
        let (location, commit, author, note, result) = (store, commit, author, note, result)
        try await Interruption.cancelling {
            try await location.with(.writing) { store in
                let number = try await store.undo(commit, author: author, note: note)
                try result.tell(
                    "Commit \(commit) is undone by commit \(number).",
                    ["undone": .count(commit), "commit": .count(number)])
            }
        }
    }
}
