import ArgumentParser

/// The conformance suite as a program. It runs the cases on a backend, and it is also the second process that some
/// cases need.
@main
struct ConformanceProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Prove that a backend keeps the storage contract, clause by clause.",
        subcommands: [ConformanceCommand.self, ConformanceHelperCommand.self],
        defaultSubcommand: ConformanceCommand.self)
}
