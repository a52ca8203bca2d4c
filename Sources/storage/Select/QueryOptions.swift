import ArgumentParser
import StorageAPI

/// Which records a command is about.
struct QueryOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp("The condition, as in 'age >= 28 and name beginswith \"Ch\"'.", valueName: "condition"))
    var condition: String?

    @Option(help: ArgumentHelp("The order, as in 'age desc, name'.", valueName: "order"))
    var order: String?

    @Option(help: ArgumentHelp("The most records to print.", valueName: "count"))
    var limit: Int?

    @Option(help: ArgumentHelp("How many records to skip first.", valueName: "count"))
    var offset: Int?

    /// The records that the options ask for.
    func records(_ model: String, in store: Store) -> Select<DynamicRecord, Store> {
        var records = store.records(model)
        if let condition { records = records.where(text: condition) }
        if let order { records = records.order(text: order) }
        if let limit { records = records.limit(limit) }
        if let offset { records = records.offset(offset) }
        return records
    }
}
