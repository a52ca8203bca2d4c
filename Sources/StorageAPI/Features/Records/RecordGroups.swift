public import StorageDriver

extension Store {
    /// Groups of records without types: the values of their keys, and the aggregates of each group.
    public struct RecordGroups: Hashable, Sendable {
        /// A value that is computed of each group; terms are text, as in a condition.
        public enum Output: Hashable, Sendable {
            /// The number of the group's records.
            case count
            case sum(String)
            case average(String)
            case min(String)
            case max(String)
        }

        /// A column of the result to sort by.
        public struct Order: Hashable, Sendable {
            /// The column: the keys first, then the outputs.
            public var column: Int
            /// True if greater values come first.
            public var isDescending: Bool

            /// An order by a column of the result.
            public init(column: Int, isDescending: Bool = false) {
                self.column = column
                self.isDescending = isDescending
            }
        }

        /// The type of each column: the keys first, then the outputs.
        public let types: [ColumnType]
        /// The groups, one row of values each.
        public let rows: [[Value]]
    }
}

extension Select where Model == DynamicRecord, Source == Store {
    /// Groups the records of the query by terms in text form, and computes values of each group.
    ///
    /// ```swift
    /// let groups = try await store.records("Invoice")
    ///     .groups(by: ["BillingCountry"], computing: [.count, .sum("Total")], order: [.init(column: 2, isDescending: true)])
    /// ```
    ///
    /// An array stands for its elements: `tags` groups by each tag of a record, and `pens.color` by the color of each of its pens. A
    /// record is in a group once for each such element.
    ///
    /// - Parameters:
    ///   - keys: the terms that the records of a group agree in; none for one group of all records.
    ///   - outputs: the values to compute.
    ///   - order: the columns to sort by, the first one first.
    ///   - limit: the most groups to return.
    /// - Throws: `invalidQuery` for a text that is no term, and for an order by a column that the result does not have;
    ///   `overflow`; errors of every query.
    public nonisolated(nonsending) func groups(
        by keys: [String], computing outputs: [Store.RecordGroups.Output], order: [Store.RecordGroups.Order] = [],
        limit: Int? = nil
    ) async throws(StorageError) -> Store.RecordGroups {
        var groups = TextGroups(keys: keys, outputs: outputs.map(\.term))
        guard order.allSatisfy({ (0..<keys.count + outputs.count).contains($0.column) }) else {
            throw StorageError(
                .invalidQuery,
                "The groups have \(keys.count + outputs.count) columns; sort by one of these, counted from 0.")
        }
        groups.order = order.map { ($0.column, $0.isDescending) }
        groups.limit = limit
        let (types, rows) = try await self.groups(groups)
        return Store.RecordGroups(types: types, rows: rows)
    }
}

extension Store.RecordGroups.Output {
    fileprivate var term: TextGroups.Term {
        switch self {
        case .count: .count
        case .sum(let term): .sum(term)
        case .average(let term): .average(term)
        case .min(let term): .min(term)
        case .max(let term): .max(term)
        }
    }
}
