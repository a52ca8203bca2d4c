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
              storage select books.db Book --group tags --order 'count desc'     each tag of each book
              storage select people.db Person --group pens.color --sum pens.price
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
            let printed = try PrintedRecords(of: schema, query, columns: columns, related: related, skip: skip)
            if explain { return try await explain(printed.properties, in: store) }
            if let size = pages.page {
                return try await print(size, columns: try stored(printed.properties), in: store)
            }
            var output = Output()
            try await printed.write(from: store, to: &output, writer)
            try output.flush()
        }
    }
}

extension SelectCommand {
    private var chosenFormat: RecordFormat { json ? .json : vertical ? .vertical : format }

    private func writer(_ columns: [RecordSchema.Property]) -> any RecordWriter {
        chosenFormat.writer(columns, delimited)
    }

    /// Prints how the backend would run the query.
    private func explain(_ columns: [RecordSchema.Property]?, in store: Store) async throws {
        var output = Output()
        let records = query.records(model, in: store).only(try stored(columns).map(\.name))
        try output.line("\(try await records.explain())")
        try output.flush()
    }

    /// The columns, which must not be computed.
    private func stored(_ columns: [RecordSchema.Property]?) throws -> [RecordSchema.Property] {
        guard let columns else {
            throw ToolError(
                "Columns of other records and computed ones are printed alone; leave --page and --explain out.", .usage)
        }
        return columns
    }

    /// Prints one page of records.
    private func print(
        _ size: Int, columns: [RecordSchema.Property], in store: Store
    ) async throws {
        let (model, query, pages, related) = (model, query, pages, related)
        let (format, writer) = (chosenFormat, writer(columns))
        try await store.read { snapshot in
            let selected = query.all(snapshot.records(model))
            let page = try pages.read(selected, size: size)
            let records = try selected.with(related.paths, of: page.records)
            var output = Output()
            try page.print(records, as: format, writer, to: &output)
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
