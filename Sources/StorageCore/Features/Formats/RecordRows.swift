import StorageDriver

/// Records as rows in memory, written as one type and read as another: models, records without types, or JSON.
///
/// The rows have numbers in place of keys, so several records may have one key, or none yet. Used by one thread at a time.
package final class RecordRows {
    package let graph: GraphWriter
    private let handle: ModelHandle

    /// - Parameter model: the tables of a model as it is declared.
    init(_ model: ModelTables, limits: BackendInfo.Limits) throws(StorageError) {
        handle = try ModelHandle(model.numbered(), directory: ModelDirectory())
        graph = GraphWriter(handle.tables, limits: limits)
    }

    /// The number of records.
    package var count: Int { graph.buffers[0].count }

    /// True if they should be read before more are added.
    package var isFull: Bool { graph.isFull }

    /// Adds a record.
    ///
    /// - Throws: `invalidValue` or `limitExceeded`. The record is not added then.
    package func add(_ value: some Storable) throws(StorageError) {
        var row = graph.beginRoot(number: count)
        value.write(into: &row)
        do throws(StorageError) {
            try graph.endUnstored(row)
        } catch {
            graph.removeLast()
            throw error
        }
    }

    /// Removes and returns the records as models of a type, in the order in which they were added.
    ///
    /// - Throws: `typeMismatch` with the index of the record.
    func take<Model: Storable>(_: Model.Type) throws(StorageError) -> [Model] {
        var models: [Model] = []
        try take(into: &models)
        return models
    }

    /// Appends the records as models. If one is no model, the records before it are appended.
    package func take<Model: Storable>(into models: inout [Model]) throws(StorageError) {
        defer { graph.removeAll() }
        let session = RowsSession(handle.tables.tables.map(\.schema), graph.buffers.map(BufferedRows.init))
        do throws(StorageError) {
            try RecordReader(handle: handle, session: session).all(Selection(), into: &models)
        } catch {
            throw error.with {
                if case .int(let number)? = $0.key?.first { $0.element = Int(number) }
                $0.key = nil
            }
        }
    }
}

extension ModelTables {
    /// The same tables with a number in place of the root's key: in front of a root's row, and at the beginning of each
    /// row that it owns.
    fileprivate func numbered() -> ModelTables {
        ModelTables(
            name: name, tables: tables.map { $0.numbered(keyCount: $0.form == .root ? 0 : rootKeyCount) },
            assigns: assigns)
    }
}

extension TableBinding {
    /// - Parameter keyCount: the number of cells that the number replaces.
    fileprivate func numbered(keyCount: Int) -> TableBinding {
        TableBinding(
            index: index, schema: schema, form: form,
            columns: Array(schema.key.prefix(1) + columns.dropFirst(keyCount)),
            prefixCount: prefixCount - keyCount + 1, keyCells: [0], members: members, relations: relations,
            references: references.map {
                ReferenceBinding(
                    property: $0.property, target: $0.target, schema: $0.schema,
                    cells: $0.cells.map { $0 - keyCount + 1 }, columns: $0.columns)
            },
            identity: identity, names: names)
    }
}
