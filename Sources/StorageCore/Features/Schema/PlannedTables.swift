import StorageDriver

/// The tables of a store while models are compared with them, one after the other. The cost of a comparison does not
/// depend on the number of other models.
struct PlannedTables {
    /// The names of the models, in the order in which they were made.
    private var order: [StoredName]
    private let recorded: [StoredName: [TableSchema]]
    private var planned: [StoredName: [TableSchema]] = [:]
    /// The names of all tables.
    var names: NameAllocator

    init(_ recorded: [TableSchema], reservedPrefixes: [String]) {
        names = NameAllocator(used: recorded.map(\.name), reservedPrefixes: reservedPrefixes)
        self.recorded = recorded.byModel
        order = recorded.filter(\.isRoot).map { $0.storedPath[0] }
    }

    /// A model's tables: as they are after its steps if it was compared, and as they are recorded otherwise.
    subscript(model: StoredName) -> [TableSchema] {
        get { planned[model] ?? recorded[model] ?? [] }
        set {
            if planned[model] == nil, recorded[model] == nil { order.append(model) }
            planned[model] = newValue
        }
    }

    /// Expiry deletes a record and all records that cascade from it, whatever refers to them, so no reference may deny
    /// that.
    ///
    /// A denial that the store has recorded already fails no write (``ExpiryRemoval``).
    func requireNoDenial() throws(StorageError) {
        let denials = ExpiryDenial.all(in: order.flatMap { self[$0] })
        guard !denials.isEmpty else { return }
        let known = Set(ExpiryDenial.all(in: order.flatMap { recorded[$0] ?? [] }))
        guard let denial = denials.first(where: { !known.contains($0) }) else { return }
        throw StorageError(
            .configuration, denial.message + "; give it another rule with @Reference(onDelete:).", operation: "open",
            model: denial.model, property: denial.property.text)
    }
}
