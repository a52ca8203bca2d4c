import ArgumentParser
import StorageAPI

/// Which records a command is about.
struct QueryOptions: ParsableArguments {
    @Option(
        name: .customLong("where"), parsing: .unconditional,
        help: ArgumentHelp("The condition, as in 'age >= 28 and name beginswith \"Ch\"'.", valueName: "condition"))
    var condition: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("The order, as in 'age desc, name'.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("The most records to print.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("How many records to skip first.", valueName: "count"))
    var offset: Int?

    /// The records that meet the condition.
    func unsorted(_ model: String, in store: Store) -> Select<DynamicRecord, Store> {
        let records = store.records(model)
        return condition.map { records.where(text: $0) } ?? records
    }

    /// The records that the options ask for.
    func records(_ model: String, in store: Store) -> Select<DynamicRecord, Store> {
        var records = unsorted(model, in: store)
        if let order { records = records.order(text: order) }
        if let limit { records = records.limit(limit) }
        if let offset { records = records.offset(offset) }
        return records
    }
}
