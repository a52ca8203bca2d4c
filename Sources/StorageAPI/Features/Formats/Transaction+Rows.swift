package import StorageDriver

/// Records that their reader writes as rows, without creating a value for each: for imports by the tool.
extension Store.Transaction {
    /// The columns of a recorded model, in the order in which a row writer takes them, and the index of the column whose
    /// integers the store assigns; nil for a model with children, or with keys assigned in another way.
    package func flatColumns(
        of model: StoredName
    ) throws(StorageError) -> (columns: [FlatColumn], assigned: Int?)? {
        let tables = try context.writing(.recorded(model)).model
        let root = tables.root
        guard !tables.hasChildren, tables.assigns != .uuid else { return nil }
        let columns = root.columns.map { root.schema.columns[$0] }
        guard columns.allSatisfy({ $0.role == .property }) else { return nil }
        let flat = columns.map { FlatColumn(name: $0.property, type: $0.type, isOptional: $0.isOptional) }
        return (flat, tables.assigns == nil ? nil : root.keyCells.first)
    }

    /// Inserts or saves records of such a model as one call: all of them, or none if one fails.
    ///
    /// - Parameters:
    ///   - isReplacing: whether records with their keys are replaced.
    ///   - write: writes the columns of the record at an index; the number is its key if the store assigns one.
    /// - Throws: errors of `write` and of the verbs.
    package func put(
        _ count: Int, rowsOf model: StoredName, replacing isReplacing: Bool, assigningKeys: Bool,
        _ write: (_ index: Int, _ key: Int64, _ row: inout RowWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        do throws(StorageError) {
            try context.atomically { () throws(StorageError) in
                let writing = try context.writing(.recorded(model))
                let first = assigningKeys ? try writing.keys(for: count) : 0
                try writing.put(count, isReplacing ? .upsert : .insert) { (index, rows) throws(StorageError) in
                    var index = index
                    while index < count, rows.hasRoom {
                        var row = rows.begin()
                        try write(index, first &+ Int64(index), &row)
                        guard try rows.end(row) else { break }
                        index += 1
                    }
                    return index
                }
            }
        } catch {
            throw context.tracking(error.at(operation: isReplacing ? "save" : "insert", model: model))
        }
    }
}

extension RecordWriter {
    /// The first of so many keys that the store assigns.
    fileprivate func keys(for count: Int) throws(StorageError) -> Int64 {
        let greatest = try writer.greatestKey(in: model.root.schema)
        let first = greatest.addingReportingOverflow(1)
        guard !first.overflow, !first.partialValue.addingReportingOverflow(Int64(count)).overflow else {
            throw StorageError(.overflow, "The next assigned keys are beyond the range of integers.", model: model.name)
        }
        return first.partialValue
    }
}
