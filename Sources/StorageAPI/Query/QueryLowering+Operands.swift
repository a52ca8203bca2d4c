import StorageDriver

// Values, and the properties that they come from.
extension QueryLowering {
    typealias Operand = (term: QueryTerm, type: ColumnType?)

    mutating func operand(_ node: QueryNode, in place: Place) throws(StorageError) -> Operand {
        switch node {
        case .value(let value): return (try argument(value), Self.type(node))
        case .number:
            guard let value = try node.plain(as: .double).exact else { throw invalid("A number is expected.") }
            return (try argument(value), .double)
        case .invalid(let reason, let code): throw StorageError(code, reason, model: model.name)
        case .property(let path):
            guard case .column(let term, let type) = try resolve(path, in: place) else {
                throw invalid("An owned child cannot be compared; name one of its properties.")
            }
            return (term, type)
        case .arithmetic(let operation, let left, let right):
            return try arithmetic(operation, left, right, in: place.deeper(1))
        case .count(let node): return (try count(node, in: place.deeper(1)), .int64)
        case .childCount(let path, let inner): return (try childCount(path, inner, in: place), .int64)
        case .choice(let condition, let first, let second):
            return try choice(condition, first, second, in: place.deeper(1))
        case .distance(let metric, let left, let right):
            let place = try place.deeper(1)
            return (.distance(metric, try vector(left, in: place), try vector(right, in: place)), .double)
        case .aggregate(let function, let node): return try aggregate(function, node, in: place)
        case .groupKey(let index):
            guard let keys = grouping?.keys, place.isGroup, keys.indices.contains(index) else {
                throw invalid("A group's key can only be used in a query of groups.")
            }
            return (.column(index), keys[index].type)
        case .placed(let node, let text):
            do {
                return try operand(node, in: place.deeper(1))
            } catch {
                throw text.placing(error)
            }
        default: return (try condition(node, in: place), .bool)
        }
    }

    private mutating func choice(
        _ condition: QueryNode, _ first: QueryNode, _ second: QueryNode, in place: Place
    ) throws(StorageError) -> Operand {
        let condition = try self.condition(condition, in: place)
        if case .value(.null) = first { return try half(second, in: place) { .choice(condition, .null, $0) } }
        if case .value(.null) = second { return try half(first, in: place) { .choice(condition, $0, .null) } }
        let (left, right, type) = try pair(first, second, in: place)
        return (.choice(condition, left, right), type)
    }

    private mutating func vector(_ node: QueryNode, in place: Place) throws(StorageError) -> QueryTerm {
        if node.isPlain, let value = try node.plain(as: .vector).exact { return try argument(value) }
        let (term, type) = try operand(node, in: place)
        guard type == .vector else {
            throw invalid("distance asks about vectors, not about \(type.map(\.description) ?? "a constant").")
        }
        return term
    }

    private mutating func half(
        _ node: QueryNode, in place: Place, _ make: (QueryTerm) -> QueryTerm
    ) throws(StorageError) -> Operand {
        let (term, type) = try operand(node, in: place)
        return (make(term), type)
    }

    // MARK: Counts and aggregates

    private mutating func count(_ node: QueryNode, in place: Place) throws(StorageError) -> QueryTerm {
        if case .property(let path) = node, case .relation = try resolve(path, in: place) {
            let (way, last, presence) = try children(path, in: place)
            let count = through(way, .childCount(last, .constant(true)))
            guard let presence else { return count }
            let isThere = QueryTerm.comparison(.equal, presence, try argument(.int(1)), .bool)
            return .choice(isThere, count, .null)
        }
        let (term, type) = try operand(node, in: place)
        switch type {
        case .array?, .data?: return .elementCount(term)
        default: throw invalid("count asks about an array, not about \(type.map(\.description) ?? "a constant").")
        }
    }

    private mutating func childCount(
        _ path: PropertyPath, _ inner: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        let (way, last, _) = try children(path, in: place)
        let count = through(way, .childCount(last, try condition(inner, in: inside(last, place))))
        return way.count == 1 ? count : .choice(.isNull(count), try argument(.int(0)), count)
    }

    /// A term of the row at the end of a path; null if a row on the path is missing.
    private func through(_ way: [Ownership], _ term: QueryTerm) -> QueryTerm {
        way.dropLast().reversed().reduce(term) { .child($1, $0) }
    }

    private mutating func aggregate(
        _ function: AggregateFunction, _ node: QueryNode?, in place: Place
    ) throws(StorageError) -> Operand {
        guard place.isGroup, let keys = grouping?.keys else {
            throw invalid("\(function.rawValue) of a group can only be used in a query of groups.")
        }
        let term = try node.map { (node) throws(StorageError) in try typed(node) }
        let aggregate = Query.Aggregate(function, of: term)
        let known = grouping?.aggregates.firstIndex(of: aggregate)
        if known == nil { grouping?.aggregates.append(aggregate) }
        let index = known ?? (grouping?.aggregates.count ?? 1) - 1
        return (.column(keys.count + index), aggregate.type)
    }

    // MARK: Properties

    enum Resolved {
        case column(QueryTerm, ColumnType)
        /// A child or children, by the path to them, and the column that says whether an array is nil.
        case relation([Ownership], presence: QueryTerm?)
    }

    func resolve(_ path: PropertyPath, in place: Place) throws(StorageError) -> Resolved {
        guard !place.isGroup else { throw invalid("A group has its key and aggregates, not its records' properties.") }
        guard path.scope == place.scope else {
            throw invalid("A filter on children can only name the child's own properties.")
        }
        return try resolve(ordinals(of: path, in: place)[...], in: place.table)
    }

    /// The indices in the schema of a path, which may be given by names.
    func ordinals(of path: PropertyPath, in place: Place) throws(StorageError) -> [Int] {
        var ordinals = path.ordinals
        var table = place.table
        for (index, name) in path.names.enumerated() {
            guard let ordinal = table.ordinal(of: name.text) else { throw name.place.error(table.lacks(name.text)) }
            ordinals.append(ordinal)
            guard index + 1 < path.names.count else { break }
            guard case .relation(let relation) = table.members[ordinal] else {
                throw name.place.error("\(name.text) is not an owned child, and has no properties of its own")
            }
            table = model.tables[table.relations[relation].target]
        }
        return ordinals
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
                throw invalid("Properties of an array's elements are reached by any, all, none or count.")
            }
            guard ordinals.count <= QueryLimits.levels else { throw QueryLimits.tooDeep }
            switch try resolve(ordinals.dropFirst(), in: model.tables[relation.target]) {
            case .column(let term, let type): return .column(.child(ownership, term), type)
            case .relation(let way, let presence):
                return .relation([ownership] + way, presence: presence.map { .child(ownership, $0) })
            }
        }
    }

    func member(_ ordinal: Int, of table: TableBinding) throws(StorageError) -> TableBinding.Member {
        guard table.members.indices.contains(ordinal) else {
            throw invalid(
                "The Columns of \(table.schema.path.joined(separator: ".")) name a property that its schema lacks.")
        }
        return table.members[ordinal]
    }

    /// The column that says whether an optional array is nil.
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
        // The parent's number, which is 0 if the owner is outside the recursion.
        let node = owner.form == .node ? owner.columns[owner.groupCount] : nil
        return Ownership(
            table: target.index, inner: Array(inner.prefix(target.groupCount)) + [inner[target.prefixCount - 1]],
            outer: ownerKey + [node])
    }
}
