import StorageDriver

/// Turns a built query into a shape and its arguments: resolves properties to columns and children to tables, and
/// extracts the values.
package struct QueryLowering {
    let model: ModelTables
    let directory: ModelDirectory
    /// Answers searches; nil where the query is only compared.
    let session: (any StorageSession)?
    /// The table whose rows the query returns.
    let table: TableBinding
    /// The tables of other models that the query touches, in the order in which it meets them.
    package private(set) var others: [TableSchema] = []
    /// True if the condition reads records other than the candidate, even ones of the same model.
    package var leavesRecord = false
    private(set) var arguments: QueryArguments
    /// The rows in scope, by their keys.
    let scope: Query.Scope
    /// The number of arguments that belong to the scope.
    private let scopeCount: Int
    /// The groups of the query, if it has groups.
    var grouping: Query.Grouping?
    /// The elements by which it groups, if it groups by elements.
    var elementGroups: ElementGroups?

    /// - Parameter keys: the keys of the rows in scope; nil for all rows.
    package init(
        _ handle: ModelHandle, table: TableBinding? = nil, among keys: KeyList? = nil,
        in session: (any StorageSession)?
    ) {
        self.session = session
        arguments = keys?.scopeArguments ?? QueryArguments()
        scope = keys?.scope ?? .all
        scopeCount = arguments.values.count + arguments.lists.count
        model = handle.tables
        directory = handle.directory
        self.table = table ?? model.root
    }

    /// A scope: a table whose columns terms may name.
    package struct Place {
        var table: TableBinding
        /// The model that the table belongs to.
        var model: ModelTables
        var scope = 0
        var depth = 0
        /// True if it is a group's row, which has keys and aggregates and no columns.
        var isGroup = false

        /// The scope of a part of this term.
        func deeper(_ levels: Int) throws(StorageError) -> Place {
            var place = self
            place.depth += levels
            guard place.depth <= QueryLimits.levels else { throw QueryLimits.tooDeep }
            return place
        }
    }

    var place: Place { Place(table: table, model: model) }

    mutating func filter(_ node: QueryNode) throws(StorageError) -> QueryTerm {
        try placed { (lowering) throws(StorageError) in try lowering.condition(node, in: lowering.place).fitting() }
    }

    mutating func groupFilter(_ node: QueryNode) throws(StorageError) -> QueryTerm {
        try placed { (lowering) throws(StorageError) in
            try lowering.condition(node, in: lowering.place(ofGroups: true)).fitting()
        }
    }

    mutating func sortKey(_ key: OrderingTerm, ofGroups: Bool = false) throws(StorageError) -> Query.SortKey {
        let term = try typed(key.node, ofGroups: ofGroups)
        switch term.type {
        case .array, .embedded: throw invalid("An array or an embedded value has no order to sort by.")
        default: break
        }
        return Query.SortKey(
            term: term.term, type: term.type, isDescending: key.isDescending, nullsFirst: key.nullsFirst)
    }

    /// A term of a result.
    mutating func typed(_ node: QueryNode, ofGroups: Bool = false) throws(StorageError) -> TypedTerm {
        try placed { (lowering) throws(StorageError) in
            let (term, type) = try lowering.operand(node, in: lowering.place(ofGroups: ofGroups))
            guard let type else { throw lowering.invalid("A constant is used where a property is needed.") }
            return TypedTerm(try term.fitting(), type)
        }
    }

    private mutating func placed<T>(
        _ body: (inout QueryLowering) throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            return try body(&self)
        } catch {
            throw error.at(model: model.name)
        }
    }

    private func place(ofGroups isGroup: Bool) -> Place {
        var place = place
        place.isGroup = isGroup
        return place
    }

    // MARK: Tables

    /// The tables of a model that a reference leads to, or that refers to one.
    func tables(of target: ModelSource) throws(StorageError) -> ModelTables { try directory.tables(of: target) }

    /// The index of a table in the query's plan.
    mutating func index(of table: TableBinding, in owner: ModelTables) -> Int {
        if owner.name == model.name { return table.index }
        let known = others.firstIndex { $0.name == table.schema.name }
        if known == nil { others.append(table.schema) }
        return model.tables.count + (known ?? others.count - 1)
    }

    // MARK: Arguments

    /// The term of a value that already has the right type.
    mutating func argument(_ value: Value) throws(StorageError) -> QueryTerm {
        if value.isNull { return .null }
        try checkCount()
        try checkSize(value)
        arguments.values.append(value)
        return .argument(arguments.values.count - 1)
    }

    /// The list of the values and numbers that are values of the type.
    mutating func list(_ values: [Value], _ numbers: [String], as type: ColumnType) throws(StorageError) -> Int {
        try checkCount()
        var fitting: [Value] = []
        fitting.reserveCapacity(values.count)
        for value in values {
            try checkSize(value)
            if let value = try QueryNode.value(value).plain(as: type).exact { fitting.append(value) }
        }
        for number in numbers {
            if let value = try QueryNode.number(number).plain(as: type).exact { fitting.append(value) }
        }
        arguments.lists.append(ValueList(width: 1, values: fitting))
        return arguments.lists.count - 1
    }

    /// The list of keys of several parts.
    mutating func list(ofKeys keys: [[Value]], width: Int) throws(StorageError) -> Int {
        try checkCount()
        arguments.lists.append(KeyList(width: width, keys.filter { $0.count == width }).list)
        return arguments.lists.count - 1
    }

    mutating func replaceArgument(_ index: Int, _ value: Value) { arguments.values[index] = value }

    private func checkCount() throws(StorageError) {
        guard arguments.values.count + arguments.lists.count - scopeCount < QueryLimits.values else {
            throw QueryLimits.tooMany
        }
    }

    /// A cell says the length of its bytes in 32 bits.
    private func checkSize(_ value: Value) throws(StorageError) {
        let size =
            switch value {
            case .text(let text): text.utf8.count
            case .blob(let bytes): bytes.count
            case .null, .int, .unsigned, .double: 0
            }
        guard size <= Int(UInt32.max) else {
            throw StorageError(
                .limitExceeded, "A value of \(size) bytes is larger than the limit of \(UInt32.max) bytes in a query.",
                model: model.name)
        }
    }

    func invalid(_ message: String) -> StorageError {
        StorageError(.invalidQuery, message, model: model.name)
    }
}
