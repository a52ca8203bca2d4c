internal import StorageDriver

/// What a query was compiled to.
///
/// A query with an exact form in SQL is answered by the server as a whole. Of any other the server returns the rows that
/// the conditions with such a form leave, and ``PartialEvaluation`` does the rest.
final class CompiledQuery {
    let sql: String
    let types: [ColumnType]
    /// Whether the server answers the query as a whole.
    let isWhole: Bool
    /// Whether there may be any number of rows.
    let isLong: Bool
    private let parameters: [QueryCompiler.Parameter]

    init(_ plan: QueryPlan, _ names: Names) {
        var compiler = QueryCompiler(plan, names)
        if let sql = try? compiler.select() {
            (self.sql, isWhole, types) = (sql, true, Self.types(plan))
        } else {
            compiler = QueryCompiler(plan, names)
            (sql, isWhole, types) = (compiler.candidates(), false, plan.table.columns.map(\.type))
        }
        parameters = compiler.parameters
        isLong = Self.isLong(plan, isWhole: isWhole)
    }

    private static func types(_ plan: QueryPlan) -> [ColumnType] {
        switch plan.query.result {
        case .columns(let columns): columns.map { plan.table.columns[$0].type }
        case .terms(let terms): terms.map(\.type)
        case .groups(let grouping): grouping.keys.map(\.type) + grouping.aggregates.map(\.type)
        case .count: [.int64]
        case .exists: [.bool]
        }
    }

    private static func isLong(_ plan: QueryPlan, isWhole: Bool) -> Bool {
        guard plan.query.scope == .all, !(isWhole && plan.query.isLimited) else { return false }
        switch plan.query.result {
        case .count, .exists, .groups: return !isWhole
        case .columns, .terms: return !(plan.query.filter?.conjuncts.contains { isUnique($0, plan.table) } ?? false)
        }
    }

    /// Whether the condition holds for one row at most.
    private static func isUnique(_ term: QueryTerm, _ table: TableSchema) -> Bool {
        switch term {
        case .comparison(.equal, .column(let column), .argument, _),
            .comparison(.equal, .argument, .column(let column), _):
            table.columns[column].isUnique || table.key == [column]
        default: false
        }
    }

    /// The statement's parameters for the values of one call.
    func bind(_ arguments: QueryArguments) -> Parameters {
        var bound = Parameters()
        for parameter in parameters {
            switch parameter {
            case .value(let index, let type): bound.add(arguments.values[index], as: type)
            case .prefixEnd(let index): bound.add(plain: Self.endOfPrefix(arguments.values[index]))
            case .like(let index): bound.add(TextPattern(arguments.values[index]).like)
            case .regularExpression(let index): bound.add(plain: TextPattern(arguments.values[index]).regularExpression)
            case .list(let list, let column, let type): bound.add(arguments.lists[list], column, as: type)
            case .limit: bound.add(arguments.limit.map { Int64($0) })
            case .offset: bound.add(Int64(arguments.offset))
            case .groupLimit: bound.add(arguments.groupLimit.map { Int64($0) })
            case .groupOffset: bound.add(Int64(arguments.groupOffset))
            }
        }
        return bound
    }

    /// The least text that is greater than every text with the prefix, escaped; nil if there is none.
    private static func endOfPrefix(_ value: Value) -> String? {
        guard case .text(let prefix) = value else { return nil }
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The order of scalars is that of UTF-8 bytes.
            guard let scalar = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            scalars.append(scalar)
            return EscapedText.escaped(String(String.UnicodeScalarView(scalars)))
        }
        return nil
    }
}

extension Parameters {
    fileprivate mutating func add(_ value: Value, as type: ColumnType) {
        let cells = ValueCells(ValueList(width: 1, values: [value]))
        add(cells.cells[0], as: type.sql.form)
        withExtendedLifetime(cells) {}
    }

    fileprivate mutating func add(_ list: ValueList, _ column: Int, as type: ColumnType) {
        let cells = ValueCells(list)
        add(array: cells.cells + column, count: cells.count, stride: cells.width, as: type.sql.form, oid: type.listOID)
        withExtendedLifetime(cells) {}
    }
}
