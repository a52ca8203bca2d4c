import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import Synchronization
import TerminalOutput

/// `storage expire`.
struct ExpireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "expire", abstract: "Delete records that have expired, or that are older than they are kept.",
        discussion: """
            Deletes each record whose time of expiry has passed, with all that it owns, by the rules of the references to it. \
            With --keep it also deletes records that are older than so many days or hours, by a time of the record. Where \
            PostgreSQL keeps a model in ranges of its keys, it drops whole ranges. It prints how many were deleted.

            It deletes up to 1,000 records, or a range, in each transaction, and other programs write between them. After an \
            interruption the same command continues. For --keep it asks first on a terminal, and needs --yes elsewhere. Run it \
            by cron, about as often as a day of records or a range passes.

            Examples:
              storage expire people.db
              storage expire weather.db --keep Reading.time=90d --keep Event.at=36h --yes
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Option(
        help: ArgumentHelp(
            "A time of a model, and how long its records are kept: as days (90d) or hours (36h). Repeat it for several models.",
            valueName: "model.time=age"))
    var keep: [KeptTime] = []

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    @Flag(help: "Show no progress on the terminal.")
    var noProgress = false

    func run() async throws {
        let command = self
        let removed = Removed()
        do {
            try await Interruption.cancelling {
                try await command.store.with(.writing) { store in
                    for kept in command.keep { try await kept.confirm(command.confirmation, in: store) }
                    let progress = ProgressLine(isWanted: !command.noProgress)
                    _ = try await progress.during({ "Deleting  \(removed.count.counted("record"))" }) {
                        try await store.removeExpired(and: command.keep.map(\.retention)) { removed.count = $0 }
                    }
                }
            }
        } catch let error as StorageError {
            let count = removed.count
            if count == 0 { throw error }
            throw error.with { $0.message += " \(count.counted("record")) had been deleted before." }
        }
        let count = removed.count
        try result.tell("\(count.grouped) deleted.", ["deleted": .count(count)])
    }

    /// The number of deleted records.
    private final class Removed: Sendable {
        private let number = Mutex(0)
        var count: Int {
            get { number.withLock(\.self) }
            set { number.withLock { $0 = newValue } }
        }
    }
}

/// The age up to which a model keeps its records: `Reading.time=90d`.
struct KeptTime: ExpressibleByArgument, Sendable {
    private let model: String
    private let time: String
    private let days: Double

    init?(argument: String) {
        guard let equals = argument.lastIndex(of: "="), let point = argument[..<equals].lastIndex(of: "."),
            point > argument.startIndex, argument.index(after: point) < equals
        else { return nil }
        let age = argument[argument.index(after: equals)...]
        guard let count = UInt32(age.dropLast()) else { return nil }
        switch age.last {
        case "d": days = Double(count)
        case "h": days = Double(count) / 24
        default: return nil
        }
        model = String(argument[..<point])
        time = String(argument[argument.index(after: point)..<equals])
    }

    var retention: Store.Retention { Store.Retention(ofRecords: model, by: time, days: days) }

    /// Asks before the older records go.
    ///
    /// - Throws: also if the store has no such model or time.
    func confirm(_ confirmation: Confirmation, in store: Store) async throws {
        let schema = try await store.recordSchema(model)
        let times = schema.properties.filter { $0.kind == .column(.date) }.map(\.name)
        guard times.contains(time) else {
            let known = "times: " + (times.isEmpty ? "none" : times.joined(separator: ", "))
            let hint = SpellingSuggestion.hint(time, among: times)
            throw ToolError("\(model) has no time \(time)\(hint); \(known).", .data)
        }
        // To count the records of a large model takes time.
        if confirmation.yes { return }
        let limit = Date(timeIntervalSinceNow: -days * 86_400).formatted(.iso8601)
        let count = try await store.records(model).where(text: "`\(time)` <= '\(limit)'").count()
        try confirmation.confirm("Delete", count, of: model)
    }
}
