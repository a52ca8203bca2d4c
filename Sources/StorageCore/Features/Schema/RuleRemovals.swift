import StorageDriver

/// The properties of a model whose undeclared rules are removed.
package enum RuleRemovals: Sendable {
    /// All properties that the last program declared. The rules of removed properties stay.
    case all
    /// The stored names, each after the names of the properties that lead to it, with points between them. A name also
    /// stands for all that the property owns.
    case named([String])

    package static let none = RuleRemovals.named([])

    /// Returns whether a recorded column is one of them, under its recorded name or its declared one.
    func contains(_ stored: ColumnSchema, of table: TableSchema, as wanted: ColumnSchema) -> Bool {
        switch self {
        case .all: !stored.isRemoved && !table.isRemoved
        case .named(let names):
            [stored, wanted].contains { column in
                let path = Array((table.path.dropFirst() + [column.property]).joined(separator: ".").utf8)
                return names.contains { name in
                    path.starts(with: name.utf8) && (path.count == name.utf8.count || path[name.utf8.count] == 0x2E)
                }
            }
        }
    }
}
