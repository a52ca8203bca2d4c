import StorageDriver

// The recorded table has the rules that bind a write (clause S14). A declaration adds rules to it, and removes only the
// rules that the program names.

/// The rules of a column that bind every program.
struct ColumnRules: Hashable, Sendable {
    var isUnique: Bool
    var isExpiry: Bool
    var isSearched: Bool
    /// True if written values must name stored records.
    var isReference: Bool

    /// The first of these rules that a recorded column does not have, in words; nil if it has all.
    func missing(in column: ColumnSchema) -> String? {
        let recorded = column.rules
        if isUnique, !recorded.isUnique { return "is not unique any more" }
        if isExpiry, !recorded.isExpiry { return "is not the time of expiry any more" }
        if isSearched, !recorded.isSearched { return "is not searched any more" }
        if isReference, !recorded.isReference { return "is not a reference that is checked any more" }
        return nil
    }
}

extension ColumnSchema {
    var rules: ColumnRules {
        ColumnRules(
            isUnique: isUnique, isExpiry: isExpiry, isSearched: searchWeight != nil,
            isReference: reference.map { $0.onDelete != .unchecked } ?? false)
    }

    /// True if it has a rule, or an index.
    var isRuled: Bool { isIndexed || isUnique || isExpiry || searchWeight != nil || reference != nil }
}

extension TableSchema {
    /// The references in the table, each with the columns of its parts. A removed reference that binds no writes is
    /// left out; the references of a removed table that binds no writes are not checked.
    package var references: [(columns: [Int], schema: ReferenceSchema)] {
        var found: [(columns: [Int], schema: ReferenceSchema)] = []
        var isKept = false
        for (index, column) in columns.enumerated() {
            guard var reference = column.reference else { continue }
            if reference.part == 0 {
                let isBinding = binds(column)
                isKept = isBinding || !column.isRemoved
                if !isBinding { reference.onDelete = .unchecked }
                if isKept { found.append(([index], reference)) }
            } else if isKept, let last = found.indices.last {
                found[last].columns.append(index)
            }
        }
        return found
    }

    /// The references that a program writes as plain values, because it does not declare them.
    ///
    /// - Parameters:
    ///   - columns: for each cell of the program's rows its column here.
    ///   - declared: the references that the program declares.
    func undeclaredReferences(in columns: [Int], besides declared: [ReferenceBinding]) -> [ReferenceBinding] {
        let declared = declared.flatMap(\.columns)
        let others = references.filter { !declared.contains($0.columns[0]) && $0.columns.allSatisfy(columns.contains) }
        return others.map { reference in
            ReferenceBinding(
                property: self.columns[reference.columns[0]].property, target: .recorded(reference.schema.storedModel),
                schema: reference.schema, columns: reference.columns, in: columns)
        }
    }
}
