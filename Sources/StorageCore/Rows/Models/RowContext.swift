import StorageDriver

/// The state of a running query for the rows of one table, used to read children and to report the path of a value that
/// does not fit.
@usableFromInline
package final class RowContext {
    let model: ModelTables
    let table: TableBinding
    // A recursive table's context leads back to itself, so the contexts only refer to the rows that the root's owns.
    private var relations: [Reference] = []
    private var owned: [ChildRows] = []

    /// The mapping of the rows to records that are read without their types.
    private(set) lazy var recordFields = RecordFields(table, of: model)

    private struct Reference { unowned let rows: ChildRows }

    package init(model: ModelTables, table: TableBinding) {
        self.model = model
        self.table = table
    }

    var modelName: StoredName { model.name }

    /// Sets the rows of the next relation. They must be owned by the root's context.
    func add(_ children: ChildRows) { relations.append(Reference(rows: children)) }

    /// Keeps rows alive as long as this context, which is the root's.
    func own(_ children: ChildRows) { owned.append(children) }

    func children(_ relation: Int) -> ChildRows? {
        relations.indices.contains(relation) ? relations[relation].rows : nil
    }

    // MARK: Errors

    package func mismatch(
        at index: Int, of cells: UnsafePointer<Cell>, wanted: String, because reason: (any Error)?
    ) -> StorageError {
        let column = table.schema.columns[table.columns[index]]
        return error(
            "The stored value is not of type \(wanted). Correct it, or declare a type that can hold it.",
            property: column.property, row: cells
        )
        .with {
            $0.storedValue = cells[index].value
            $0.underlying = reason
        }
    }

    func missingChild(_ relation: Int, of cells: UnsafePointer<Cell>) -> StorageError {
        error(
            "The child that the property requires is not stored. Store one, or make the property Optional.",
            property: table.relations[relation].property, row: cells)
    }

    private func error(_ message: String, property: String, row cells: UnsafePointer<Cell>) -> StorageError {
        StorageError(
            .typeMismatch, message, model: model.name, key: table.keyCells.map { cells[$0].value },
            property: place(of: cells) + property)
    }

    /// The path to this row from its root: `pens[2].`
    private func place(of cells: UnsafePointer<Cell>) -> String {
        var place = ""
        var positions: [StoredName: Int64] = [:]
        for (cell, column) in table.columns.prefix(table.prefixCount).enumerated() {
            let column = table.schema.columns[column]
            if column.role == .position { positions[column.storedProperty] = cells[cell].int }
        }
        for property in table.schema.storedPath.dropFirst() {
            place += property.text + (positions[property].map { "[\($0)]" } ?? "") + "."
        }
        return place
    }
}
