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
              storage copy people.db sqlite:then.db --as-of 2026-11-27T20:15:00+01:00

            With --as-of the copy has the records as the history keeps them, with the current schema. A commit that is no longer             kept, or a model whose records are not kept since then, is an error, and nothing is copied.

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

    @Option(help: PastMoment.help)
    var asOf: PastMoment?

    @Flag(help: "With --as-of, copy models whose records the history does not keep as they are now.")
    var unkeptAsNow = false

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        if asOf != nil, history { throw ValidationError("A history is copied whole; give --as-of or --history.") }
        if asOf == nil, unkeptAsNow { throw ValidationError("--unkept-as-now is for --as-of.") }
    }

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
        let (past, copied, inPlace) = try await from.with(.reading) { source in
            try await to.withTarget(indexing: { indexing.show($0) }) { target in
                let (past, copied) = try await copy(source, to: target, progress)
                return (past, copied, isKept ? nil : try await digests(of: copied, in: target, progress))
            }
        }
        var report = CopyReport(time: start.duration(to: .now), past: past)
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

    private func copy(
        _ source: Store, to target: Store, _ progress: ProgressLine
    ) async throws -> (Store.PastCopy?, [ModelDigest]) {
        let line = RateLine(progress)
        let models = model.isEmpty ? nil : model
        let show = { @Sendable (step: CopyProgress) in
            line.show(
                "Copying \(step.model)", records: step.records, Double(step.rows) / Double(max(step.totalRows, 1)))
        }
        guard let asOf else {
            return (
                nil, try await target.copy(models, from: source, replacing: replace, history: history, progress: show)
            )
        }
        let past = try await target.copy(
            models, from: source, asOf: asOf.moment, replacing: replace, unkeptAsNow: unkeptAsNow, progress: show)
        return (past, past.models)
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
    private let past: Store.PastCopy?
    private var models: [(read: ModelDigest, stored: ModelDigest)] = []

    /// - Parameter past: the former state that was copied; nil for the current one.
    init(time: Duration, past: Store.PastCopy?) { (self.time, self.past) = (time, past) }

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
        if let past {
            Swift.print("As of \(PastMoment.text(past)).")
            if !past.unkept.isEmpty {
                Swift.print("Copied as they are now: \(past.unkept.joined(separator: ", ").printable).")
            }
        }
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
        let list = JSONValue.array(models.map(JSONValue.object))
        let (seconds, rate) = (JSONValue.number("\(time.seconds)"), JSONValue.number("\(rate)"))
        guard let past else {
            let report: KeyValuePairs = ["models": list, "seconds": seconds, "recordsPerSecond": rate]
            return Swift.print(JSONValue.object(report).text)
        }
        let report: KeyValuePairs = [
            "models": list, "seconds": seconds, "recordsPerSecond": rate, "commit": .count(past.commit),
            "time": past.time.map { .string(PastMoment.text($0)) } ?? .null,
            "unkept": .array(past.unkept.map(JSONValue.string)),
        ]
        Swift.print(JSONValue.object(report).text)
    }
}
