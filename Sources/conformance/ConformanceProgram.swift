import ArgumentParser

/// The conformance suite as a program: it runs the cases on a backend, and is the second process that some of them need.
@main
struct ConformanceProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Prove that a backend keeps the storage contract, clause by clause.",
        subcommands: [ConformanceCommand.self, ConformanceHelperCommand.self],
        defaultSubcommand: ConformanceCommand.self)
}
