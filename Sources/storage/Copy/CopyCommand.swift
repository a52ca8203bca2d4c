import ArgumentParser
import StorageAPI
import TerminalOutput

/// `storage copy`.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy models with all their records from one store to another, on whatever backends.",
        discussion: """
            The copy is one transaction: an error, Ctrl-C or a full disk leaves the target as it was. Afterwards the \
            target is opened again, each model is read back, and counts and digests are compared.

            Examples:
              storage copy sqlite:people.db archive:people.karch
              storage copy people.karch sqlite:people.db --model Person --model City
              storage copy new.db archive.karch --replace

            Exit codes: 0 copied and verified; 1 the copy differs from what was read.
            """)

    @Argument(help: "The store to read, which is not changed.")
    var from: StoreLocation

    @Argument(help: "The store to write; made where there is none.")
    var to: StoreLocation

    @Option(help: ArgumentHelp("A model to copy; all by default.", valueName: "name"))
    var model: [String] = []

    @Flag(help: "Delete the records that the target has of these models.")
    var replace = false

    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Draw no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let progress = ProgressLine(isWanted: !noProgress)
        let isVerified = try await Interruption.cancelling { try await copy(progress) }
        if !isVerified { throw ExitCode(1) }
    }

    private func copy(_ progress: ProgressLine) async throws -> Bool {
        defer { progress.clear() }
        let start = ContinuousClock.now
        // A store in memory is gone when it is closed.
        let isKept = to.path != ":memory:"
        let (copied, inPlace) = try await from.with(.reading) { source in
            try await to.withTarget { target in
                let copied = try await copy(source, to: target, progress)
                return (copied, isKept ? nil : try await digests(of: copied, in: target, progress))
            }
        }
        var report = CopyReport(time: start.duration(to: .now))
        var stored = inPlace
        if stored == nil {
            // Compared as the next program finds it.
            stored = try await to.with(.reading) { target in try await digests(of: copied, in: target, progress) }
        }
        for (digest, stored) in zip(copied, stored ?? []) { report.add(digest, stored: stored) }
        progress.clear()
        report.print(asJSON: json)
        return report.isVerified
    }

    private func copy(_ source: Store, to target: Store, _ progress: ProgressLine) async throws -> [ModelDigest] {
        let line = RateLine(progress)
        return try await target.copy(model.isEmpty ? nil : model, from: source, replacing: replace) {
            line.show(
                "Copying \($0.model)", records: $0.records, Double($0.rows) / Double(max($0.totalRows, 1)))
        }
    }

    private func digests(
        of copied: [ModelDigest], in target: Store, _ progress: ProgressLine
    ) async throws -> [ModelDigest] {
        var stored: [ModelDigest] = []
        for digest in copied {
            stored.append(
                try await progress.during("Verifying \(digest.model)") { try await target.digest(of: digest.model) })
        }
        return stored
    }
}
