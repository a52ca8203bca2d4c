extension QueryEvaluation {
    /// Whether the term holds for the row.
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
        case .comparison(let comparison, let left, let right, let type):
            return comparison.holds(try value(left, row), try value(right, row), as: type)
        case .text(let test, let text, let pattern):
            guard case .text(let text) = try value(text, row), case .text(let pattern) = try value(pattern, row)
            else { return false }
            return test.holds(text, pattern)
        case .hasElement(let array, let element):
            return ArrayElements.contains(try value(array, row), try value(element, row))
        case .quantified(let quantifier, let ownership, let term):
            return try isTrue(quantifier, term, ofChildren: children(ownership, of: row))
        case .column, .argument, .null, .child, .childCount, .arithmetic, .folded, .elementCount, .distance,
            .choice:
            return try value(term, row) == .int(1)
        }
    }

    private func isTrue(
        _ quantifier: Quantifier, _ term: QueryTerm, ofChildren children: [Tables.Row]
    ) throws(StorageError) -> Bool {
        for child in children where try isTrue(term, child) != (quantifier == .all) { return quantifier == .any }
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
        case .child(let ownership, let term):
            guard let child = children(ownership, of: row).first else { return .null }
            return try value(term, child)
        case .childCount(let ownership, let term):
            var count: Int64 = 0
            for child in children(ownership, of: row) where try isTrue(term, child) { count += 1 }
            return .int(count)
        case .arithmetic(let operation, let left, let right, let type):
            return try operation.apply(value(left, row), value(right, row), as: type)
        case .folded(let term, let folding):
            guard case .text(let text) = try value(term, row) else { return .null }
            return .text(folding.fold(text))
        case .elementCount(let array):
            return ArrayElements.count(try value(array, row)).map { .int(Int64($0)) } ?? .null
        case .distance(let metric, let left, let right):
            return metric.distance(try value(left, row), try value(right, row))
        case .choice(let condition, let first, let second):
            return try isTrue(condition, row) ? value(first, row) : value(second, row)
        default: return .int(try isTrue(term, row) ? 1 : 0)
        }
    }

    private func children(_ ownership: Ownership, of row: Tables.Row) -> [Tables.Row] {
        let table = plan.tables[ownership.table]
        let wanted = ownership.outer.map { $0.map { row[$0] } ?? .int(0) }
        let prefix = zip(ownership.inner, table.key).prefix { $0 == $1 }.count
        let rest = zip(ownership.inner, wanted).dropFirst(prefix)
        return tables.rows(of: table, keyPrefix: Array(wanted.prefix(prefix)))
            .filter { child in rest.allSatisfy { child[$0] == $1 } }
    }
}

extension Comparison {
    /// Whether the comparison holds for two values of the type.
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
