import StorageDriver

// Clause R2: when a call or a transaction ends, every reference that it has written names a stored record.
extension RecordWriter {
    /// Looks for the records that the rows refer to, once for each property. A missing one may be stored later in the
    /// same call or transaction.
    func resolveReferences(in graph: GraphWriter) throws(StorageError) {
        for table in model.tables {
            let rows = graph.buffers[table.index]
            guard rows.count > 0 else { continue }
            for reference in table.references where reference.schema.onDelete != .unchecked {
                guard let first = reference.cells.first else { continue }
                var keys = KeyIndex(width: reference.cells.count, most: 0)
                for index in 0..<rows.count where !rows.row(index)[first].isNull {
                    _ = keys.number(of: rows.row(index), reference.cells)
                }
                try resolve(keys.keys, reference, in: table)
            }
        }
    }

    /// Looks for the records that columns of the root were set to refer to.
    func resolveReferences(_ columns: [Int], _ rows: some Collection<[Value]>) throws(StorageError) {
        for reference in model.root.references where reference.schema.onDelete != .unchecked {
            let places = reference.columns.compactMap { columns.firstIndex(of: $0) }
            guard places.count == reference.columns.count, let first = places.first else { continue }
            let named = rows.lazy.filter { !$0[first].isNull }.map { row in places.map { row[$0] } }
            try resolve(KeyList(width: places.count, named).distinct, reference, in: model.root)
        }
    }

    /// - Parameter keys: the keys that the rows of a table refer to, each once.
    func resolve(
        _ keys: KeyList, _ reference: ReferenceBinding, in table: TableBinding
    ) throws(StorageError) {
        guard keys.count > 0 else { return }
        let missing = try context.handle(reference.target).missing(keys, in: writer)
        guard !missing.isEmpty else { return }
        context.add(
            unresolved: missing, UnresolvedReferences.Place(reference: reference, model: model, table: table.index))
    }
}

/// References that were written before their records. They are looked at again when the call or the transaction ends.
///
/// Used only by the thread that runs the write.
final class UnresolvedReferences {
    struct Place {
        let reference: ReferenceBinding
        let model: ModelTables
        let table: Int

        fileprivate var name: String {
            let path = model.tables[table].schema.path.dropFirst()
            return (path + (reference.schema.isElement ? [] : [reference.property])).joined(separator: ".")
        }
    }

    private var places: [StoredName: (place: Place, keys: Set<[Value]>)] = [:]
    /// The added references, in order.
    private var added: [(place: StoredName, key: [Value])] = []

    func add(_ keys: [[Value]], _ place: Place) {
        let id = StoredName(place.model.tables[place.table].schema.name + "." + place.reference.property)
        for key in keys where places[id, default: (place, [])].keys.insert(key).inserted { added.append((id, key)) }
    }

    /// The position to which a savepoint can return.
    var mark: Int { added.count }

    /// Forgets the references that an undone savepoint has added.
    func undo(to mark: Int) {
        for (place, key) in added[mark...] {
            places[place]?.keys.remove(key)
            if places[place]?.keys.isEmpty == true { places[place] = nil }
        }
        added.removeSubrange(mark...)
    }

    /// - Throws: `constraint` with the first record that refers to a record that is not stored.
    func check(_ context: TransactionContext) throws(StorageError) {
        guard let found = try dangling(context, most: 1).first else { return }
        throw StorageError(
            .constraint,
            "\(found.property) refers to \(found.target) \(found.targetKey.keyText), which is not "
                + "stored. Store it before, or in the same call or transaction.",
            model: found.model, key: found.key, property: found.property)
    }

    /// The references that still lead to records that are not stored, at most a number of them for each property.
    func dangling(_ context: TransactionContext, most: Int? = nil) throws(StorageError) -> [DanglingReference] {
        var found: [DanglingReference] = []
        for (_, entry) in places.sorted(by: { $0.key < $1.key }) {
            found += try dangling(entry.place, entry.keys, most: most, in: context)
            if let most, found.count >= most { break }
        }
        return found
    }

    private func dangling(
        _ place: Place, _ keys: Set<[Value]>, most: Int?, in context: TransactionContext
    ) throws(StorageError) -> [DanglingReference] {
        let writer = try context.openWriter(place.model.name)
        let width = place.reference.columns.count
        let target = try context.handle(place.reference.target)
        let missing = try target.missing(KeyList(width: width, keys), in: writer)
        guard !missing.isEmpty else { return [] }
        // The row that referred to it may have been changed or deleted since.
        return try DanglingReference.all(
            from: place.reference.columns, of: place.model.tables[place.table].schema, named: place.name,
            owner: (place.model.name, place.model.rootKeyCount), to: KeyList(width: width, missing), of: target.name,
            most: most, in: writer)
    }
}

/// A reference to a record that is not stored.
struct DanglingReference {
    /// The record that has the reference.
    let model: StoredName
    let key: [Value]
    /// The path of its property.
    let property: String
    let target: StoredName
    let targetKey: [Value]

    /// The references in a table's columns to records with some keys.
    ///
    /// - Parameters:
    ///   - owner: the name of the table's model, and the number of parts of its keys.
    ///   - most: the greatest number that is wanted; nil for all.
    static func all(
        from columns: [Int], of table: TableSchema, named property: String, owner: (name: StoredName, keyCount: Int),
        to keys: KeyList, of target: StoredName, most: Int? = nil, in session: any StorageSession
    ) throws(StorageError) -> [DanglingReference] {
        var query = Query(.columns(table.key + columns), filter: .refers(columns, of: table, list: 0))
        query.isLimited = most != nil
        let plan = QueryPlan(id: nil, query: query, table: table, tables: [table])
        var cursor = try session.rows(plan, QueryArguments(lists: [keys.list], limit: most))
        var found: [DanglingReference] = []
        while try cursor.next() {
            found.append(
                DanglingReference(
                    model: owner.name, key: (0..<owner.keyCount).map { cursor.cells[$0].value }, property: property,
                    target: target, targetKey: columns.indices.map { cursor.cells[table.key.count + $0].value }))
        }
        return found
    }
}
