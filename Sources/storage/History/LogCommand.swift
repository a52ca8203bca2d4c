import ArgumentParser
import Foundation
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage log`.
struct LogCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Print the commits of a history with their changes: each property before and after.",
        discussion: """
            A commit is its number, its time in UTC, its origin if it is no call of a program, and who says why. Below it are \
            its records: new (+), changed (~), gone (-), changed by a rule of a reference (^), or all of a model (*). The \
            earliest commit comes first.

            With --json each line is a commit, with its token and its changes. A program that reads on gives the last token that it \
            has seen.

            Examples:
              storage log people.db --limit 10                      the last ten commits
              storage log people.db --model Person --key 7          the changes of one record, by whom and when
              storage log people.db --json --since 6F9C2A54-0E0B-4B7E-9A4F-2D1C34B6F7A1:42

            Exit codes: 0 done; 65 no history is kept, or the token is older than what is kept, or of another \
            store.
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Option(
        help: ArgumentHelp("A model's stored name; all by default.", valueName: "name"),
        completion: ModelCompletion.kind)
    var model: [String] = []

    @Option(
        help: ArgumentHelp(
            "Print the changes of this record of the model alone; one for each property of the key.",
            valueName: "value"))
    var key: [String] = []

    @Option(help: ArgumentHelp("Print the commits after a token, as --json prints it.", valueName: "token"))
    var since: String?

    @Option(
        help: ArgumentHelp("Print so many commits: the last ones, or the first ones after --since.", valueName: "count")
    )
    var limit: Int?

    @Flag(help: "Print each commit as a JSON object.")
    var json = false

    /// The models whose changes are printed; nil for all.
    private var models: Set<String>? { model.isEmpty ? nil : Set(model) }

    func validate() throws {
        if !key.isEmpty, model.count != 1 { throw ValidationError("--key is of a record of one --model.") }
        if let limit, limit < 1 { throw ValidationError("--limit is 1 at least.") }
    }

    func run() async throws {
        let command = self
        let start = try since.map { text in
            guard let token = Store.HistoryToken(text) else {
                throw ToolError("\(text) is not a token of a history; --json prints them.", .usage)
            }
            return token
        }
        try await Interruption.cancelling {
            try await command.store.with(.reading) { try await command.print($0, after: start) }
        }
    }

    private func print(_ store: Store, after start: Store.HistoryToken?) async throws {
        try await store.requireHistory(of: model)
        let schemas = try await store.recordSchemas()
        var record: [Value]?
        if let model = model.first, !key.isEmpty { record = try await store.recordSchema(model).key(key) }
        let keys = schemas.reduce(into: [:]) { $0[$1.storedName] = $1.keyProperties }
        var output = Output()
        if let limit, start == nil, record == nil {
            for commit in try await store.commits(last: limit, of: models).commits {
                try LoggedCommit(commit: commit, keys: keys, record: nil).write(to: &output, asJSON: json)
            }
            return try output.flush()
        }
        // Without a token the last commits of the record are wanted, and they are known at the end.
        var waiting: [Store.HistoryCommit] = []
        var count = 0
        var token = start
        var isLast = false
        while !isLast {
            try Task.checkCancellation()
            let page = try await store.commits(since: token, of: models)
            (token, isLast) = (page.next, page.isLast)
            for commit in page.commits where record.map({ key in commit.changes.contains { $0.concerns(key) } }) ?? true
            {
                if let limit, start == nil {
                    waiting.append(commit)
                    if waiting.count > limit { waiting.removeFirst() }
                    continue
                }
                try LoggedCommit(commit: commit, keys: keys, record: record).write(to: &output, asJSON: json)
                count += 1
                if count == limit { return try output.flush() }
            }
        }
        for commit in waiting {
            try LoggedCommit(commit: commit, keys: keys, record: record).write(to: &output, asJSON: json)
        }
        try output.flush()
    }
}

extension Store.RecordDelta {
    /// Returns whether the change may have changed a record.
    fileprivate func concerns(_ record: [Value]) -> Bool { kind == .everything || key == record }
}

/// A commit as it is printed.
private struct LoggedCommit {
    let commit: Store.HistoryCommit
    /// The properties of the models' keys.
    let keys: [StoredName: [RecordSchema.Property]]
    /// The key of the only record to print; nil for all.
    let record: [Value]?

    /// A longer value is cut in text.
    private static let width = 60

    func write(to output: inout Output, asJSON: Bool) throws {
        if asJSON {
            try output.write { bytes in
                appendObject(to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
        } else {
            for line in lines { try output.line(line.printable) }
        }
    }

    private var changes: [Store.RecordDelta] {
        guard let record else { return commit.changes }
        return commit.changes.filter { $0.concerns(record) }
    }

    private var time: String { PastMoment.text(commit.time) }

    private func key(of change: Store.RecordDelta) -> RecordKey {
        RecordKey(values: change.key, properties: keys[StoredName(change.model)] ?? [])
    }

    // MARK: Text

    private var lines: [String] {
        let signature = [commit.author.map { "by \($0)" }, commit.note].compactMap(\.self).joined(separator: ": ")
        let head = [
            "\(commit.number)", time, commit.origin.text.map { "(\($0))" }, signature.isEmpty ? nil : signature,
        ]
        return [head.compactMap(\.self).joined(separator: "  ")] + changes.map(line)
    }

    private func line(_ change: Store.RecordDelta) -> String {
        let mark =
            switch change.kind {
            case .everything: "*"
            case _ where change.byRule: "^"
            case .inserted: "+"
            case .updated: "~"
            case .deleted: "-"
            }
        guard change.kind != .everything else { return "  \(mark) \(change.model)" }
        let start = "  \(mark) \(change.model) \(key(of: change).text)"
        do throws(StorageError) {
            let properties = try change.properties().map { text($0, change.kind) }
            return properties.isEmpty ? start : "\(start)  \(properties.joined(separator: "; "))"
        } catch {
            // A history of keys has no more.
            return error.code == .notKept ? start : "\(start)  (\(error.code.rawValue): \(error.message))"
        }
    }

    private func text(_ property: Store.RecordDelta.PropertyChange, _ kind: Store.RecordDelta.Kind) -> String {
        switch kind {
        case .inserted: "\(property.name): \(Self.text(property.after))"
        case .deleted: "\(property.name): \(Self.text(property.before))"
        case .updated, .everything: "\(property.name): \(Self.text(property.before)) → \(Self.text(property.after))"
        }
    }

    private static func text(_ content: DynamicRecord.Content?) -> String {
        guard let content else { return "-" }
        var bytes: [UInt8] = []
        JSONText.append(content, to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        return text.count > width ? "\(text.prefix(width - 1))…" : text
    }

    // MARK: JSON

    private func appendObject(to bytes: inout [UInt8]) {
        bytes += "{\"commit\":\(commit.number),\"time\":\"\(time)\"".utf8
        Self.append(["author": commit.author, "note": commit.note, "origin": commit.origin.text ?? "call"], to: &bytes)
        bytes += ",\"token\":\"\(commit.token)\",\"changes\":".utf8
        JSONText.append(changes, open: "[", close: "]", to: &bytes) { append($0, to: &$1) }
        bytes.append(UInt8(ascii: "}"))
    }

    /// Appends the members that have a text.
    private static func append(_ members: KeyValuePairs<String, String?>, to bytes: inout [UInt8]) {
        for (name, text) in members {
            guard let text else { continue }
            bytes += ",\"\(name)\":".utf8
            JSONText.append(text, to: &bytes)
        }
    }

    private func append(_ change: Store.RecordDelta, to bytes: inout [UInt8]) {
        bytes += "{\"kind\":\"\(change.kind.rawValue)\"".utf8
        Self.append(["model": change.model], to: &bytes)
        if change.kind != .everything {
            bytes += ",\"key\":".utf8
            key(of: change).append(to: &bytes)
        }
        if change.byRule { bytes += ",\"byRule\":true".utf8 }
        do throws(StorageError) {
            let properties = try change.properties()
            bytes += ",\"properties\":".utf8
            JSONText.append(properties, open: "{", close: "}", to: &bytes) { property, bytes in
                JSONText.append(property.name, to: &bytes)
                bytes += ":{".utf8
                var comma = ""
                for (name, content) in [("before", property.before), ("after", property.after)] {
                    guard let content else { continue }
                    bytes += "\(comma)\"\(name)\":".utf8
                    JSONText.append(content, to: &bytes)
                    comma = ","
                }
                bytes.append(UInt8(ascii: "}"))
            }
        } catch {
            if error.code != .notKept { Self.append(["unreadable": "\(error)"], to: &bytes) }
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
