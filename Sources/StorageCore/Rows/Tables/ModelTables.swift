import StorageDriver

/// The tables of one model, and which column has which property. Reading, writing and queries use it.
@usableFromInline
package final class ModelTables: Sendable {
    /// The model's stored name.
    package let name: StoredName
    /// The root's table first, then the tables of owned properties.
    package let tables: [TableBinding]
    package let root: TableBinding
    package let hasChildren: Bool
    /// True if some row refers to a record.
    package let hasReferences: Bool
    /// The replacement of a nil key, if any.
    package let assigns: KeyAssignment?

    /// Rows that consist of a root's key alone.
    package let keyRows: TableBinding

    /// The recorded tables of the model that are not declared. It is deleted with its owners, and otherwise stays
    /// (clause S7).
    package let undeclared: [TableSchema]

    /// - Parameter tables: the root's first; never empty.
    init(name: StoredName, tables: [TableBinding], assigns: KeyAssignment?, undeclared: [TableSchema] = []) {
        self.undeclared = undeclared
        self.name = name
        self.tables = tables
        self.assigns = assigns
        root = tables[0]
        hasChildren = tables.count > 1
        hasReferences = tables.contains { !$0.references.isEmpty }
        let schema = root.schema
        keyRows = TableBinding(
            index: 0, schema: schema, form: .root, columns: schema.key, prefixCount: 0,
            keyCells: Array(schema.key.indices), members: [], relations: [])
    }

    /// True if the program's declaration marks a property as searched.
    package var declaresSearch: Bool { tables.contains { $0.rules.contains(where: \.rules.isSearched) } }

    package var rootKeyCount: Int { root.keyCells.count }

    /// The stored names of the models that the rows refer to.
    var targets: [StoredName] { tables.flatMap(\.references).map(\.schema.storedModel) }
}

/// Maps the cells that a model reads and writes to the columns of a recorded table.
@usableFromInline
package final class TableBinding: Sendable {
    /// The place of a table's rows among the others.
    package enum Form: Sendable {
        case root
        /// Keyed by the root's key and a fixed number of positions.
        case child
        /// Keyed by the root's key, the positions of the entry, and a running number; `parent` names the owning row.
        case node
    }

    package let index: Int
    package let schema: TableSchema
    package let form: Form
    /// For each cell the column of the schema: the prefix first, then the model's columns, in the model's order.
    package let columns: [Int]
    /// The number of cells before the model's cells.
    package let prefixCount: Int
    /// The cells that hold the root's key.
    package let keyCells: [Int]
    /// The form of each of the model's properties here, in its order.
    package let members: [Member]
    package let relations: [RelationBinding]
    /// The references in the rows: first the references that the program declares, then recorded references of
    /// properties that the program declares as plain values. The elements of an array have one reference.
    package let references: [ReferenceBinding]
    /// The number of references that the program declares.
    let declaredReferences: Int
    /// The rules that the program declares for its columns.
    let rules: [DeclaredRules]
    /// The columns of the key that the model declares. In owned rows this key is data (clause C2), and identifies a row
    /// from one save to the next (clause S7).
    let identity: [Int]
    /// The names of the members' properties, in Swift and as they are stored.
    let names: [MemberName]
    /// The defaults of columns that a record without a type lacks.
    let initials: [Int: DeclaredDefaults.Initial]

    /// The column that the program declares as the time of expiry.
    package var declaredExpiry: Int? { rules.first(where: \.rules.isExpiry)?.column }

    struct DeclaredRules: Sendable {
        let column: Int
        let rules: ColumnRules
    }

    struct MemberName: Sendable {
        let name: StoredName
        let storedName: StoredName
    }

    /// A property as a query resolves it.
    package enum Member: Sendable {
        case column(Int)
        case relation(Int)
        case reference(Int)
    }

    /// - Parameter keyCells: by default the cells of the root's key in a model's rows.
    init(
        index: Int, schema: TableSchema, form: Form, columns: [Int], prefixCount: Int, keyCells: [Int]? = nil,
        members: [Member], relations: [RelationBinding], references: [ReferenceBinding] = [],
        declaredReferences: Int? = nil, rules: [DeclaredRules] = [], identity: [Int] = [], names: [MemberName] = [],
        initials: [Int: DeclaredDefaults.Initial] = [:]
    ) {
        self.declaredReferences = declaredReferences ?? references.count
        self.rules = rules
        self.index = index
        self.schema = schema
        self.form = form
        self.columns = columns
        self.prefixCount = prefixCount
        self.keyCells =
            keyCells
            ?? (form == .root
                ? schema.key.compactMap { columns.firstIndex(of: $0) }
                : columns.indices.prefix(prefixCount).filter { schema.columns[columns[$0]].role == .owner })
        self.members = members
        self.relations = relations
        self.references = references
        self.identity = identity
        self.names = names
        self.initials = initials
    }

    /// The member with the name, in Swift or as it is stored.
    func ordinal(of name: String) -> Int? {
        let name = StoredName(name)
        return names.firstIndex { $0.name == name } ?? names.firstIndex { $0.storedName == name }
    }

    /// Explains why a name is unknown.
    func lacks(_ name: String) -> String {
        let known = names.map(\.name.text)
        return
            "\(schema.path.joined(separator: ".")) has no property \(name)\(SpellingSuggestion.hint(name, among: known)); "
            + "it has \(known.joined(separator: ", "))"
    }

    /// The reference in each row, if the rows are the elements of an array of references.
    var element: ReferenceBinding? { references.first.flatMap { $0.schema.isElement ? $0 : nil } }

    /// The cells that rows are ordered by.
    package var orderCells: [Int] { schema.key.compactMap { columns.firstIndex(of: $0) } }

    /// The number of leading cells that two rows of the same owner share, apart from the parent.
    var groupCount: Int { form == .node ? prefixCount - 2 : prefixCount }
}

/// A reference: which columns have the key of which model's record.
package struct ReferenceBinding: Sendable {
    let property: String
    let target: ModelSource
    /// The reference of its first column.
    let schema: ReferenceSchema
    /// The cells of a row, one for each part of the key.
    let cells: [Int]
    /// The columns of the table, one for each part of the key.
    package let columns: [Int]
}

extension ReferenceBinding {
    /// - Parameter cells: the columns of a row's cells.
    init(property: String, target: ModelSource, schema: ReferenceSchema, columns: [Int], in cells: [Int]) {
        self.init(
            property: property, target: target, schema: schema, cells: columns.compactMap { cells.firstIndex(of: $0) },
            columns: columns)
    }
}

extension TableSchema {
    /// The columns before the model's columns.
    var prefix: [Int] { columns.indices.filter { columns[$0].role.isPrefix } }
}

/// An owned property: which table its rows are in.
package struct RelationBinding: Sendable {
    package let storedProperty: StoredName
    let property: String
    package let target: Int
    package let isMany: Bool
    package let isOptional: Bool
    /// Writes the default owned records of a record that names none.
    var writeDefault: OwnedDefault?
}
