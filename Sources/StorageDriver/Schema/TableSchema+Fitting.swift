// What was planned for tables that another process has changed since (clause S11).

extension TableSchema {
    /// Looks whether what was planned for this table holds for those that are recorded now.
    ///
    /// Tables and columns that have come are no obstacle, and neither are indexes, marks of what is gone, and a property
    /// that has become Optional: a nil in it is its row's error.
    ///
    /// - Parameter inPlace: whether a plan finds columns by their indexes, and not by their names.
    /// - Throws: `schemaMismatch`, with the property, for a table or column that no longer exists as it was.
    package func requireStored(in recorded: [TableSchema], inPlace: Bool = false) throws(StorageError) {
        guard let now = recorded.first(where: { $0.name == name }),
            now.path.elementsEqual(path, by: { $0.isSame(as: $1) })
        else {
            throw changed(isRoot ? nil : path.last, "is not stored any more as it was")
        }
        // Nobody reads a removed column. If indexes count, it keeps its own.
        for (place, column) in columns.enumerated() where inPlace || !column.isRemoved {
            let other =
                inPlace
                ? (now.columns.indices.contains(place) ? now.columns[place] : nil)
                : now.columns.first { $0.name == column.name }
            guard let other, other.name == column.name, other.property.isSame(as: column.property) else {
                throw changed(column.property, "is not stored under this name any more")
            }
            if isForeign || column.isRemoved { continue }
            guard other.role == column.role, other.type == column.type else {
                throw changed(column.property, "is now stored as \(other.type), and not as \(column.type)")
            }
            if column.isOptional, !other.isOptional {
                throw changed(column.property, "is not Optional any more")
            }
        }
        guard isForeign || now.key.map({ now.columns[$0].name }) == key.map({ columns[$0].name }) else {
            throw changed(nil, "has another key")
        }
    }

    private func changed(_ property: String?, _ problem: String) -> StorageError {
        StorageError(
            .schemaMismatch,
            "Another process has changed the schema: \(property ?? path.joined(separator: ".")) \(problem). "
                + "Update the program, or close the store and open it again.",
            model: path.first, property: property)
    }
}
