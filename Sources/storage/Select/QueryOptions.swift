import ArgumentParser
import StorageAPI
import TerminalOutput

/// The options that select a command's records.
struct QueryOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("The condition, as in 'age >= 28 and name beginswith \"Ch\"'.", valueName: "condition"))
    var condition: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The order, as in 'age desc, name'.", valueName: "order"))
    var order: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The most records to print.", valueName: "count"))
    var limit: Int?

    @Option(parsing: .unconditional, help: ArgumentHelp("The number of records to skip first.", valueName: "count"))
    var offset: Int?

    /// Tells of the wildcards of SQL, which are letters like others here.
    func tellOfPatterns() throws {
        guard let condition, condition.contains(/(?i)\blike(\[\w+\])?\s+("[^"*?]*%[^"*?]*"|'[^'*?]*%[^'*?]*')/) else {
            return
        }
        var output = Output(.standardError)
        try output.line("storage: like takes * and ?; a % stands for itself.")
        try output.flush()
    }

    /// The records that meet the condition.
    func unsorted<Source>(_ records: Select<DynamicRecord, Source>) -> Select<DynamicRecord, Source> {
        condition.map { records.where(text: $0) } ?? records
    }

    func unsorted(_ model: String, in store: Store) -> Select<DynamicRecord, Store> { unsorted(store.records(model)) }

    /// The records that the options ask for.
    func records(_ model: String, in store: Store) -> Select<DynamicRecord, Store> { all(store.records(model)) }

    /// The same in a snapshot.
    func all<Source>(_ records: Select<DynamicRecord, Source>) -> Select<DynamicRecord, Source> {
        var records = unsorted(records)
        if let order { records = records.order(text: order) }
        if let limit { records = records.limit(limit) }
        if let offset { records = records.offset(offset) }
        return records
    }
}
