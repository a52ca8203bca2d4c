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

            --last undoes the latest commit that is not undone, by whatever program, or with --by of an author. Called again, it \
            undoes the one before.

            Examples:
              storage history people.db
              storage undo people.db 42
              storage undo people.db --last
              storage undo people.db --last --by Ann
              storage undo people.db 42 --author Ann --note 'the wrong list'

            Exit codes: 0 undone; 1 records have changed since, or there is no such commit; 65 no history is kept, or the \
            records before are not.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The commit's number, as `storage history` prints it.", valueName: "commit"))
    var commit: Int?

    @Flag(help: "Undo the latest commit that is not undone.")
    var last = false

    @Option(help: ArgumentHelp("With --last: the author whose latest commit is undone.", valueName: "name"))
    var by: String?

    @Option(help: ArgumentHelp("The author of the new commit.", valueName: "name"))
    var author: String?

    @Option(help: ArgumentHelp("The reason, which the history keeps.", valueName: "text"))
    var note: String?

    @OptionGroup var result: ResultOptions

    func validate() throws {
        if (commit == nil) != last { throw ValidationError("Give the number of a commit, or --last.") }
        if by != nil, !last { throw ValidationError("--by chooses the last commit of an author; give --last too.") }
    }

    func run() async throws {
        let command = self
        try await Interruption.cancelling {
            try await command.store.with(.writing) { store in
                try await store.requireHistory()
                let (undone, number) = try await command.undo(in: store)
                try command.result.tell(
                    "\(undone.map { "Commit \($0)" } ?? "The last commit") is undone by commit \(number).",
                    ["undone": undone.map { .count($0) } ?? .null, "commit": .count(number)])
            }
        }
    }

    private func undo(in store: Store) async throws -> (undone: Int?, number: Int) {
        if let commit { return (commit, try await store.undo(commit, author: author, note: note)) }
        let chosen = by.map { Store.UndoableCommits.author($0) } ?? .anyone
        return (nil, try await store.undoLast(chosen, author: author, note: note))
    }
}
