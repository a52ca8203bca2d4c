import ArgumentParser
import StorageAPI

/// `storage select`.
struct SelectCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "select", abstract: "Print the records of a model.",
        discussion: """
            Records are printed as they are read, so any number of them takes little memory. Conditions and orders are \
            the text form of queries.

            On a terminal a table leaves out the columns for which a line has no room, and names them. Numbers, dates and keys \
            are never cut. --vertical prints all.

            With --group, --distinct, --sum, --avg, --min or --max it prints results for groups of records, or for all of \
            them. --order, --limit and --offset then apply to the groups: --order 'count desc' or --order 'sum desc'.

            --page prints one page, and the tokens of the pages beside it for --after and --before. JSON is then an object: \
            {"next":…,"previous":…,"records":[…]}. Other formats that programs read have the tokens on the error stream. The \
            order has to be the same for each page; the condition may change.

            Examples:
              storage select people.db Person
              storage select people.db Person --where 'age >= 28 and city.name == "Berlin"' --order 'age desc'
              storage select people.db Person --columns name,age --format csv > people.csv
              storage select orders.db Orders --group ShipCountry --sum Freight --order 'sum desc' --limit 5
              storage select orders.db Orders --group 'year(OrderDate), month(OrderDate)' --sum Freight
              storage select orders.db Orders --group 'hour(OrderDate, "Europe/Berlin")' --chart
              storage select orders.db Orders --group ShipCountry --chart --order 'count desc'
              storage select people.db Person --avg age --min age --max age --json
              storage select people.db Person --distinct city.name
              storage select books.db Book --with author --with tags --json
              storage select people.db Person --order name --page 50
              storage select music.db Track --columns 'Name, AlbumId.Title, Milliseconds / 1000 as seconds'
              storage select orders.db Orders --group ShipCountry --sum Freight --having 'count > 10 and sum > 100'
            """)

    @OptionGroup var target: ModelTarget

    @OptionGroup var query: QueryOptions

    @OptionGroup var pages: PageOptions

    @OptionGroup var related: RelatedOptions

    @OptionGroup var groups: GroupOptions

    @Option(
        help: ArgumentHelp(
            """
            What to print, joined by commas: properties, those of records that they refer to, and what is computed of them: \
            name, AlbumId.Title, price * 2 as double. (default: all properties)
            """, valueName: "terms"))
    var columns: String?

    @Option(help: "The format: table, vertical, json, ndjson, csv, tsv or markdown.")
    var format = RecordFormat.table

    @OptionGroup var delimited: DelimitedOptions

    @OptionGroup var skip: SkipOptions

    @Flag(help: "The same as --format json.")
    var json = false

    @Flag(help: "The same as --format vertical: a line for each property.")
    var vertical = false

    @Flag(help: "Print how the backend would run the query, and not its records.")
    var explain = false

    func validate() throws {
        if skip.skipBad, related.isWanted || explain || groups.isWanted {
            throw ValidationError("--skip-bad is for records as they are; leave --with, --explain and groups out.")
        }
        guard pages.page != nil else { return }
        if query.limit != nil || query.offset != nil {
            throw ValidationError("A page has its size; leave --limit and --offset out.")
        }
        if groups.isWanted || explain || skip.skipBad {
            throw ValidationError("--page is for records as they are; leave groups, --explain and --skip-bad out.")
        }
    }

    func run() async throws {
        try query.tellOfPatterns()
        try await store.with(.reading) { store in
            let schema = try await store.recordSchema(model)
            if let (groups, titles) = try groups.groups(order: query.order, limit: query.limit, offset: query.offset) {
                return try await print(groups, titles: titles, of: store)
            }
            let terms = columns.map(SelectColumns.init)
            guard let columns = try terms.map({ try $0.properties(of: schema) }) ?? schema.properties else {
                return try await print(terms, of: schema, store)
            }
            let records = query.records(model, in: store).only(columns.map(\.name))
            var output = Output()
            if explain {
                try output.line("\(try await records.explain())")
                return try output.flush()
            }
            if skip.skipBad {
                var writer = writer(columns)
                try await ReadableRecords(store: store, schema: schema, query: query).forEach {
                    try writer.write($0, to: &output)
                }
                try writer.finish(&output)
                return try output.flush()
            }
            if let size = pages.page { return try await print(size, columns: columns, of: schema, in: store) }
            if related.isWanted { return try await print(schema, columns: columns, of: store) }
            var writer = writer(columns)
            do {
                for try await fields in records.stream() { try writer.write(fields, to: &output) }
            } catch let error as StorageError {
                throw error.advisingToSkip
            }
            try writer.finish(&output)
            try output.flush()
        }
    }
}

extension SelectCommand {
    private var chosenFormat: RecordFormat { json ? .json : vertical ? .vertical : format }

