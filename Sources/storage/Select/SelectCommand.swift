import ArgumentParser
import StorageAPI

/// `storage select`.
struct SelectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "select", abstract: "Print the records of a model.",
        discussion: """
            Records are printed as they are read, so any number of them takes little memory. Conditions and orders are \
            the text form of queries.

            Examples:
              storage select people.db Person
              storage select people.db Person --where 'age >= 28 and city.name == "Berlin"' --order 'age desc'
              storage select people.db Person --columns name,age --format csv > people.csv
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The model's stored name.", valueName: "model"))
    var model: String

    @OptionGroup var query: QueryOptions

    @Option(help: ArgumentHelp("The properties to print, joined by commas. (default: all)", valueName: "names"))
    var columns: String?

    @Option(help: "How to print: table, json, ndjson or csv.")
    var format = RecordFormat.table

    @Flag(help: "The same as --format json.")
    var json = false

    @Flag(help: "Print how the backend would run the query, and not its records.")
    var explain = false

    private var names: [String]? {
        columns.map { $0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) } }
    }

    func run() async throws {
        try await store.with(.reading) { store in
            let schema = try await store.recordSchema(model)
            let columns = try schema.properties(named: names)
            let records = query.records(model, in: store).only(columns.map(\.name))
            var output = Output()
            if explain {
                try output.line("\(try await records.explain())")
                return try output.flush()
            }
            var writer = (json ? .json : format).writer(columns)
            for try await fields in records.stream() { try writer.write(fields, to: &output) }
            try writer.finish(&output)
            try output.flush()
        }
    }
}

/// `storage count`.
struct CountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Print how many records a model has.",
        discussion: """
            Examples:
              storage count people.db Person
              storage count people.db Person --where 'age >= 28'
            """)

    @Argument(help: StoreLocation.help)
    var store: StoreLocation

    @Argument(help: ArgumentHelp("The model's stored name.", valueName: "model"))
    var model: String

    @OptionGroup var query: QueryOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try await store.with(.reading) { store in
            let count = try await query.records(model, in: store).count()
            var output = Output()
            try output.line(json ? "{\"count\":\(count)}" : String(count))
            try output.flush()
        }
    }
}
