internal import StorageDriver

// A sort by a column without an index reads all rows. SQLite keeps the best of them in a tree, which costs most of the time:
// a row that is better than the worst of the tree is decoded and replaces that one. A row that is known to be among the best
// of a sample bounds the sort, so that nearly all rows are left out by one comparison.
extension QueryCompiler {
    /// The statements of a bounded sort.
    struct BoundedSelect {
        /// The least and the greatest row number of the table.
        let extent: String
        /// The row number so many rows after another.
        let distance: String
        /// The value and the key of the last row that the limit needs, among the rows of a sample.
        let sample: String
        /// The numbers of the best rows up to that one.
        let scan: String
        /// The query, of rows with numbers that a scan has given.
        let select: String
        let prefixEnds: [Int]
        let parameters: Parameters

        /// The numbers of parameters. The sample has five, the scan three, the query one, the distance two.
        struct Parameters {
            let first: Int

            var value: Int { first }
            var key: Int { first + 1 }
            var rows: Int { first + 2 }

            var numbers: Int { first }

            var start: Int { first }
            var step: Int { first + 1 }
            var last: Int { first + 2 }
            var width: Int { first + 3 }
            var offset: Int { first + 4 }
        }
    }

    /// Returns the statements of the query with a bound.
    ///
    /// - Parameter rowNumber: the name of SQLite's row number in the query's table.
    /// - Returns: nil where the query has another form: all rows of the table that meet the conditions, by a column and then
    ///   by the key.
    mutating func bounded(rowNumber: String) -> BoundedSelect? {
        let query = plan.query
        guard case .all = query.scope, query.isLimited, !query.canFail, listedKeys == nil, plan.table.key.count == 1,
            let first = query.order.first, case .column(let column) = first.term, column != plan.table.key[0]
        else { return nil }
        let key = plan.table.key[0]
        let keyOrder = query.order.dropFirst().first
        if let keyOrder {
            guard case .column(key) = keyOrder.term else { return nil }
        }
        let outputs: [String]
        switch query.result {
        case .columns(let columns): outputs = columns.map(root.column)
        case .terms(let terms): outputs = self.outputs(terms)
        case .count, .exists, .groups: return nil
        }

        let conditions = conditions(nil)
        let (order, limit) = (order(), limit())
        let table = plan.table.name.quotedName
        let number = "t0." + rowNumber.quotedName
        let value = ordered(root.column(column), first.type)
        let keyValue = root.column(key)
        let names = BoundedSelect.Parameters(first: parameters.prefixEnd(prefixEnds.count))
        // Of rows with the value of the bound's row the keys decide. No row without a value is left out.
        let worse = first.isDescending ? "<" : ">"
        let later = keyOrder?.isDescending == true ? "<" : ">"
        let bound =
            "(\(value) \(worse) ?\(names.value) OR (\(value) = ?\(names.value) AND \(keyValue) \(later) ?\(names.key)))"
            + " IS NOT TRUE"
        let sampled = ["\(number) BETWEEN place.n AND place.n + ?\(names.width)"] + conditions
        return BoundedSelect(
            extent: "SELECT (SELECT min(\(number)) FROM \(table) AS t0), (SELECT max(\(number)) FROM \(table) AS t0)",
            distance: "SELECT \(number) FROM \(table) AS t0 NOT INDEXED WHERE \(number) >= ?1 ORDER BY \(number)"
                + " LIMIT 1 OFFSET ?2",
            // Without indexes, so that SQLite makes none for it either.
            sample: "WITH RECURSIVE place(n) AS (SELECT ?\(names.start) UNION ALL SELECT n + ?\(names.step) FROM place"
                + " WHERE n < ?\(names.last)) SELECT \(root.column(column)), \(keyValue) FROM place CROSS JOIN \(table)"
                + " AS t0 NOT INDEXED WHERE \(sampled.joined(separator: " AND "))\(order) LIMIT 1 OFFSET ?\(names.offset)",
            scan: "SELECT \(number) FROM \(table) AS t0"
                + " WHERE \((conditions + [bound]).joined(separator: " AND "))\(order) LIMIT ?\(names.rows)",
            select: "SELECT \(outputs.joined(separator: ", ")) FROM"
                + " (SELECT c0 FROM storage_list(?\(names.numbers))) AS k CROSS JOIN \(table) AS t0"
                + " ON \(number) = k.c0\(order)\(limit)",
            prefixEnds: prefixEnds, parameters: names)
    }
}
