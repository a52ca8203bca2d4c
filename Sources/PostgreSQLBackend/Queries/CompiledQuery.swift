internal import StorageDriver

/// The compiled form of a query.
///
/// A query with an exact form in SQL is answered by the server as a whole. Of any other the server returns the rows that
/// the conditions with such a form leave, and ``PartialEvaluation`` does the rest.
final class CompiledQuery {
    let sql: String
    /// The bytes of the results.
    let forms: [WireForm]
    /// True if the server answers the query as a whole.
    let isFullyCompiled: Bool
    /// The steps that the program applies to the rows, for `explain`; empty if the server answers the query as a whole.
    let rest: [String]
    /// True if the number of rows has no bound.
    let isLong: Bool
    /// True if a limit alone bounds the number of rows.
    let isPage: Bool
    /// True if the number of bytes in a row has no bound.
    let isUnbounded: Bool
    /// True if the server may refuse to answer, because its sums would not be exact (22003).
    let isSliced: Bool
    /// The columns of the plan's table that the server returns, if it does not answer the query as a whole.
    let columns: [Int]
    /// True if the rows are of a table that other software made, which escapes no text.
    private let isForeign: Bool
    private let parameters: [QueryCompiler.Parameter]

    /// The part of a query that the server evaluates.
    enum Part {
        /// The part that has an exact form.
        case exact
        /// The rows that may match.
        case candidates
        /// All rows, for values that it cannot have.
        case scan
    }

    init(_ plan: QueryPlan, _ names: Names, part: Part = .exact) {
        isForeign = plan.table.isForeign
        var compiler = QueryCompiler(plan, names)
        let types: [ColumnType]
        // A condition without an exact form in SQL is tested on the returned rows.
        if part == .exact, let sql = try? compiler.select() {
            (self.sql, isFullyCompiled, forms, columns) = (sql, true, Self.forms(plan, names), [])
            types = Self.types(plan)
        } else {
            compiler = QueryCompiler(plan, names)
            columns = NeededColumns(plan).of(plan.table)
            (sql, isFullyCompiled) = (compiler.candidates(columns, isScan: part == .scan), false)
            forms = columns.map { Self.form($0, of: plan.table, names) }
            types = columns.map { plan.table.columns[$0].type }
        }
        isUnbounded = types.contains(where: \.isUnbounded)
        isSliced = isFullyCompiled && compiler.isSliced
        parameters = compiler.parameters
        rest = isFullyCompiled ? [] : Self.rest(plan, compiler.untested)
        isLong = Self.isLong(plan, isFullyCompiled: isFullyCompiled)
        isPage = isFullyCompiled && plan.query.isLimited && Self.isOfRows(plan)
    }

    /// The types of the results.
    private static func types(_ plan: QueryPlan) -> [ColumnType] {
        switch plan.query.result {
        case .columns(let columns): columns.map { plan.table.columns[$0].type }
        case .terms(let terms): terms.map(\.type)
        case .groups, .count, .exists: []
        }
    }

    private static func isOfRows(_ plan: QueryPlan) -> Bool {
        switch plan.query.result {
        case .columns, .terms: plan.query.scope == .all
        case .groups, .count, .exists: false
        }
    }

    private static func forms(_ plan: QueryPlan, _ names: Names) -> [WireForm] {
        func form(_ type: ColumnType) -> WireForm { type.form(isForeign: plan.table.isForeign) }
        return switch plan.query.result {
        case .columns(let columns): columns.map { self.form($0, of: plan.table, names) }
        case .terms(let terms): terms.map { form($0.type) }
        case .groups(let grouping): (grouping.keys.map(\.type) + grouping.aggregates.map(\.type)).map(form)
        case .count: [.int8]
        case .exists: [.bool]
        }
    }

    private static func rest(_ plan: QueryPlan, _ untested: [QueryTerm]) -> [String] {
        var rest = untested.map { $0.summary(plan.table) }
        if let filter = plan.query.filter, filter.canFail {
            rest.append("conditions that can fail, in their order")
        }
        if !plan.query.order.isEmpty { rest.append("the order") }
        switch plan.query.result {
        case .columns, .terms: break
        case .groups: rest.append("groups and sums")
        case .count, .exists: rest.append("counting")
        }
        return rest + (plan.query.isLimited ? ["the limit"] : [])
    }

    private static func form(_ column: Int, of table: TableSchema, _ names: Names) -> WireForm {
        names.conversions[table.name]?[column].form ?? table.columns[column].type.sql.form
    }

    private static func isLong(_ plan: QueryPlan, isFullyCompiled: Bool) -> Bool {
        guard plan.query.scope == .all, !(isFullyCompiled && plan.query.isLimited) else { return false }
        switch plan.query.result {
        case .count, .exists, .groups: return !isFullyCompiled
        case .columns, .terms: return !(plan.query.filter?.conjuncts.contains { isUnique($0, plan.table) } ?? false)
        }
    }

    /// Returns whether the condition holds for one row at most.
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
            case .value(let index, let type): bound.add(arguments.values[index], as: type, isForeign: isForeign)
            case .prefixEnd(let index):
                let end = Self.endOfPrefix(arguments.values[index])
                bound.add(plain: isForeign ? end : end.map(EscapedText.escaped))
            case .like(let index):
                let like = TextPattern(arguments.values[index]).like
                if isForeign { bound.add(plain: like) } else { bound.add(like) }
            case .regularExpression(let index): bound.add(plain: TextPattern(arguments.values[index]).regularExpression)
            case .list(let list, let column, let type):
                bound.add(arguments.lists[list], column: column, as: type, isForeign: isForeign)
            case .elementNumber(let index): bound.add(Self.number(arguments.values[index]), as: .float8)
            case .elementCount(let index): bound.add(ArrayElements.count(arguments.values[index]).map { Int64($0) })
            case .limit: bound.add(arguments.limit.map { Int64($0) })
            case .offset: bound.add(Int64(arguments.offset))
            case .groupLimit: bound.add(arguments.groupLimit.map { Int64($0) })
            case .groupOffset: bound.add(Int64(arguments.groupOffset))
            }
        }
        return bound
    }

    /// A number from its JSON text; null for anything else.
    private static func number(_ json: Value) -> Cell {
        guard case .text(let text) = json, let number = Double(text) else { return .null }
        return .double(number)
    }

    /// The least text that is greater than every text with the prefix; nil if no text is.
    private static func endOfPrefix(_ value: Value) -> String? {
        guard case .text(let prefix) = value else { return nil }
        var scalars = Array(prefix.unicodeScalars)
        while let last = scalars.popLast() {
            // The order of scalars is that of UTF-8 bytes.
            guard let scalar = Unicode.Scalar(last.value == 0xD7FF ? 0xE000 : last.value + 1) else { continue }
            scalars.append(scalar)
            return String(String.UnicodeScalarView(scalars))
        }
        return nil
    }
}

extension Parameters {
    fileprivate mutating func add(_ value: Value, as type: ColumnType, isForeign: Bool) {
        let cells = ValueCells(ValueList(width: 1, values: [value]))
        add(cells.cells[0], as: type.form(isForeign: isForeign))
        withExtendedLifetime(cells) {}
    }

    fileprivate mutating func add(_ list: ValueList, column: Int, as type: ColumnType, isForeign: Bool) {
        let cells = ValueCells(list)
        add(
            array: cells.cells + column, count: cells.count, stride: cells.width, as: type.form(isForeign: isForeign),
            oid: type.listOID)
        withExtendedLifetime(cells) {}
    }
}
