import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage history`.
struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print what each commit changed, of the models whose history the store keeps.",
        discussion: """
            A line is a commit's number and time, a record that is new (+), changed (~) or gone (-), or all of a model (*), \
            and who says why. At its end is the origin of the change, unless it was a call: an undo, a copy, expiry, another \
            system from which it was taken, or a rule of a reference. With --json it also has the record before, where it is \
            kept, and the token to go on from.

            A reader of the history, such as an outbox, may hold it: commits that it has not seen stay. --holds prints the \
            name, the commit and the time of each hold, and --release lets go.

            Examples:
              storage history people.db
              storage history people.db Person --json
              storage history people.db --since 6F9C2A54-0E0B-4B7E-9A4F-2D1C34B6F7A1:42
              storage history people.db --token           where the history is now
              storage history people.db --release outbox

            storage log prints whole commits, with each property before and after.

            Exit codes: 0 done; 65 no history is kept, the token is older than what is kept, \
            or of another store, or no hold has the name.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(
        help: ArgumentHelp("The model's stored name; all by default.", valueName: "model"),
        completion: ModelCompletion.kind)
    var model: String?

    @Option(help: ArgumentHelp("Print what follows a token, as --json and --token print it.", valueName: "token"))
    var since: String?

    @Flag(help: "Print the token of the last commit alone.")
    var token = false

    @Flag(help: "Print the names that hold the history.")
    var holds = false

    @Option(help: ArgumentHelp("Release the hold of a reader.", valueName: "name"))
    var release: String?

    @Flag(help: "Print each entry as a JSON object.")
    var json = false

    func run() async throws {
        if let release { return try await self.release(release) }
        if holds { return try await printHolds() }
        let (location, model, token, json) = (store, model, token, json)
        let start = try since.map { text in
            guard let token = Store.HistoryToken(text) else {
                throw ToolError("\(text) is not a token of a history; --json and --token print them.", .usage)
            }
            return token
        }
        try await Interruption.cancelling {
            try await location.with(.reading) { store in
                try await store.requireHistory(of: model.map { [$0] } ?? [])
                var output = Output()
                if token {
                    try output.line(try await store.historyToken().description)
                    return try output.flush()
                }
                let keys = try await store.recordSchemas().reduce(into: [:]) { $0[$1.storedName] = $1.keyProperties }
                let entries = model.map { store.history(ofRecords: $0, since: start) } ?? store.history(since: start)
                for try await entry in entries {
                    let line = HistoryLine(entry: entry, keys: keys[StoredName(entry.model)] ?? [])
                    if json { try line.writeObject(to: &output) } else { try output.line(line.text.printable) }
                }
                try output.flush()
            }
        }
    }

    private func printHolds() async throws {
        try await store.with(.reading) { [json] store in
            var output = Output()
            for hold in try await store.historyStatus()?.holds ?? [] {
                let time = hold.time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
                if json {
                    try output.write { bytes in
                        bytes += "{\"name\":".utf8
                        JSONText.append(hold.name, to: &bytes)
                        bytes += ",\"commit\":\(hold.commit),\"time\":\"\(time)\"}\n".utf8
                    }
                } else {
                    try output.line("\(hold.name)  after commit \(hold.commit)  since \(time)".printable)
                }
            }
            try output.flush()
        }
    }

    private func release(_ name: String) async throws {
        try await store.with(.writing) { store in
            guard try await store.releaseHistory(name) else {
                throw ToolError("No hold is named \(name); --holds prints their names.", .data)
            }
            var output = Output()
            try output.line("The history is no longer held by \(name).".printable)
            try output.flush()
        }
    }
}

/// One entry as a line.
private struct HistoryLine {
    let entry: Store.HistoryEntry<[Value], DynamicRecord>
    let keys: [RecordSchema.Property]

    var text: String {
        let mark =
            switch entry.kind {
            case .inserted: "+"
            case .updated: "~"
            case .deleted: "-"
            case .everything: "*"
            }
        let key = entry.key.map { " " + recordKey($0).text } ?? ""
        let signature = [entry.author.map { "by \($0)" }, entry.note].compactMap(\.self).joined(separator: ": ")
        let makers = [entry.origin.text, entry.byRule ? "rule" : nil].compactMap(\.self).joined(separator: ", ")
        return "\(entry.commit)  \(time)  \(mark) \(entry.model)\(key)" + (signature.isEmpty ? "" : "  \(signature)")
            + (makers.isEmpty ? "" : "  (\(makers))")
    }

    private var time: String { PastMoment.text(entry.time) }

    private func recordKey(_ key: [Value]) -> RecordKey { RecordKey(values: key, properties: keys) }

    func writeObject(to output: inout Output) throws {
        // A record that no longer fits its model leaves its entry readable.
        let before = Result { try entry.before }
        var stored: DynamicRecord?
        if case .failure = before { stored = try? entry.storedBefore }
        try output.write { bytes in
            bytes += "{\"commit\":\(entry.commit),\"time\":\"\(time)\"".utf8
            for (name, text) in [("author", entry.author), ("note", entry.note), ("model", entry.model)] {
                guard let text else { continue }
                bytes += ",\"\(name)\":".utf8
                JSONText.append(text, to: &bytes)
            }
            if let origin = entry.origin.text {
                bytes += ",\"origin\":".utf8
                JSONText.append(origin, to: &bytes)
            }
            bytes += ",\"kind\":\"\(entry.kind.rawValue)\"".utf8
            if entry.byRule { bytes += ",\"byRule\":true".utf8 }
            if let key = entry.key {
                bytes += ",\"key\":".utf8
                recordKey(key).append(to: &bytes)
            }
            switch before {
            case .success(let record?):
                bytes += ",\"before\":".utf8
                JSONText.append(record, to: &bytes)
            case .success(nil): break
            case .failure(let error):
                bytes += ",\"unreadable\":".utf8
                JSONText.append("\(error)", to: &bytes)
                if let stored {
                    bytes += ",\"stored\":".utf8
                    JSONText.append(stored, to: &bytes)
                }
            }
            bytes += ",\"token\":\"\(entry.token)\"}\n".utf8
        }
    }
}

extension Store.Origin {
    /// The origin in words; nil for a call.
    var text: String? {
        switch self {
        case .call: nil
        case .undo: "undo"
        case .copy: "copy"
        case .expiry: "expiry"
        case .taken(let source): "taken from \(source)"
        }
    }
}
