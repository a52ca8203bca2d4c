public import StorageDriver

/// A builder whose records a text chooses; <doc:Queries> has the grammar.
///
/// Builders are values: each call gives a new one and nothing runs before a call that says so.
public protocol RecordFilterBuilder {
    /// What has been collected so far.
    var selection: Selection { get set }
}

extension RecordFilterBuilder {
    /// Keeps the records that meet the condition. Several conditions all have to be met.
    public func `where`(text: String, arguments: [Value] = []) -> Self {
        building { (selection) throws(StorageError) in
            selection.add(try TextParser.condition(text, arguments.map { .node(.value($0)) }))
        }
    }

    fileprivate func building(_ change: (inout Selection) throws(StorageError) -> Void) -> Self {
        var builder = self
        do {
            try change(&builder.selection)
        } catch {
            builder.selection.problem = selection.problem ?? error
        }
        return builder
    }
}

/// A builder that also orders its records and takes a part of them.
public protocol RecordSelectionBuilder: RecordFilterBuilder {}

extension RecordSelectionBuilder {
    /// Sorts as the text says: `age desc, name`.
    public func order(text: String) -> Self {
        building { (selection) throws(StorageError) in selection.order += try TextParser.order(text) }
    }

    /// Takes at most so many records. A negative number is `invalidQuery` when the query runs.
    public func limit(_ count: Int) -> Self {
        var builder = self
        builder.selection.limit = count
        return builder
    }

    /// Passes over so many records first. A negative number is `invalidQuery` when the query runs.
    public func offset(_ count: Int) -> Self {
        var builder = self
        builder.selection.offset = count
        return builder
    }
}

/// What a record query runs on a session of the store.
extension Reading {
    func records(_ selection: Selection) throws(StorageError) -> [Record] {
        try all(StoredRecord.self, selection).map(\.record)
    }

    func first(_ selection: Selection) throws(StorageError) -> Record? {
        var first = selection
        first.limit = min(selection.limit ?? 1, 1)
        return try records(first).first
    }

    func record(key: [Value]) throws(StorageError) -> Record? {
        var found: StoredRecord?
        try find(try model.checkedKey(key)) { (rows) throws(StorageError) in
            found = try rows.nextModel(StoredRecord.self)
        }
        return found?.record
    }

    func records(keys: [[Value]]) throws(StorageError) -> [Record?] {
        var checked: [[Value]] = []
        for key in keys { checked.append(try model.checkedKey(key)) }
        return try find(StoredRecord.self, keys: checked).map { $0?.record }
    }

    func recordKeys(_ selection: Selection) throws(StorageError) -> [[Value]] {
        try keys(StoredRecord.self, selection).map(\.values)
    }
}

extension ModelTables {
    var keyColumns: [ColumnSchema] { root.schema.key.map { root.schema.columns[$0] } }

    /// A key as it is stored.
    ///
    /// - Throws: `invalidQuery` where it has another number of values than the model's, `invalidValue` where one is none of its
    ///   property's.
    func checkedKey(_ key: [Value]) throws(StorageError) -> [Value] {
        let columns = keyColumns
        guard key.count == columns.count else {
            throw StorageError(
                .invalidQuery, "A key of \(name) is \(columns.map(\.property).joined(separator: ", ")).", model: name,
                key: key)
        }
        var stored: [Value] = []
        for (column, value) in zip(columns, key) {
            guard !value.isNull, let fitting = value.stored(as: column.type) else {
                throw StorageError(
                    .invalidValue, "\(column.property) is \(column.type), which \(value) is not.", model: name,
                    key: key,
                    property: column.property)
            }
            stored.append(fitting)
        }
        return stored
    }
}
