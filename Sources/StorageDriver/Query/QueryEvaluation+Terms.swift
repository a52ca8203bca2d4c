extension QueryEvaluation {
    /// Returns whether the term holds for the row.
    ///
    /// - Throws: `overflow` and `typeMismatch` if a computation fails.
    public func isTrue(_ term: QueryTerm, _ row: Tables.Row) throws(StorageError) -> Bool {
        switch term {
        case .constant(let constant): return constant
        case .and(let terms):
            for term in terms where !(try isTrue(term, row)) { return false }
            return true
        case .or(let terms):
            for term in terms where try isTrue(term, row) { return true }
            return false
        case .not(let term): return !(try isTrue(term, row))
        case .isNull(let term): return try value(term, row).isNull
        case .isIn(let term, let list, _): return sets[list].contains(try value(term, row))
        case .isAmong(let columns, let list): return rowSets[list].contains(columns.map { row[$0] })
        case .comparison(let comparison, let left, let right, let type):
            return comparison.holds(try value(left, row), try value(right, row), as: type)
        case .text(let test, let text, let pattern):
            guard case .text(let text) = try value(text, row), case .text(let pattern) = try value(pattern, row)
            else { return false }
            return test.holds(text, pattern)
        case .hasElement(let array, let element):
            return ArrayElements.contains(try value(array, row), try value(element, row))
        case .quantified(let quantifier, let edge, let term):
            return try isTrue(quantifier, term, ofRows: rows(along: edge, from: row))
        case .column, .argument, .null, .related, .relatedCount, .relatedAggregate, .arithmetic, .folded, .elementCount,
            .distance, .datePart, .choice:
            return try value(term, row) == .int(1)
        }
    }

    private func isTrue(
        _ quantifier: Quantifier, _ term: QueryTerm, ofRows rows: [Tables.Row]
    ) throws(StorageError) -> Bool {
        for row in rows where try isTrue(term, row) != (quantifier == .all) { return quantifier == .any }
        return quantifier != .any
    }

    /// The term's value for the row.
    ///
    /// - Throws: `overflow` and `typeMismatch` if a computation fails.
    public func value(_ term: QueryTerm, _ row: Tables.Row) throws(StorageError) -> Value {
        switch term {
        case .column(let column): return row[column]
        case .argument(let index): return arguments.values[index]
        case .null: return .null
        case .related(let edge, let term):
            guard let related = try rows(along: edge, from: row).first else { return .null }
            return try value(term, related)
        case .relatedCount(let edge, let term):
            var count: Int64 = 0
            for related in try rows(along: edge, from: row) where try isTrue(term, related) { count += 1 }
            return .int(count)
        case .relatedAggregate(let edge, let aggregate, let condition):
            return try value(aggregate, where: condition, ofRows: rows(along: edge, from: row))
        case .arithmetic(let operation, let left, let right, let type):
            return try operation.apply(value(left, row), value(right, row), as: type)
        case .folded(let term, let folding):
            guard case .text(let text) = try value(term, row) else { return .null }
            return .text(folding.fold(text))
        case .elementCount(let array):
            return ArrayElements.count(try value(array, row)).map { .int(Int64($0)) } ?? .null
        case .distance(let metric, let left, let right):
            return metric.distance(try value(left, row), try value(right, row))
        case .datePart(let part, let term, let zone): return try part.value(of: value(term, row), in: zone)
        case .choice(let condition, let first, let second):
            return try isTrue(condition, row) ? value(first, row) : value(second, row)
        default: return .int(try isTrue(term, row) ? 1 : 0)
        }
    }

    private func value(
        _ aggregate: Query.Aggregate, where condition: QueryTerm, ofRows rows: [Tables.Row]
    ) throws(StorageError) -> Value {
        var state = AggregateState(aggregate)
        for row in rows where try isTrue(condition, row) {
            try state.add(aggregate.term.map { (term) throws(StorageError) in try value(term.term, row) } ?? .null)
        }
        return try state.result()
    }

    // MARK: Edges

    /// The rows along an edge, each once and in the order of their key.
    private func rows(along edge: Join, from row: Tables.Row) throws(StorageError) -> [Tables.Row] {
        let table = plan.tables[edge.table]
        guard let link = edge.link else {
            return try rows(of: table, edge.inner, equal: edge.outer.map { $0.map { row[$0] } ?? .int(0) })
        }
        let linked = try rows(of: plan.tables[link.table], link.inner, equal: link.outer.map { row[$0] })
        let wanted = Self.ordered(Set(linked.map { row in edge.outer.map { $0.map { row[$0] } ?? .int(0) } }))
        if table.key.starts(with: edge.inner) {
            let keys = wanted.filter { !$0.contains(where: \.isNull) }
            return try filtered(tables.rows(of: table, keyPrefixes: keys), columns: [], equal: [], from: 0)
        }
        var rows: [Tables.Row] = []
        for key in wanted { rows += try self.rows(of: table, edge.inner, equal: key) }
        return rows
    }

    /// The rows whose columns have these values, found by their key or by an index.
    private func rows(
        of table: TableSchema, _ columns: [Int], equal wanted: [Value]
    ) throws(StorageError) -> [Tables.Row] {
        if wanted.contains(where: \.isNull) { return [] }
        let prefix = zip(columns, table.key).prefix { $0 == $1 }.count
        guard prefix == 0, let bounds = Self.bounds(of: columns, equalTo: wanted, in: table),
            let keys = try tables.keys(of: table, within: bounds)
        else {
            return try filtered(
                tables.rows(of: table, keyPrefix: Array(wanted.prefix(prefix))), columns: columns, equal: wanted,
                from: prefix)
        }
        let found = bounds.isInKeyOrder ? keys : Self.ordered(keys)
        // An index on the first column alone, or on the beginning of its values, may have given more.
        return try filtered(tables.rows(of: table, keyPrefixes: found), columns: columns, equal: wanted, from: 0)
    }

    /// The bounds by which an index finds the rows whose columns have these values.
    private static func bounds(of columns: [Int], equalTo wanted: [Value], in table: TableSchema) -> ColumnBounds? {
        guard let first = columns.first else { return nil }
        let index = table.indexColumns(from: first)
        let count = zip(index, columns).prefix { $0 == $1 }.count
        return ColumnBounds(
            Array(columns.prefix(count)), equalTo: Array(wanted.prefix(count)), width: index.count)
    }

    private func filtered(
        _ rows: RowStream<Tables.Row>, columns: [Int], equal wanted: [Value], from start: Int
    ) throws(StorageError) -> [Tables.Row] {
        let rest = zip(columns, wanted).dropFirst(start)
        var found: [Tables.Row] = []
        while let row = try rows.next() {
            work?.add(1)
            if rest.allSatisfy({ row[$0] == $1 }) { found.append(row) }
        }
        return found
    }
}

extension Comparison {
    /// Returns whether the comparison holds for two values of the type.
    public func holds(_ left: Value, _ right: Value, as type: ColumnType) -> Bool {
        let order = left.order(to: right, as: type)
        if self == .equal { return order == .same }
        if self == .notEqual { return order != .same }
        if left.isNull || right.isNull { return false }
        switch self {
        case .less: return order == .before
        case .lessOrEqual: return order != .after
        case .greater: return order == .after
        default: return order != .before
        }
    }
}
