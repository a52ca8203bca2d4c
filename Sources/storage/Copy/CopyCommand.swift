import ArgumentParser
import Foundation
import StorageAPI
import StorageJSON
import TerminalOutput

/// `storage copy`.
struct CopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copy models with all their records from one store to another, on any backends.",
        discussion: """
            The copy is one transaction: an error, Ctrl-C or a full disk leaves the target as it was. Afterwards the \
            target is reopened, each model is read back, and counts and digests are compared.

            Examples:
              storage copy sqlite:people.db archive:people.karch
              storage copy people.karch sqlite:people.db --model Person --model City
              storage copy new.db archive.karch --replace --history

            Exit codes: 0 copied and verified; 1 the copy differs from what was read.
            """)

    @Argument(help: "The store to read, which is not changed.")
    var from: StoreLocation

    @Argument(help: "The store to write. A new one is made if its backend is named: sqlite:people.db.")
    var to: StoreLocation

    @Option(
        help: ArgumentHelp("A model to copy; all by default.", valueName: "name"), completion: ModelCompletion.kind)
    var model: [String] = []

    @Flag(help: "Delete the records that the target has of these models.")
    var replace = false

    @Flag(help: "Copy the history too, with all models.")
    var history = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let progress = ProgressLine(isWanted: !noProgress)
        let isVerified: Bool
        do {
            isVerified = try await Interruption.cancelling { try await copy(progress) }
        } catch let error as StorageError where error.code == .typeMismatch {
            // What cannot be read is in no copy.
            throw error.with { $0.message += " Export with --skip-bad, and import, to copy the others." }
        }
        if !isVerified { throw ExitCode(1) }
    }

    private func copy(_ progress: ProgressLine) async throws -> Bool {
        defer { progress.clear() }
        let start = ContinuousClock.now
        // A store in memory is gone when it is closed.
        let isKept = to.path != ":memory:"
        let indexing = IndexingProgress(isWanted: !noProgress)
        let (copied, inPlace) = try await from.with(.reading) { source in
            try await to.withTarget(indexing: { indexing.show($0) }) { target in
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
        if !result.quiet { report.print(asJSON: result.json) }
        return report.isVerified
    }

    private func copy(_ source: Store, to target: Store, _ progress: ProgressLine) async throws -> [ModelDigest] {
        let line = RateLine(progress)
        return try await target.copy(
            model.isEmpty ? nil : model, from: source, replacing: replace, history: history
        ) {
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

/// The result of a copy, model by model.
struct CopyReport {
    private let time: Duration
    private var models: [(read: ModelDigest, stored: ModelDigest)] = []

    init(time: Duration) { self.time = time }

    mutating func add(_ read: ModelDigest, stored: ModelDigest) { models.append((read, stored)) }

    var isVerified: Bool { models.allSatisfy { $0.read == $0.stored } }

    func print(asJSON: Bool) {
        if asJSON { return printJSON() }
        var table = TextTable("Model", .number("Records"), .number("Rows"), "SHA-256 begins", "Copy")
        for model in models {
            table.add(
                model.read.model, model.read.records.grouped, model.read.rows.grouped,
                String(model.read.hexadecimal.prefix(16)), model.read == model.stored ? "verified" : "DIFFERS")
        }
        for line in table.lines { Swift.print(line) }
        Swift.print("")
        Swift.print("\(records.counted("record")) in \(time.short), \(rate.grouped) records/s.")
    }

    private var records: Int { models.reduce(0) { $0 + $1.read.records } }
    private var rate: Int { Int(Double(records) / max(time.seconds, 0.001)) }

    private func printJSON() {
        let models = models.map { model in
            [
                "model": .string(model.read.model), "records": .number("\(model.read.records)"),
                "rows": .number("\(model.read.rows)"), "sha256": .string(model.read.hexadecimal),
                "verified": .bool(model.read == model.stored),
            ] as KeyValuePairs<String, JSONValue>
        }
        let report: KeyValuePairs<String, JSONValue> = [
            "models": .array(models.map(JSONValue.object)), "seconds": .number("\(time.seconds)"),
            "recordsPerSecond": .number("\(rate)"),
        ]
        Swift.print(JSONValue.object(report).text)
    }
}
