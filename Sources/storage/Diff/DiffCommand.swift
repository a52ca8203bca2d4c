import ArgumentParser
import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// `storage diff`.
struct DiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show which records of two stores differ, by model and key.",
        discussion: """
            A line begins with - for a record of the first store alone, with + for one of the second store alone, and with ~ \
            for one that differs, followed by the properties that do.

            Examples:
              storage diff people.db people.karch
              storage diff before.karch after.karch --model Person --json

            Exit codes: 0 the stores are equal; 1 they differ.
            """)

    @Argument(help: "The first store.")
    var first: StoreLocation

    @Argument(help: "The second store.")
    var second: StoreLocation

    @Option(
        help: ArgumentHelp("A model to compare; all by default.", valueName: "name"), completion: ModelCompletion.kind)
    var model: [String] = []

    @Flag(help: "Print a JSON object for each difference, one on each line.")
    var json = false

    @Flag(help: "Print nothing; only set the exit code.")
    var quiet = false

    func run() async throws {
        let count = try await first.with(.reading) { left in
            try await second.with(.reading) { right in try await compare(left, right) }
        }
        if count > 0 { throw ExitCode(ToolExit.negative.rawValue) }
    }

    private func compare(_ left: Store, _ right: Store) async throws -> Int {
        var count = 0
        try await left.differences(from: right, models: model.isEmpty ? nil : model) { difference in
            count += 1
            if !quiet { print(json ? difference.json.text : difference.line) }
        }
        return count
    }
}

extension StoreDifference {
    /// `~ Person 7: age, pens`
    var line: String {
        let sign =
            switch kind {
            case .onlyInFirst: "-"
            case .onlyInSecond: "+"
            case .changed: "~"
            }
        let key = key.map { " " + $0.keyText } ?? ""
        let subject = self.key == nil ? "model \(model)" : model
        let names = properties.isEmpty ? "" : ": " + properties.joined(separator: ", ")
        return "\(sign) \(subject)\(key)\(names)".printable
    }

    var json: JSONValue {
        .object([
            "difference": .string(kind.rawValue), "model": .string(model),
            "key": key.map { .array($0.map(JSONValue.init(key:))) } ?? .null,
            "properties": .array(properties.map(JSONValue.string)),
        ])
    }
}

extension JSONValue {
    /// A part of a key: an integer, a text, or a UUID.
    init(key value: Value) {
        switch value {
        case .int(let number): self = .number("\(number)")
        case .unsigned(let number): self = .number("\(number)")
        case .text(let text): self = .string(text)
        case .null, .double, .blob: self = .string([value].keyText)
        }
    }
}
