import ArgumentParser
import Foundation
import StorageAPI
import StorageJSON
import StorageSync
import TerminalOutput

/// `storage sync`.
struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Exchange changes between two stores, on any backends: a hub and its replica.",
        discussion: """
            Each commit of the replica is a patch. The hub applies it, and tells the values that it has overwritten, or \
            refuses it with a reason. Then the replica gets what has changed at the hub. What is overwritten or refused is \
            printed; the replica keeps it until a program confirms it, or --confirm is given.

            Both stores must have the models, and keep their records in their histories. A copy of a hub has both: \
            storage copy hub.db sqlite:replica.db --history.

            Examples:
              storage sync hub.db replica.db
              storage sync hub.db replica.karch --model Note --model Project --json
              storage sync hub.db replica.db --keep messages
              storage sync --show messages/1-question.sync      a kept message as JSON

            Exit codes: 0 exchanged; 1 the hub has refused patches, or the whole message; 65 a store cannot synchronise the \
            models.
            """)

    @Argument(help: "The store whose commits are the order of all.")
    var hub: StoreLocation?

    @Argument(help: "The store that is its replica, or becomes it.")
    var replica: StoreLocation?

    @Option(
        help: ArgumentHelp("A model to exchange; all of the hub by default.", valueName: "name"),
        completion: ModelCompletion.kind)
    var model: [String] = []

    @Flag(help: "Give the replica a new name first: for one whose file was copied, or restored from a backup.")
    var beginAgain = false

    @Flag(help: "With --begin-again, compare all records with the hub's, as for another hub.")
    var join = false

    @Flag(help: "Forget the outcomes when they are printed, and all that the replica has kept before.")
    var confirm = false

    @Option(help: ArgumentHelp("Keep the messages as files in a folder.", valueName: "folder"), completion: .directory)
    var keep: String?

    @Option(help: ArgumentHelp("Print a kept message as JSON.", valueName: "file"), completion: .file())
    var show: String?

    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func validate() throws {
        if join, !beginAgain { throw ValidationError("--join is for --begin-again.") }
        if show == nil, replica == nil { throw ValidationError("Give the hub and the replica.") }
        if show != nil, hub != nil { throw ValidationError("--show reads a file, and no stores.") }
    }

    func run() async throws {
        if let show { return try Self.printMessage(show) }
        guard let hub, let replica else { return }
        try Self.checkDifference(hub, replica)
        let (progress, start) = (ProgressLine(isWanted: !noProgress), ContinuousClock.now)
        let done: SyncExchange
        do {
            done = try await Interruption.cancelling {
                defer { progress.clear() }
                return try await hub.with(.writing) { hubStore in
                    try await replica.with(.writing) { try await exchange(hub: hubStore, $0, progress) }
                }
            }
        } catch let error as StorageError where error.code == .cancelled {
            throw ToolError(
                "Interrupted; what was answered until then stays, and the next exchange goes on.", .interrupted)
        } catch let error as StorageError {
            throw error.with { $0.message = $0.message.namingSyncOptions }
        }
        try SyncReport(exchange: done, time: start.duration(to: .now)).print(result)
        if done.refused > 0 { throw ExitCode(ToolExit.negative.rawValue) }
    }

    private func exchange(
        hub hubStore: Store, _ store: Store, _ progress: ProgressLine
    ) async throws -> SyncExchange {
        let models = model.isEmpty ? try await hubStore.recordSchemas().filter { !$0.isReadOnly }.map(\.name) : model
        try await checkObstacles(models, hub: hubStore, store)
        let local = LocalHub(try await Hub(hubStore, models: models))
        let transport: any SyncTransport = try keep.map { try KeptMessages(local, folder: $0) } ?? local
        let replica = try await Replica(store, models: models, to: transport)
        if beginAgain { try await replica.beginAgain(isJoining: join) }
        let line = RateLine(progress)
        let telling = Task {
            for await status in replica.statuses {
                guard let reading = status.reading else { continue }
                line.show(
                    "Reading", records: reading.records, Double(reading.records) / Double(max(reading.total, 1)))
            }
        }
        defer { telling.cancel() }
        let exchange = try await replica.sync()
        if confirm, let last = exchange.outcomes.last(where: \.isNews) { try await replica.confirm(last) }
        return exchange
    }

    /// - Throws: a sentence with everything that stands against the exchange, at both stores.
    private func checkObstacles(_ models: [String], hub hubStore: Store, _ store: Store) async throws {
        let hubReasons = try await hubStore.canSync(models).filter { $0.kind != .boundedHold }
        let reasons = [
            Self.text(hub, hubReasons), Self.text(replica, try await store.canSync(models)),
        ].compactMap(\.self)
        if reasons.isEmpty { return }
        throw ToolError("Nothing is sent. \(reasons.joined(separator: " "))", .data)
    }

    private static func text(_ location: StoreLocation?, _ obstacles: [SyncObstacle]) -> String? {
        guard let location, !obstacles.isEmpty else { return nil }
        return "\(location.shown): \(obstacles.map(\.description).joined(separator: "; "))."
    }

    private static func checkDifference(_ hub: StoreLocation, _ replica: StoreLocation) throws {
        let files = [hub, replica].map { location in
            location.path.map { URL(fileURLWithPath: $0).resolvingSymlinksInPath().path } ?? location.text
        }
        guard files[0] != files[1] else {
            throw ToolError("\(replica.shown) is the hub; a store is no replica of itself.", .usage)
        }
    }

    private static func printMessage(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ToolError("There is no file \(path), or it cannot be read.", .noInput)
        }
        var output = Output()
        let message = try SyncMessage(bytes: [UInt8](data))
        try output.write { bytes in
            SyncJSON.append(message, to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        }
        try output.flush()
    }
}

extension String {
    /// The message with the tool's options in the place of the calls that do the same.
    fileprivate var namingSyncOptions: String {
        replacing("call beginAgain(isJoining: true)", with: "use --begin-again --join")
            .replacing("call beginAgain()", with: "use --begin-again")
    }
}
