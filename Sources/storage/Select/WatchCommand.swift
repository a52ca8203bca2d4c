import ArgumentParser
import StorageAPI
import StorageJSON

/// `storage watch`.
struct WatchCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch", abstract: "Print each change of a model's records as it is committed.",
        discussion: """
            A line is one record that is new (+), changed (~) or gone (-), as JSON. Of changes that follow each other \
            quickly only the last is printed. It ends when it is interrupted.

            Examples:
              storage watch people.db Person
              storage watch people.db Person --where 'age >= 28' --json
              storage watch people.db Person --order 'age desc' --limit 10 --present
            """)

    @OptionGroup var target: ModelTarget

    @OptionGroup var query: QueryOptions

    @Flag(help: "Print the stored records first, as new ones.")
    var present = false

    @Flag(help: "Print each change as a JSON object: {\"change\":\"inserted\",\"record\":{…}}, or changed, or removed.")
    var json = false

    func run() async throws {
        let (store, model, query, present, json) = (store, model, query, present, json)
        try await Interruption.cancelling {
            try await store.with(.reading) { store in
                _ = try await store.recordSchema(model)
                var output = Output()
                var isFirst = true
                for try await step in query.records(model, in: store).updates() {
                    if present || !isFirst { try Self.write(step, asObjects: json, to: &output) }
                    isFirst = false
                    try output.flush()
                }
            }
        }
    }

    private static func write(
        _ step: Select<DynamicRecord, Store>.Step, asObjects: Bool, to output: inout Output
    ) throws {
        func write(_ records: [DynamicRecord], mark: String, change: String) throws {
            for record in records {
                try output.write { bytes in
                    bytes += (asObjects ? "{\"change\":\"\(change)\",\"record\":" : "\(mark) ").utf8
                    JSONText.append(record, to: &bytes)
                    bytes += (asObjects ? "}\n" : "\n").utf8
                }
            }
        }
        try write(step.difference.removed.map(\.record), mark: "-", change: "removed")
        try write(step.difference.inserted.map { step.records[$0] }, mark: "+", change: "inserted")
        try write(step.difference.changed.map { step.records[$0.to] }, mark: "~", change: "changed")
    }
}
