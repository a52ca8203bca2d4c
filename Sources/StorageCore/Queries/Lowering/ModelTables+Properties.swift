import StorageDriver

// Properties that a call names, in the model's tables.
extension QueryNode {
    /// True for a property of the record itself, not of an owned or referenced record.
    package var isOwnProperty: Bool {
        if case .property(let path) = self { path.ordinals.count == 1 && path.inverse == nil } else { false }
    }
}

extension ModelTables {
    /// The columns of a property of the root: one, or of a reference one for each part of its key.
    package func columns(_ node: QueryNode) throws(StorageError) -> [Int] {
        guard case .property(let path) = node, path.ordinals.count == 1, path.inverse == nil else {
            throw invalid("Only properties of the model itself can be named here, not those of children.")
        }
        switch try member(path.ordinals[0], of: root) {
        case .column(let column): return [column]
        case .reference(let index): return root.references[index].columns
        case .relation: throw invalid("An owned property cannot be named here.")
        }
    }

    /// The table of an owned property of the root, or of a property of that.
    package func ownedTable(_ node: QueryNode) throws(StorageError) -> TableBinding {
        guard case .property(let path) = node, !path.ordinals.isEmpty, path.inverse == nil else {
            throw invalid("owned(by:) names a property of the owner.")
        }
        var table = root
        for ordinal in path.ordinals {
            guard case .relation(let index) = try member(ordinal, of: table) else {
                throw invalid("owned(by:) names an owned property.")
            }
            table = tables[table.relations[index].target]
        }
        return table
    }

    /// The reference at the end of a path, and its table.
    func reference(_ ordinals: [Int]) throws(StorageError) -> (TableBinding, ReferenceBinding) {
        var table = root
        for ordinal in ordinals {
            switch try member(ordinal, of: table) {
            case .column: break
            case .reference(let index): return (table, table.references[index])
            case .relation(let index):
                table = tables[table.relations[index].target]
                if let element = table.element { return (table, element) }
            }
        }
        throw invalid("An inverse belongs to a reference of the model or of its owned records.")
    }

    func member(_ ordinal: Int, of table: TableBinding) throws(StorageError) -> TableBinding.Member {
        guard table.members.indices.contains(ordinal) else {
            throw invalid(
                "The Columns of \(table.schema.path.joined(separator: ".")) name a property that its schema lacks.")
        }
        return table.members[ordinal]
    }

    private func invalid(_ message: String) -> StorageError { StorageError(.invalidQuery, message, model: name) }
}
