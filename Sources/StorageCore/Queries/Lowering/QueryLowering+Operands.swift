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
            switch try resolve(path, in: place) {
            case .column(let term, let type): return (term, type)
            case .parts: throw invalid("A reference to a record with a key of several parts is compared with a Ref.")
            case .rows: throw invalid("An owned child cannot be compared; name one of its properties.")
            }
        case .arithmetic(let operation, let left, let right):
            return try arithmetic(operation, left, with: right, in: place.deeper(1))
        case .count(let node): return (try count(node, in: place.deeper(1)), .int64)
        case .childCount(let path, let inner): return (try childCount(path, inner, in: place), .int64)
        case .childAggregate(let function, let path, let inner):
            return try childAggregate(function, path, of: inner, in: place)
        case .choice(let condition, let first, let second):
            return try choice(condition, first: first, second: second, in: place.deeper(1))
        case .distance(let metric, let left, let right):
            let place = try place.deeper(1)
            return (.distance(metric, try vector(left, in: place), try vector(right, in: place)), .double)
        case .datePart(let part, let node, let zone):
            let (term, type) = try operand(node, in: place.deeper(1))
            guard type == .date else {
                throw invalid(
                    "\(part.rawValue) asks about a date, not about \(type.map(\.description) ?? "a constant").")
            }
            return (.datePart(part, term, zone), .int64)
        case .element:
            throw invalid(
                "The elements of an array make groups; ask about the array by any, all, none, count or contains.")
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
        _ condition: QueryNode, first: QueryNode, second: QueryNode, in place: Place
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
        if case .property(let path) = node, case .rows(let joinPath) = try resolve(path, in: place) {
            let count = joinPath.through(.relatedCount(joinPath.last, .constant(true)))
            guard let presence = joinPath.presence else { return count }
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
        let joinPath = try rows(path, in: place)
        let condition = try condition(inner, in: inside(joinPath, place))
        let count = joinPath.through(.relatedCount(joinPath.last, joinPath.ofElement(condition)))
        return joinPath.steps.isEmpty ? count : .choice(.isNull(count), try argument(.int(0)), count)
    }

    private mutating func childAggregate(
        _ function: AggregateFunction, _ path: PropertyPath, of inner: QueryNode, in place: Place
    ) throws(StorageError) -> Operand {
        let joinPath = try rows(path, in: place)
        let (term, type) = try operand(inner, in: inside(joinPath, place))
        guard let type else { throw invalid("\(function.rawValue) asks about a property.") }
        switch type {
        case .array, .embedded: throw invalid("\(function.rawValue) asks about numbers and other values with an order.")
        default: break
        }
        let value = joinPath.element.map { QueryTerm.related($0, term) } ?? term
        let aggregate = Query.Aggregate(function, of: TypedTerm(value, type))
        let result = joinPath.through(.relatedAggregate(joinPath.last, aggregate, .constant(true)))
        guard function == .sum, !joinPath.steps.isEmpty else { return (result, aggregate.type) }
        // The sum of no values is 0, also if a row on the way is missing.
        return (.choice(.isNull(result), try argument(aggregate.type.row.sum.ofNothing), result), aggregate.type)
    }

    private mutating func aggregate(
        _ function: AggregateFunction, _ node: QueryNode?, in place: Place
    ) throws(StorageError) -> Operand {
        guard place.isGroup, let keys = grouping?.keys else {
            throw invalid("\(function.rawValue) of a group can only be used in a query of groups.")
        }
        let term = try node.map { (node) throws(StorageError) in try groupInput(node) }
        let aggregate = Query.Aggregate(function, of: term)
        let known = grouping?.aggregates.firstIndex(of: aggregate)
        if known == nil { grouping?.aggregates.append(aggregate) }
        let index = known ?? (grouping?.aggregates.count ?? 1) - 1
        return (.column(keys.count + index), aggregate.type)
    }

    // MARK: Properties

    enum Resolved {
        case column(QueryTerm, ColumnType)
        /// The parts of a reference to a record with a key of several.
        case parts([TypedTerm])
        /// A child, children, or referring records.
        case rows(JoinPath)
    }

    /// The path from the row in scope to other rows.
    struct JoinPath {
        /// The joins to the row that has the rows, through children and references, one each.
        var steps: [Join] = []
        /// The join to the rows.
        var last: Join
        /// The join from an element of an array of references to the record.
        var element: Join?
        /// The column that records whether an array is nil.
        var presence: QueryTerm?
        /// The scope of the conditions on the rows themselves.
        var end: Place

        /// A term of the row at the end of the steps; null if a row on the way is missing.
        func through(_ term: QueryTerm) -> QueryTerm { steps.reversed().reduce(term) { .related($1, $0) } }

        /// A condition on the record, as one on the row.
        func ofElement(_ term: QueryTerm) -> QueryTerm { element.map { .quantified(.any, $0, term) } ?? term }

        /// Returns a term that is true if the term is true for some row.
        func some(_ term: QueryTerm) -> QueryTerm {
            (steps + [last]).reversed().reduce(term) { .quantified(.any, $1, $0) }
        }
    }

    mutating func resolve(_ path: PropertyPath, in place: Place) throws(StorageError) -> Resolved {
        guard !place.isGroup else { throw invalid("A group has its key and aggregates, not its records' properties.") }
        guard path.scope == place.scope else {
            throw invalid("A filter on children can only name the child's own properties.")
        }
        return try resolve(ordinals(of: path, in: place)[...], path.inverse, in: place)
    }

    /// The rows that a path leads to.
    mutating func rows(_ path: PropertyPath, in place: Place) throws(StorageError) -> JoinPath {
        guard case .rows(let joinPath) = try resolve(path, in: place) else {
            throw invalid("any, all, none and count ask about owned arrays, references and inverses.")
        }
        return joinPath
    }

    /// The scope of a condition on the rows.
    func inside(_ joinPath: JoinPath, _ place: Place) throws(StorageError) -> Place {
        var end = joinPath.end
        (end.scope, end.depth) = (place.scope + 1, place.depth)
        return try end.deeper(1)
    }

    /// The indices in the schema of a path, which may be given by names.
    func ordinals(of path: PropertyPath, in place: Place) throws(StorageError) -> [Int] {
        var ordinals = path.ordinals
        var place = place
        for (index, name) in path.names.enumerated() {
            guard let ordinal = place.table.ordinal(of: name.text) else {
                throw name.place.error(place.table.lacks(name.text))
            }
            ordinals.append(ordinal)
            guard index + 1 < path.names.count else { break }
            guard let next = try self.place(after: ordinal, in: place) else {
                throw name.place.error(
                    "\(name.text) is neither an owned child nor a reference, and has no properties of its own")
            }
            place = next
        }
        return ordinals
    }

    /// Returns the scope of a child's properties, or of a referenced record's; nil for a plain column.
    func place(after ordinal: Int, in place: Place) throws(StorageError) -> Place? {
        var place = place
        switch try place.model.member(ordinal, of: place.table) {
        case .column: return nil
        case .relation(let index):
            place.table = place.model.tables[place.table.relations[index].target]
            guard let element = place.table.element else { return place }
            place.model = try tables(of: element.target)
        case .reference(let index): place.model = try tables(of: place.table.references[index].target)
        }
        place.table = place.model.root
        return place
    }

    private mutating func resolve(
        _ ordinals: ArraySlice<Int>, _ inverse: PropertyPath.Backlink?, in place: Place
    ) throws(StorageError) -> Resolved {
        guard let ordinal = ordinals.first else {
            if let inverse { return .rows(try joinPath(inverse, from: place)) }
            throw invalid("The model itself cannot be compared.")
        }
        let isEnd = ordinals.count == 1 && inverse == nil
        guard ordinals.count <= QueryLimits.levels else { throw QueryLimits.tooDeep }
        switch try place.model.member(ordinal, of: place.table) {
        case .column(let column): return .column(.column(column), place.table.schema.columns[column].type)
        case .relation(let index):
            let relation = place.table.relations[index]
            let join = join(to: relation, in: place)
            guard !isEnd else { return .rows(try joinPath(relation, join, ordinal: ordinal, in: place)) }
            guard !relation.isMany else {
                throw invalid("Properties of an array's elements are reached by any, all, none or count.")
            }
            var owned = place
            owned.table = place.model.tables[relation.target]
            return through(join, try resolve(ordinals.dropFirst(), inverse, in: owned))
        case .reference(let index):
            let reference = place.table.references[index]
            let columns = reference.columns.map { TypedTerm(.column($0), place.table.schema.columns[$0].type) }
            if isEnd { return columns.count == 1 ? .column(columns[0].term, columns[0].type) : .parts(columns) }
            let target = try tables(of: reference.target)
            // The record's key is here already.
            if ordinals.count == 2, inverse == nil, let next = ordinals.last,
                case .column(let column) = try target.member(next, of: target.root),
                let part = target.root.schema.key.firstIndex(of: column), columns.indices.contains(part)
            {
                return .column(columns[part].term, columns[part].type)
            }
            let record = Place(table: target.root, model: target)
            let join = join(to: target, by: reference)
            return through(join, try resolve(ordinals.dropFirst(), inverse, in: record))
        }
    }

    private func through(_ join: Join, _ resolved: Resolved) -> Resolved {
        switch resolved {
        case .column(let term, let type): return .column(.related(join, term), type)
        case .parts(let parts): return .parts(parts.map { TypedTerm(.related(join, $0.term), $0.type) })
        case .rows(var joinPath):
            joinPath.steps.insert(join, at: 0)
            joinPath.presence = joinPath.presence.map { .related(join, $0) }
            return .rows(joinPath)
        }
    }

    private mutating func joinPath(
        _ relation: RelationBinding, _ join: Join, ordinal: Int, in place: Place
    ) throws(StorageError) -> JoinPath {
        let table = place.model.tables[relation.target]
        let presence = presence(of: ordinal, in: place.table)
        guard let element = table.element else {
            return JoinPath(last: join, presence: presence, end: Place(table: table, model: place.model))
        }
        let target = try tables(of: element.target)
        return JoinPath(
            last: join, element: self.join(to: target, by: element), presence: presence,
            end: Place(table: target.root, model: target))
    }

    /// The column that says whether an optional array is nil.
    private func presence(of ordinal: Int, in table: TableBinding) -> QueryTerm? {
        guard case .relation(let index) = table.members[ordinal] else { return nil }
        let relation = table.relations[index]
        guard relation.isMany, relation.isOptional else { return nil }
        return table.schema.columns.firstIndex { $0.role == .presence && $0.storedProperty == relation.storedProperty }
            .map(QueryTerm.column)
    }

    // MARK: Edges

    private mutating func join(to relation: RelationBinding, in place: Place) -> Join {
        let owner = place.table
        let target = place.model.tables[relation.target]
        let ownerKey = owner.form == .root ? owner.schema.key : Array(owner.columns.prefix(owner.groupCount))
        let inner = target.columns.prefix(target.prefixCount)
        let table = index(of: target, in: place.model)
        guard target.form == .node else {
            return Join(table: table, inner: Array(inner.prefix(ownerKey.count)), outer: ownerKey)
        }
        // The parent's number, which is 0 if the owner is outside the recursion.
        let node = owner.form == .node ? owner.columns[owner.groupCount] : nil
        return Join(
            table: table, inner: Array(inner.prefix(target.groupCount)) + [inner[target.prefixCount - 1]],
            outer: ownerKey + [node])
    }

    private mutating func join(to target: ModelTables, by reference: ReferenceBinding) -> Join {
        leavesRecord = true
        return Join(table: index(of: target.root, in: target), inner: target.root.schema.key, outer: reference.columns)
    }

    /// Returns the path to the records of a model that refer to the record in scope.
    private mutating func joinPath(_ inverse: PropertyPath.Backlink, from place: Place) throws(StorageError) -> JoinPath
    {
        leavesRecord = true
        let model = try tables(of: .type(inverse.model))
        let (table, found) = try model.reference(inverse.ordinals)
        guard place.table === place.model.root, found.schema.storedModel == place.model.name else {
            throw invalid("An inverse belongs to the Columns of the model that the reference is to.")
        }
        let end = Place(table: model.root, model: model)
        let key = place.table.schema.key
        guard table !== model.root else {
            return JoinPath(last: Join(table: index(of: table, in: model), inner: found.columns, outer: key), end: end)
        }
        let link = Join.Link(table: index(of: table, in: model), inner: found.columns, outer: key)
        let owner = table.columns.prefix(model.rootKeyCount)
        return JoinPath(
            last: Join(
                table: index(of: model.root, in: model), inner: model.root.schema.key, outer: Array(owner), link: link),
            end: end)
    }
}
