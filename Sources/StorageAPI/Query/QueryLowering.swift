/// Turns a built query into a shape and its arguments: resolves properties to columns and children to tables, and
/// takes the values out.
struct QueryLowering {
    let model: ModelTables
    /// The table whose rows are asked for.
    let table: TableBinding
    private(set) var arguments = QueryArguments()

    init(_ model: ModelTables, table: TableBinding? = nil) {
        self.model = model
        self.table = table ?? model.root
    }

    /// The deepest nesting of terms; a query beyond it is `limitExceeded`, before anything recurses too far.
    static let deepest = 200

    /// The place in scope: a table whose columns terms may name.
    private struct Place {
        var table: TableBinding
        var scope = 0
        var depth = 0
    }

    mutating func filter(_ node: QueryNode) throws(StorageError) -> QueryTerm {
        try condition(node, in: Place(table: table))
    }

    mutating func sortKey(_ key: SortOrder) throws(StorageError) -> Query.SortKey {
        let (term, type) = try operand(key.node, in: Place(table: table))
        guard let type else { throw invalid("A constant is nothing to sort by.") }
        return Query.SortKey(term: term, type: type, isDescending: key.isDescending)
    }

    /// The column of a property of the root.
    func column(_ node: QueryNode) throws(StorageError) -> Int {
        guard case .property(let path) = node, path.ordinals.count == 1 else {
            throw invalid("Only properties of the model itself can be named here, not those of children.")
        }
        guard case .column(let column) = try member(path.ordinals[0], of: model.root) else {
            throw invalid("An owned property cannot be named here.")
        }
        return column
    }

    /// The table of an owned property of the root, or of a property of that.
    func ownedTable(_ node: QueryNode) throws(StorageError) -> TableBinding {
        guard case .property(let path) = node, !path.ordinals.isEmpty else {
            throw invalid("owned(by:) names a property of the owner.")
        }
        var table = model.root
        for ordinal in path.ordinals {
            guard case .relation(let index) = try member(ordinal, of: table) else {
                throw invalid("owned(by:) names an owned property.")
            }
            table = model.tables[table.relations[index].target]
        }
        return table
    }

    // MARK: Conditions

    private mutating func condition(_ node: QueryNode, in place: Place) throws(StorageError) -> QueryTerm {
        var place = place
        place.depth += 1
        guard place.depth <= Self.deepest else {
            throw StorageError(
                .limitExceeded, "The filter nests deeper than \(Self.deepest) levels; build it from fewer parts.",
                model: model.name)
        }
        switch node {
        case .constant(let constant): return .constant(constant)
        case .and: return .and(try terms(of: node, in: place))
        case .or: return .or(try terms(of: node, in: place))
        case .not(let node): return .not(try condition(node, in: place))
        case .isNil(let node): return try isNil(node, in: place)
        case .comparison(let comparison, let left, let right): return try compare(comparison, left, right, in: place)
        case .isIn(let node, let values): return try isIn(node, values, in: place)
        case .text(let test, let node, let pattern):
            let (term, _) = try operand(node, in: place)
            return .text(test, term, argument(.text(pattern)))
        case .quantified(let quantifier, let path, let inner):
            return try quantified(quantifier, path, inner, in: place)
        case .property:
            let (term, type) = try operand(node, in: place)
            return .comparison(.equal, term, argument(.int(1)), type ?? .bool)
        case .value: throw invalid("A plain value is no condition.")
        case .invalid(let reason): throw invalid(reason)
        }
    }

    /// The terms of a chain of `and` or of `or`. The chain itself, which is as long as a user writes it, does not recurse.
    private mutating func terms(of chain: QueryNode, in place: Place) throws(StorageError) -> [QueryTerm] {
        var left: [QueryNode] = [chain]
        var terms: [QueryTerm] = []
        while let node = left.popLast() {
            switch (chain, node) {
            case (.and, .and(let first, let second)), (.or, .or(let first, let second)): left += [second, first]
            default: terms.append(try condition(node, in: place))
            }
        }
        return terms
    }

    private mutating func isNil(_ node: QueryNode, in place: Place) throws(StorageError) -> QueryTerm {
        if case .property(let path) = node, case .relation(let way, let presence) = try resolve(path, in: place) {
            guard let presence else { return .not(some(way, .constant(true))) }
            let isAbsent = QueryTerm.comparison(.equal, presence, argument(.int(0)), .bool)
            // Where the array's own owner is nil, so is the array.
            return way.count == 1 ? isAbsent : .or([isAbsent, .isNull(presence)])
        }
        return .isNull(try operand(node, in: place).term)
    }

    private mutating func compare(
        _ comparison: Comparison, _ left: QueryNode, _ right: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        if case .value(.null) = right { return try compareWithNil(comparison, left, in: place) }
        if case .value(.null) = left { return try compareWithNil(comparison, right, in: place) }
        let (leftTerm, leftType) = try operand(left, in: place)
        let (rightTerm, rightType) = try operand(right, in: place)
        guard let type = leftType ?? rightType else { throw invalid("A comparison needs a property.") }
        return .comparison(comparison, leftTerm, rightTerm, type)
    }

    private mutating func compareWithNil(
        _ comparison: Comparison, _ node: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        switch comparison {
        case .equal: try isNil(node, in: place)
        case .notEqual: .not(try isNil(node, in: place))
        default: .constant(false)
        }
    }

