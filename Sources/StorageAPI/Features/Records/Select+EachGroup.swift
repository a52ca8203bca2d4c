package import StorageDriver

extension Select where Model == DynamicRecord, Source == Store.Session {
    /// Passes on the types of the columns and the values of each group, in order, holding one group at a time. For the tool.
    ///
    /// - Throws: `invalidQuery` for a text that is no term; `overflow`; errors of every query; the body's errors.
    package func forEachGroup(
        _ groups: TextGroups, _ body: ([ColumnType], [Value]) throws(StorageError) -> Void
    ) throws(StorageError) {
        let wanted = try groups.selection(selection)
        try run { (reading) throws(StorageError) in
            let plan = try reading.handle.plan(wanted, in: reading.session)
            var cursor = try reading.rows(plan)
            let cells = plan.outputs ?? Array(plan.types.indices)
            while try cursor.next() { try body(plan.types, cells.map { cursor.cells[$0].value }) }
        }
    }
}
