import StorageAPI

/// The records of a query as `select` and `export` print them: with chosen or computed columns, with other records in the place of
/// keys, or without those that cannot be read.
struct PrintedRecords: Sendable {
    private let schema: RecordSchema
    private let query: QueryOptions
    private let related: RelatedOptions
    private let skip: SkipOptions
    private let terms: SelectColumns?
    /// The properties to print; nil if columns are computed.
    let properties: [RecordSchema.Property]?

    /// - Parameter columns: the terms of `--columns`; nil for all properties.
    init(
        of schema: RecordSchema, _ query: QueryOptions, columns: String?, related: RelatedOptions, skip: SkipOptions
    ) throws {
        (self.schema, self.query, self.related, self.skip) = (schema, query, related, skip)
        terms = columns.map(SelectColumns.init)
        properties = try terms.map { try $0.properties(of: schema) } ?? schema.shownProperties
        guard properties != nil || !related.isWanted && !skip.skipBad else {
            throw ToolError(
                "Columns of other records and computed ones are printed alone; leave --with and --skip-bad out.", .usage
            )
        }
    }

    /// Writes all records, holding few of them. All are of one snapshot, unless bad ones are skipped.
    ///
    /// - Parameters:
    ///   - makeWriter: makes the writer of records with some columns.
    ///   - each: called after each record.
    func write(
        from store: Store, to output: inout Output, _ makeWriter: ([RecordSchema.Property]) -> any RecordWriter,
        each: () throws -> Void = {}
    ) async throws {
        var writer: (any RecordWriter)?
        func write(_ fields: [DynamicRecord.Field]) throws {
            try writer?.write(fields, to: &output)
            try each()
        }
        if let properties {
            let begun = makeWriter(properties)
            writer = begun
            if skip.skipBad {
                try await ReadableRecords(store: store, schema: schema, query: query).forEach(write)
            } else {
                do {
                    if var rows = begun as? any CellWriter, !related.isWanted,
                        try self.write(properties, from: store, to: &output, &rows, each: each)
                    {
                        writer = rows
                    } else if related.isWanted {
                        let records = query.records(schema.name, in: store).with(related.paths)
                        for try await record in records.stream() { try write(record.fields) }
                    } else {
                        let records = query.records(schema.name, in: store).only(properties.map(\.name))
                        for try await fields in records.stream() { try write(fields) }
                    }
                } catch let error as StorageError {
                    throw error.advisingToSkip
                }
            }
        } else if let terms {
            try store.blocking.read { snapshot in
                try terms.forEach(query.all(snapshot.records(schema.name)), begin: { writer = makeWriter($0) }, write)
            }
        }
        try writer?.finish(&output)
    }

    /// Writes records that are one row each.
    ///
    /// - Returns: false if the model's records are more than that; nothing is written then.
    private func write(
        _ properties: [RecordSchema.Property], from store: Store, to output: inout Output,
        _ writer: inout any CellWriter, each: () throws -> Void
    ) throws -> Bool {
        try store.blocking.read { snapshot in
            var failure: (any Error)?
            let records = query.all(snapshot.records(schema.name)).only(properties.map(\.name))
            let isWhole = try records.forEachRow {
                writer.begin($0)
            } _: { row in
                do {
                    try writer.write(row, to: &output)
                    try each()
                } catch {
                    failure = error
                }
                return failure == nil
            }
            if let failure { throw failure }
            return isWhole
        }
    }
}
