internal import StorageDriver

extension ArchiveTables {
    /// The rows of a query over this state of the tables, which the cursor keeps.
    ///
    /// - Parameters:
    ///   - isReading: whether it ends soon after its task is cancelled.
    ///   - work: where the rows that are looked at are counted, if they are.
    func rows(
        _ plan: QueryPlan, _ arguments: QueryArguments, isReading: Bool = false, counting work: QueryWork? = nil
    ) throws(StorageError) -> Cursor {
        if hasOldPlans { try requireStored(plan) }
        let table = try table(plan.table)
        if let cursor = Self.rowOfKey(plan, arguments, table: table) {
            work?.add(1)
            return cursor
        }
        var arguments = arguments
        let plan = try choosingRelated(plan, &arguments, isReading: isReading, counting: work)
        let evaluation = QueryEvaluation(plan, arguments, in: self, isReading: isReading, counting: work)
        if plan.query.isComputedWhole { return try evaluation.cursor() }
        let path = AccessPath(plan, arguments, table: table)
        let test = plan.query.filter.map {
            RowFilter(table.format, arguments: arguments, evaluation: evaluation).test($0)
        }
        if case .count = plan.query.result, case .scan = path, test == nil { return Self.cursor(table.rows.count) }
        var source = path.source(table, arguments)
        source.cancellation = CancellationCheck(isOn: isReading, counting: work)
        switch plan.query.result {
        case .count: return Self.cursor(try Self.count(source, test))
        case .exists: return Self.cursor(try Self.matches(source, test)() == nil ? 0 : 1)
        case .columns(let columns):
            let rows = try page(
                table, source, isOrdered: path.isOrdered(as: plan.query.order, table), query: plan.query,
                arguments: arguments, test: test, evaluation: evaluation)
            return RowCursor(columns, table.format, rows).cursor
        case .terms, .groups: return try evaluation.cursor()
        }
    }

    /// The query that begins with the related rows that its conditions choose.
    private func choosingRelated(
        _ plan: QueryPlan, _ arguments: inout QueryArguments, isReading: Bool, counting work: QueryWork? = nil
    ) throws(StorageError) -> QueryPlan {
        try plan.choosingRelated(&arguments, rowCount: { self[$0.name]?.rows.count ?? 0 }) {
            (plan, arguments) throws(StorageError) in
            try rows(plan, arguments, isReading: isReading, counting: work)
        }
    }

    /// The one row of a whole key, as `find` requests it, without the work that other queries need.
    private static func rowOfKey(
        _ plan: QueryPlan, _ arguments: QueryArguments, table: ArchiveTable
    ) -> Cursor? {
        guard case .key(let count) = plan.query.scope, case .columns(let columns) = plan.query.result,
            count == table.schema.key.count, plan.query.filter == nil, !plan.query.isLimited
        else { return nil }
        let row: UnsafeRawPointer?
        if count == 1, case .int(let number) = arguments.values[0] {
            row = withUnsafePointer(to: Cell.int(number)) { table.rows.row($0) }
        } else {
            let key = ValueCells(ValueList(width: count, values: Array(arguments.values.prefix(count))))
            row = withExtendedLifetime(key) { table.rows.row(key.cells) }
        }
        let rows = table.rows
        return RowCursor(columns, table.format, first: row) { withExtendedLifetime(rows) { nil } }.cursor
    }

    private static func cursor(_ number: Int) -> Cursor {
        Cursor(rows: CollectionOfOne([.int(Int64(number))]), columns: 1)
    }

    private static func count(_ source: RowSource, _ test: RowFilter.Test?) throws(StorageError) -> Int {
        let next = matches(source, test)
        var count = 0
        while try next() != nil { count += 1 }
        return count
    }

    /// The rows of a source that pass the test, one at a time.
    private static func matches(
        _ source: RowSource, _ test: RowFilter.Test?
    ) -> () throws(StorageError) -> UnsafeRawPointer? {
        var source = source
        guard let test else { return { () throws(StorageError) in try source.next() } }
        return { () throws(StorageError) in
            while let row = try source.next() {
                if try test(row) { return row }
            }
            return nil
        }
    }

    /// The rows in the query's order, from its offset to its limit.
    private func page(
        _ table: ArchiveTable, _ source: RowSource, isOrdered: Bool, query: Query, arguments: QueryArguments,
        test: RowFilter.Test?, evaluation: QueryEvaluation<ArchiveTables>
    ) throws(StorageError) -> () throws(StorageError) -> UnsafeRawPointer? {
        let (offset, limit) = query.isLimited ? (arguments.offset, arguments.limit) : (0, nil)
        if isOrdered {
            let next = Self.matches(source, test)
            return query.isLimited ? Self.limited(next, offset, limit) : next
        }
        let wanted = limit.map { $0.addingReportingOverflow(offset) }.map { $0.overflow ? .max : $0.partialValue }
        let sorter = RowSorter(table, keys: query.order, evaluation: evaluation)
        var rows = try sorter.first(wanted ?? .max, of: source, where: test).dropFirst(offset)
        // The list's addresses are of this state's pages.
        return { [self] in
            withExtendedLifetime(self) { rows.popFirst() }
        }
    }

    private static func limited(
        _ next: @escaping () throws(StorageError) -> UnsafeRawPointer?, _ offset: Int, _ limit: Int?
    ) -> () throws(StorageError) -> UnsafeRawPointer? {
        var toSkip = offset
        var left = limit ?? .max
        return { () throws(StorageError) in
            guard left > 0 else { return nil }
            while toSkip > 0 {
                guard try next() != nil else { return nil }
                toSkip -= 1
            }
            left -= 1
            return try next()
        }
    }
}

extension ArchiveTables {
    /// Returns the access path of a query.
    func explain(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> QueryExplanation {
        let table = try table(plan.table)
        var arguments = arguments
        let plan = try choosingRelated(plan, &arguments, isReading: false)
        guard case .columns = plan.query.result, !plan.query.isComputedWhole else {
            return try QueryEvaluation(plan, arguments, in: self).explanation()
        }
        let path = AccessPath(plan, arguments, table: table)
        var source = path.source(table, arguments)
        var examined = 0
        while try source.next() != nil { examined += 1 }
        let access: QueryExplanation.Access =
            switch path {
            case .scan: .scan
            case .key, .keyReversed, .keys, .keyBounds, .ordered(nil, _, _): .key
            case .index(let index, _), .ordered(let index?, _, _): .index(table.schema.columns[index.column].property)
            }
        return QueryExplanation(
            table: plan.table.name, access: access, rowsExamined: examined,
            sorts: !path.isOrdered(as: plan.query.order, table))
    }
}
