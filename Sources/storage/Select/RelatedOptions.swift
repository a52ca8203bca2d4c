import ArgumentParser

/// The references that are printed as the records that they name.
struct RelatedOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A reference to print as the record that it names: author, tags, author.mentor. Can be repeated.",
            valueName: "reference"))
    var paths: [String] = []

    var isWanted: Bool { !paths.isEmpty }
}