    private func writer(_ columns: [RecordSchema.Property]) -> any RecordWriter {
        chosenFormat.writer(columns, delimited)
    }

    /// Prints records with others in the place of keys, all of one snapshot, some at a time.
    private func print(
        _ schema: RecordSchema, columns: [RecordSchema.Property], of store: Store
    ) async throws {
        let schemas = try await store.recordSchemas()
        let (model, query, related) = (model, query, related)
        let (format, delimited) = (chosenFormat, delimited)
        try await store.read { snapshot in
            var writer = format.writer(columns, delimited)
            var output = Output()
            var waiting: [DynamicRecord] = []
            func flush(_ snapshot: borrowing Store.Snapshot) throws {
                for record in try related.load(waiting, of: schema, among: schemas, in: snapshot) {
                    try writer.write(record.fields, to: &output)
                }
                waiting.removeAll(keepingCapacity: true)
            }
            let records = query.all(snapshot.records(model))
            try records.forEach { record in
                waiting.append(record)
                if waiting.count == 1000 { try flush(snapshot) }
            }
            try flush(snapshot)
            try writer.finish(&output)
            try output.flush()
        }
    }

    /// Prints one page of records.
    private func print(
        _ size: Int, columns: [RecordSchema.Property], of schema: RecordSchema, in store: Store
    ) async throws {
        let schemas = related.isWanted ? try await store.recordSchemas() : []
        let (model, query, pages, related) = (model, query, pages, related)
        let (format, writer) = (chosenFormat, writer(columns))
        try await store.read { snapshot in
            let page = try pages.read(query.all(snapshot.records(model)), size: size)
            let records = try related.load(page.records, of: schema, among: schemas, in: snapshot)
            var output = Output()
            try page.print(records, as: format, writer, to: &output)
        }
    }

    /// Prints what is computed of records.
    private func print(_ terms: SelectColumns?, of schema: RecordSchema, _ store: Store) async throws {
        guard let terms else { return }
        guard !explain, !related.isWanted, !skip.skipBad, pages.page == nil else {
            throw ToolError(
                """
                Columns of other records and computed ones are printed alone; leave --with, --page, --skip-bad and --explain out.
                """, .usage)
        }
        let (model, query, format, delimited) = (model, query, chosenFormat, delimited)
        try await store.read { snapshot in
            var output = Output()
            var writer: (any RecordWriter)?
            if terms.hasRelevance(schema) {
                let hits = try query.all(snapshot.records(model)).hits().map { ($0.record, $0.relevance) }
                let (columns, records) = try terms.computed(of: hits, schema: schema, in: snapshot)
                var writer = format.writer(columns, delimited)
                for record in records { try writer.write(record.fields, to: &output) }
                try writer.finish(&output)
                return try output.flush()
            }
            try terms.forEach(query.all(snapshot.records(model))) {
                writer = format.writer($0, delimited)
            } _: {
                try writer?.write($0, to: &output)
            }
            try writer?.finish(&output)
            try output.flush()
        }
    }

    /// Checks that what is asked for can be printed.
    func check(in store: Store) async throws {
        let schema = try await store.recordSchema(model)
        let records = query.records(model, in: store)
        if let (groups, _) = try groups.groups(order: query.order, limit: query.limit, offset: query.offset) {
            _ = try await query.unsorted(model, in: store).groups(groups)
        } else if let terms = columns.map(SelectColumns.init), try terms.properties(of: schema) == nil {
            try await store.read { snapshot in
                try terms.forEach(query.all(snapshot.records(model)).limit(0)) { _ in
                } _: { _ in
                }
            }
        } else {
            _ = try await records.explain()
        }
    }

    private func print(_ groups: TextGroups, titles: [String], of store: Store) async throws {
        guard columns == nil, !explain, !related.isWanted else {
            throw ToolError(
                "Groups have the columns of their options; leave --columns, --with and --explain out.", .usage)
        }
        var output = Output()
        let isChart = self.groups.chart
        let keys = groups.keys.count
        try await groups.print(
            titles, of: query.unsorted(model, in: store),
            { isChart ? RecordChart($0, keys: keys) : writer($0) }, to: &output)
        try output.flush()
    }
}

/// `storage count`.
struct CountCommand: AsyncParsableCommand, ModelCommand {
    static let configuration = CommandConfiguration(
        commandName: "count", abstract: "Print how many records a model has.",
        discussion: """
            Examples:
              storage count people.db Person
              storage count people.db Person --where 'age >= 28'
            """)

    @OptionGroup var target: ModelTarget

    @OptionGroup var query: QueryOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        try query.tellOfPatterns()
        try await store.with(.reading) { store in
            let count = try await query.records(model, in: store).count()
            var output = Output()
            try output.line(json ? "{\"count\":\(count)}" : String(count))
            try output.flush()
        }
    }
}
