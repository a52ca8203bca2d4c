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

    /// Passes on the columns and then each record, holding few of them. All are of one snapshot, unless bad ones are skipped.
    func forEach(
        in store: Store, begin: ([RecordSchema.Property]) -> Void, _ body: ([DynamicRecord.Field]) throws -> Void
    ) async throws {
        guard let properties else {
            guard let terms else { return }
            return try store.blocking.read { snapshot in
                try terms.forEach(query.all(snapshot.records(schema.name)), begin: begin, body)
            }
        }
        begin(properties)
        if skip.skipBad {
            return try await ReadableRecords(store: store, schema: schema, query: query).forEach(body)
        }
        let records = query.records(schema.name, in: store)
        do {
            if related.isWanted {
                for try await record in records.with(related.paths).stream() { try body(record.fields) }
            } else {
                for try await fields in records.only(properties.map(\.name)).stream() { try body(fields) }
            }
        } catch let error as StorageError {
            throw error.advisingToSkip
        }
    }
}
