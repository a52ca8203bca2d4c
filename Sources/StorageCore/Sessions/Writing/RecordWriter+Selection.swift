import StorageDriver

/// Writes to the records of a selection.
extension RecordWriter {
    /// The number of a selection's keys that are held at a time.
    private static var keysOfPart: Int { 4096 }

    /// Deletes the records of a selection with all owned records; returns the number of records.
    package func delete(_ selection: Selection) throws(StorageError) -> Int {
        // Denials are checked after all cascades, so the rules take all keys at once.
        guard try context.referrers(to: handle).isEmpty, !decidesDeletions else {
            return try delete(RecordReader(handle: handle, session: writer).keyValues(selection))
        }
        if let count = try deleteChosen(selection) { return count }
        return try eachPart(of: selection) { (keys) throws(StorageError) in
            let cells = keys.cells
            return try deleteRows(cells.rows)
        }
    }

    /// Lets the engine delete the records of a selection by itself; nil if it does not, or if a layer needs their keys.
    private func deleteChosen(_ selection: Selection) throws(StorageError) -> Int? {
        guard !model.root.schema.isForeign, let writer = writer as? any QueryDeletingWriter else {
            return nil
        }
        var lowering = QueryLowering(handle, in: writer)
        let (query, arguments) = try handle.query(selection, .columns(model.root.schema.key), by: &lowering)
        guard !query.isLimited, query.order.isEmpty else { return nil }
        let owned =
            model.tables.dropFirst().map { handle.plan(.delete, table: $0.index) }
            + handle.undeclaredWrites.map(\.delete)
        // Owned rows are deleted first, so no condition may ask for them, nor for other records, which may own some of them.
        guard owned.isEmpty || query.filter?.asksForRows != true else { return nil }
        let keys = handle.plan(query, others: lowering.others)
        for plan in owned { _ = try writer.delete(plan, keysOf: keys, arguments) }
        return try writer.delete(handle.plan(.delete), keysOf: keys, arguments)
    }

    /// Passes the keys of a selection to a write of these records, a part at a time in the order of keys, so that any number
    /// of records needs the same memory.
    ///
    /// All keys come in one part where a write to one record may decide whether another is selected: where the
    /// conditions follow references. So they do where a condition computes, since it must be computed for every record
    /// each time (``Query/isComputedWhole``), and where the selection has an order or a limit.
    ///
    /// - Returns: the sum of the closure's results.
    package func eachPart(
        of selection: Selection, _ write: (KeyList) throws(StorageError) -> Int
    ) throws(StorageError) -> Int {
        let key = model.root.schema.key
        var lowering = QueryLowering(handle, in: writer)
        var (query, arguments) = try handle.query(selection, .columns(key), by: &lowering)
        let isWhole = lowering.leavesRecord || query.canFail || query.isLimited || !query.order.isEmpty
        let first = arguments.values.count
        if !isWhole { (query.isLimited, arguments.limit) = (true, Self.keysOfPart) }
        var count = 0
        while true {
            let plan = handle.plan(query, others: lowering.others)
            let keys = try writer.rows(plan, arguments).keys(width: model.rootKeyCount)
            guard let last = keys.last else { return count }
            count += try write(keys)
            if isWhole || keys.count < Self.keysOfPart { return count }
            if arguments.values.count == first {
                let isAfter = model.root.schema.isAfterKey(argument: first)
                query.filter = .and([isAfter] + (query.filter.map { [$0] } ?? []))
            }
            arguments.values.replaceSubrange(first..., with: last)
        }
    }
}

extension TableSchema {
    /// Returns the term that a row's key comes after the values of these arguments.
    package func isAfterKey(argument: Int) -> QueryTerm {
        let parts = key.enumerated().map { (place, column) in
            (column: QueryTerm.column(column), value: QueryTerm.argument(argument + place), type: columns[column].type)
        }
        let terms = parts.indices.map { last in
            let equal = parts[..<last].map { QueryTerm.comparison(.equal, $0.column, $0.value, $0.type) }
            let part = parts[last]
            return QueryTerm.and(equal + [.comparison(.greater, part.column, part.value, part.type)])
        }
        // The first part's bound is said by itself as well: by it an engine finds its place in the table.
        let bound = parts.prefix(1).map { QueryTerm.comparison(.greaterOrEqual, $0.column, $0.value, $0.type) }
        return .and(bound + [.or(terms)])
    }
}

extension QueryTerm {
    /// True if its value depends on other rows.
    fileprivate var asksForRows: Bool {
        switch self {
        case .related, .relatedCount, .relatedAggregate, .quantified: return true
        default:
            var asks = false
            _ = replacingOperands { term in
                asks = asks || term.asksForRows
                return term
            }
            return asks
        }
    }
}
