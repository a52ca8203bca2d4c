// Plans for tables that another process has changed since (clause S11).

extension Array<TableSchema> {
    /// Checks that a plan for these tables is valid for the currently recorded ones.
    ///
    /// Added tables and columns are no obstacle, except a column that says that an array is nil, because the plan reads
    /// the array's rows without it. An empty array has no rows either.
    ///
    /// - Parameters:
    ///   - recorded: the tables that the engine has now.
    ///   - inPlace: whether a plan finds columns by their indexes, and not by their names.
    /// - Throws: `schemaMismatch`, with the property, for a table or column that no longer exists as it was, and for an
    ///   array that has become Optional.
    public func requireStored(in recorded: [TableSchema], inPlace: Bool = false) throws(StorageError) {
        for table in self { try table.requireStored(in: recorded, inPlace: inPlace) }
        for owner in self where !owner.isForeign {
            guard let now = recorded.first(where: { $0.name == owner.name }), now != owner else { continue }
            for column in now.columns where column.role == .presence && !column.isRemoved {
                let array = first { owner.mayOwn($0) && $0.storedPath.last == column.storedProperty }
                if let array, !owner.hasPresence(of: column.storedProperty) {
                    throw owner.changed(column.property, "has become Optional", at: array.path)
                }
            }
        }
    }
}

extension TableSchema {
    /// Returns whether a column tells whether an array is nil.
    package func hasPresence(of property: StoredName) -> Bool {
        columns.contains { $0.role == .presence && !$0.isRemoved && $0.storedProperty == property }
    }

    /// True if the rows are of a type that owns itself.
    package var isNode: Bool { columns.contains { $0.role == .node } }

    /// Returns whether a table's rows are owned by this one's. In types that own themselves the names of the paths do
    /// not show it.
    fileprivate func mayOwn(_ other: TableSchema) -> Bool {
        guard !other.isNode else {
            return other.storedPath[0] == storedPath[0] && (isNode || other.path.count > path.count)
        }
        return other.storedPath.dropLast().elementsEqual(storedPath)
    }

    /// Checks that a plan for this table is valid for the currently recorded ones.
    ///
    /// Added tables, columns and indexes, marks of removed parts, and properties that have become Optional are allowed;
    /// reading a nil in such a property is an error of its row.
    ///
    /// - Parameter inPlace: whether a plan finds columns by their indexes, and not by their names.
    /// - Throws: `schemaMismatch`, with the property, for a table or column that no longer exists as it was.
    fileprivate func requireStored(in recorded: [TableSchema], inPlace: Bool) throws(StorageError) {
        guard let now = recorded.first(where: { $0.name == name }), now.storedPath == storedPath else {
            throw changed(isRoot ? nil : path.last, "is not stored any more as it was")
        }
        // A removed column is never read. If indexes count, it keeps its index.
        for (place, column) in columns.enumerated() where inPlace || !column.isRemoved {
            let other =
                inPlace
                ? (now.columns.indices.contains(place) ? now.columns[place] : nil)
                : now.columns.first { $0.name == column.name }
            guard let other, other.name == column.name, other.storedProperty == column.storedProperty else {
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

    /// The error of a model that no longer fits the table.
    ///
    /// - Parameter place: the path of the change, if it is not the property or the table.
    package func changed(_ property: String?, _ problem: String, at place: [String]? = nil) -> StorageError {
        let name = place?.joined(separator: ".") ?? property ?? path.joined(separator: ".")
        return StorageError(
            .schemaMismatch,
            "Another process has changed the schema: \(name) \(problem). Update the program, or close the store and open it "
                + "again.",
            model: path.first, property: property)
    }
}
