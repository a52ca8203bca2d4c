public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// The root row of a record that is about to be written, with the values that the write sets.
    ///
    /// Properties go by their stored names. Properties of owned records are not among them: owned records have separate rows.
    public struct PendingRow {
        /// The operation of a write.
        public enum Operation: Sendable {
            /// Inserts the record.
            case insert
            /// Inserts the record or replaces it; ``PendingRow/isStored()`` tells which.
            case save
            /// Updates the record: as a whole, some of its properties, or only its owned records.
            case update
        }

        /// The stored name of the model.
        public let model: String
        /// The record's key, one value for each key property.
        public let key: [Value]
        /// The operation of the write.
        public let operation: Operation
        /// The time of the transaction, by the store's clock.
        public let time: Date
        /// The row's values by the index of their column.
        private(set) var values: [Int: Value]
        let table: TableSchema
        private let former: FormerRows
        private(set) var isChanged = false

        init(
            table: TableSchema, key: [Value], values: [Int: Value], operation: Operation, time: Date, former: FormerRows
        ) {
            model = table.path.first ?? ""
            (self.table, self.key, self.values, self.former) = (table, key, values, former)
            (self.operation, self.time) = (operation, time)
        }

        /// The stored names of the properties that the write sets, the key's included.
        public var properties: [String] { values.keys.sorted().map { table.columns[$0].property } }

        /// The value that the write sets a property to, `.null` for nil; nil if the write does not set the property.
        public subscript(property: String) -> Value? { column(property).flatMap { values[$0] } }

        /// The value that the write sets a property to, as the property's type; nil if the write does not set the property.
        ///
        /// - Throws: `typeMismatch` if the value is of another type.
        public func value<V: ColumnValue>(_ property: String, as type: V.Type) throws(StorageError) -> V? {
            try self[property].map { (value) throws(StorageError) in try decode(value, as: type, property) }
        }

        /// Returns true if a record with the key is stored. The first question about a write costs one query for all its records.
        public func isStored() throws(StorageError) -> Bool { try former.row(key) != nil }

        /// The value that a property has in the store; nil if no record with the key is stored. Costs as ``isStored()``.
        ///
        /// - Throws: `invalidQuery` if the record's root row has no such property.
        public func stored(_ property: String) throws(StorageError) -> Value? {
            let column = try requireColumn(property)
            return try former.row(key).map { $0[column] }
        }

        /// Sets a property, including a property that the write did not set.
        ///
        /// - Throws: `invalidQuery` if the record's root row has no such property, or if the property is part of the key or a
        ///   reference; `invalidValue` if the value does not fit the property's type.
        public mutating func set(_ property: String, to value: some ColumnValue) throws(StorageError) {
            try set(property, raw: value.value)
        }

        mutating func set(_ property: String, raw value: Value) throws(StorageError) {
            let index = try requireColumn(property)
            let column = table.columns[index]
            guard !table.key.contains(index), column.reference == nil else {
                throw StorageError(
                    .invalidQuery, "A layer cannot set keys and references in a row; write the record in didChange.",
                    model: model, key: key, property: property)
            }
            guard let stored = value.stored(as: column.type), column.isOptional || !stored.isNull else {
                throw StorageError(
                    .invalidValue, "\(property) is \(column.type), which \(value) is not.", model: model, key: key,
                    property: property)
            }
            if values[index] == stored { return }
            values[index] = stored
            isChanged = true
        }

        func isOptional(_ property: String) -> Bool { column(property).map { table.columns[$0].isOptional } ?? true }

        private func column(_ property: String) -> Int? {
            let property = StoredName(property)
            return table.columns.firstIndex { $0.role == .property && !$0.isRemoved && $0.storedProperty == property }
        }

        private func requireColumn(_ property: String) throws(StorageError) -> Int {
            if let column = column(property) { return column }
            throw StorageError(
                .invalidQuery, "\(model) has no property \(property) in its own row.", model: model, property: property)
        }

        private func decode<V: ColumnValue>(
            _ value: Value, as _: V.Type, _ property: String
        ) throws(StorageError) -> V {
            let cells = ValueCells(ValueList(width: 1, values: [value]))
            defer { withExtendedLifetime(cells) {} }
            if let decoded = V.decode(cells.cells[0]) { return decoded }
            throw StorageError(
                .typeMismatch, "The value of \(property) is no \(V.self).", model: model, key: key, property: property)
        }
    }
}

/// The stored rows of the records that a batch writes to, read when the first is asked for.
///
/// Used by one thread.
final class FormerRows {
    private let table: TableSchema
    private let keys: KeyList
    private let session: any StorageSession
    private var rows: [[Value]: [Value]]?

    init(_ table: TableSchema, _ keys: KeyList, in session: any StorageSession) {
        (self.table, self.keys, self.session) = (table, keys, session)
    }

    /// The row with a key, one value for each column of the table; nil if no row has the key.
    func row(_ key: [Value]) throws(StorageError) -> [Value]? {
        if let rows { return rows[key] }
        let query = Query(.columns(Array(table.columns.indices)), scope: keys.scope)
        let plan = QueryPlan(id: nil, query: query, table: table, tables: [table])
        var found: [[Value]: [Value]] = [:]
        for row in try session.rows(plan, keys.scopeArguments).rows(width: table.columns.count) {
            found[table.key.map { row[$0] }] = row
        }
        rows = found
        return found[key]
    }
}