    private mutating func isIn(_ node: QueryNode, _ values: [Value], in place: Place) throws(StorageError) -> QueryTerm
    {
        let (term, type) = try operand(node, in: place)
        guard let type else { throw invalid("Only a property can be in a set.") }
        let present = values.filter { !$0.isNull }
        arguments.lists.append(ValueList(width: 1, values: present))
        let isIn = QueryTerm.isIn(term, list: arguments.lists.count - 1, type)
        return present.count == values.count ? isIn : .or([isIn, .isNull(term)])
    }

    private mutating func quantified(
        _ quantifier: Quantifier, _ path: PropertyPath, _ inner: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        guard case .relation(let way, _) = try resolve(path, in: place), let last = way.last else {
            throw invalid("any, all and none ask about owned arrays.")
        }
        let inside = Place(table: model.tables[last.table], scope: place.scope + 1, depth: place.depth)
        let term = try condition(inner, in: inside)
        if way.count == 1 { return .quantified(quantifier, last, term) }
        switch quantifier {
        case .any: return some(way, term)
        case .all: return .not(some(way, .not(term)))
        case .none: return .not(some(way, term))
        }
    }

    /// Whether the term is true of some row at the end of the way.
    private func some(_ way: [Ownership], _ term: QueryTerm) -> QueryTerm {
        way.reversed().reduce(term) { .quantified(.any, $1, $0) }
    }

    // MARK: Operands

    private mutating func operand(
        _ node: QueryNode, in place: Place
    ) throws(StorageError) -> (term: QueryTerm, type: ColumnType?) {
        switch node {
        case .value(let value): return (argument(value), nil)
        case .property(let path):
            guard case .column(let term, let type) = try resolve(path, in: place) else {
                throw invalid("An owned child cannot be compared; name one of its properties.")
            }
            return (term, type)
        default: return (try condition(node, in: place), .bool)
        }
    }

    private mutating func argument(_ value: Value) -> QueryTerm {
        arguments.values.append(value)
        return .argument(arguments.values.count - 1)
    }

    // MARK: Properties

    private enum Resolved {
        case column(QueryTerm, ColumnType)
        /// A child or children, by the way that leads to them, and the column that says whether an array is there.
        case relation([Ownership], presence: QueryTerm?)
    }

    private func resolve(_ path: PropertyPath, in place: Place) throws(StorageError) -> Resolved {
        guard path.scope == place.scope else {
            throw invalid("A filter on children can only name the child's own properties.")
        }
        return try resolve(path.ordinals[...], in: place.table)
    }

    private func resolve(_ ordinals: ArraySlice<Int>, in table: TableBinding) throws(StorageError) -> Resolved {
        guard let ordinal = ordinals.first else { throw invalid("The model itself cannot be compared.") }
        switch try member(ordinal, of: table) {
        case .column(let column): return .column(.column(column), table.schema.columns[column].type)
        case .relation(let index):
            let relation = table.relations[index]
            let ownership = ownership(of: relation, in: table)
            guard ordinals.count > 1 else { return .relation([ownership], presence: presence(of: ordinal, in: table)) }
            guard !relation.isMany else {
                throw invalid("Properties of an array's elements are reached by any, all or none.")
            }
            switch try resolve(ordinals.dropFirst(), in: model.tables[relation.target]) {
            case .column(let term, let type): return .column(.child(ownership, term), type)
            case .relation(let way, let presence):
                return .relation([ownership] + way, presence: presence.map { .child(ownership, $0) })
            }
        }
    }

    private func member(_ ordinal: Int, of table: TableBinding) throws(StorageError) -> TableBinding.Member {
        guard table.members.indices.contains(ordinal) else {
            throw invalid(
                "The Columns of \(table.schema.path.joined(separator: ".")) name a property that its schema lacks.")
        }
        return table.members[ordinal]
    }

    /// The column that says whether an optional array is there.
    private func presence(of ordinal: Int, in table: TableBinding) -> QueryTerm? {
        guard case .relation(let index) = table.members[ordinal] else { return nil }
        let relation = table.relations[index]
        guard relation.isMany, relation.isOptional else { return nil }
        return table.schema.columns.firstIndex { $0.role == .presence && $0.property == relation.storedProperty }
            .map(QueryTerm.column)
    }

    private func ownership(of relation: RelationBinding, in owner: TableBinding) -> Ownership {
        let target = model.tables[relation.target]
        let ownerKey = owner.form == .root ? owner.schema.key : Array(owner.columns.prefix(owner.groupCount))
        let inner = target.columns.prefix(target.prefixCount)
        guard target.form == .node else {
            return Ownership(table: target.index, inner: Array(inner.prefix(ownerKey.count)), outer: ownerKey)
        }
        // The parent's number, which is 0 where the owner stands outside the recursion.
        let node = owner.form == .node ? owner.columns[owner.groupCount] : nil
        return Ownership(
            table: target.index, inner: Array(inner.prefix(target.groupCount)) + [inner[target.prefixCount - 1]],
            outer: ownerKey + [node])
    }

    private func invalid(_ message: String) -> StorageError {
        StorageError(.invalidQuery, message, model: model.name)
    }
}
