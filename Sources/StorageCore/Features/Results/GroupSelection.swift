import StorageDriver

/// The parts that a query of groups has collected: values only.
package struct GroupSelection: Sendable {
    /// The records that are grouped.
    package var rows: Selection
    package var keys: [QueryNode] = []
    /// The conditions on the groups.
    package var conditions = Selection()
    package var order: [OrderingTerm] = []
    package var limit: Int?
    package var offset = 0
    /// The results of each group: keys and aggregates.
    package var outputs: [QueryNode] = []

    package init(rows: Selection) { self.rows = rows }
}

/// A plan whose rows are no models, and how to read their cells.
package struct ResultPlan {
    package let plan: QueryPlan
    package let arguments: QueryArguments
    package let binding: TableBinding
    /// The cell of each output, if they are not consecutive.
    package var outputs: [Int]?
    /// The type of each output, of a group or where it is asked for.
    package var types: [ColumnType] = []
    /// The groups by elements, of which the plan reads the records.
    var elements: ElementPlan?
}

/// A query of groups by the elements of an array: the records are read by ``ResultPlan/plan``, and their groups are made in memory.
struct ElementPlan {
    let groups: ElementGroups
    /// The groups of rows that have the terms of ``ElementGroups`` as columns.
    let grouping: Query.Grouping
    let arguments: QueryArguments
    /// The table of the elements; nil if they are values of a column.
    let table: TableBinding?
}

extension ModelHandle {
    /// The plan for a query of groups.
    package func plan(_ groups: GroupSelection, in session: any StorageSession) throws(StorageError) -> ResultPlan {
        try checkPage(groups.limit, groups.offset)
        var lowering = QueryLowering(self, in: session)
        var keys: [TypedTerm] = []
        try lowering.findElements(in: groups.keys)
        for key in groups.keys { keys.append(try lowering.groupInput(key)) }
        lowering.grouping = Query.Grouping(keys: keys, aggregates: [], order: [])
        var outputs: [Int] = []
        var types: [ColumnType] = []
        for output in groups.outputs {
            let term = try lowering.typed(output, ofGroups: true)
            outputs.append(try cell(of: term))
            types.append(term.type)
        }
        if let problem = groups.conditions.problem { throw problem }
        let filter = try groups.conditions.filter.map { (node) throws(StorageError) in try lowering.groupFilter(node) }
        var order: [Query.SortKey] = []
        for key in groups.order { order.append(try lowering.sortKey(key, ofGroups: true)) }
        guard var grouping = lowering.grouping else { throw lowering.invalid("The query has no groups.") }
        grouping.filter = filter
        grouping.order = order
        grouping.isLimited = groups.limit != nil || groups.offset > 0
        if let elements = lowering.elementGroups {
            var result = try plan(elements, grouping, of: groups, by: &lowering)
            (result.outputs, result.types) = (outputs, types)
            return result
        }
        var (query, arguments) = try query(groups.rows, .groups(grouping), by: &lowering)
        arguments.groupLimit = groups.limit
        arguments.groupOffset = groups.offset
        query.result = .groups(grouping)
        return ResultPlan(
            plan: plan(query, others: lowering.others), arguments: arguments,
            binding: tables.binding(of: grouping.inputs), outputs: outputs, types: types)
    }

    /// The plan for the records whose elements make groups.
    private func plan(
        _ elements: ElementGroups, _ grouping: Query.Grouping, of groups: GroupSelection,
        by lowering: inout QueryLowering
    ) throws(StorageError) -> ResultPlan {
        var elements = elements
        let table = try lowering.rows(of: elements)
        if table == nil {
            // The array itself is the last term of a record.
            elements.record.append(try lowering.typed(.property(elements.array)))
        }
        let schema = tables.root.schema
        let terms = schema.key.map { TypedTerm(.column($0), schema.columns[$0].type) } + elements.record
        let (query, arguments) = try query(groups.rows, .terms(terms), by: &lowering)
        var groupArguments = lowering.arguments
        (groupArguments.groupLimit, groupArguments.groupOffset) = (groups.limit, groups.offset)
        return ResultPlan(
            plan: plan(query, others: lowering.others), arguments: arguments,
            binding: tables.binding(of: grouping.inputs.map { TypedTerm(.null, $0.type) }),
            elements: ElementPlan(groups: elements, grouping: grouping, arguments: groupArguments, table: table))
    }

    private func cell(of term: TypedTerm) throws(StorageError) -> Int {
        guard case .column(let index) = term.term else {
            throw StorageError(
                .invalidQuery, "A group gives its key and aggregates as they are; compute with them in Swift.",
                model: name)
        }
        return index
    }
}

extension ModelTables {
    /// A binding for rows of terms. A term that is a column is named by it in errors, another by the key.
    package func binding(of terms: [TypedTerm], key: Int = 0, relations: [RelationBinding] = []) -> TableBinding {
        let columns = terms.map { term in
            if case .column(let column) = term.term { column } else { root.schema.key[0] }
        }
        return TableBinding(
            index: 0, schema: root.schema, form: .root, columns: columns, prefixCount: key,
            keyCells: Array(0..<key), members: [], relations: relations)
    }
}
