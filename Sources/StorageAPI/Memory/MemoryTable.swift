/// The rows of one table, sorted by key.
///
/// They are kept in pages, so that a change while a reader holds the table copies one page and the list of pages, not
/// all rows.
struct MemoryTable {
    let schema: TableSchema
    /// The greatest key ever stored, where the table assigns keys.
    private(set) var greatestKey: Int64 = 0
    private var pages: [[[Value]]] = []
    /// For each unique column the key of the row that has a value.
    private var unique: [Int: [Value: [Value]]] = [:]

    private static let pageSize = 512

    init(_ schema: TableSchema) {
        self.schema = schema
        for column in schema.columns.indices where schema.columns[column].isUnique { unique[column] = [:] }
    }

    // MARK: Reading

    /// The rows whose key begins with the given values, in key order.
    func rows(keyPrefix: [Value]) -> Rows { Rows(self, keyPrefix) }

    /// Rows one after the other. They stay as they are when the table changes, which then copies what it changes.
    struct Rows: Sequence, IteratorProtocol {
        private let table: MemoryTable
        private let prefix: [Value]
        private var page: Int
        private var row: Int

        init(_ table: MemoryTable, _ prefix: [Value]) {
            self.table = table
            self.prefix = prefix
            (page, row) = table.place(of: prefix)
        }

        mutating func next() -> [Value]? {
            guard page < table.pages.count else { return nil }
            let found = table.pages[page][row]
            guard table.order(found, prefix) == .same else { return nil }
            row += 1
            if row == table.pages[page].count { (page, row) = (page + 1, 0) }
            return found
        }
    }

    private func stored(_ key: [Value]) -> [Value]? { rows(keyPrefix: key).first { _ in true } }

    /// The place of the first row whose key is not before the prefix.
    private func place(of prefix: [Value]) -> (page: Int, row: Int) {
        let page = Self.firstIndex(pages.count) { order(pages[$0][pages[$0].count - 1], prefix) != .before }
        guard page < pages.count else { return (page, 0) }
        return (page, Self.firstIndex(pages[page].count) { order(pages[page][$0], prefix) != .before })
    }

    private func order(_ row: [Value], _ prefix: [Value]) -> ValueOrder {
        for (column, value) in zip(schema.key, prefix) {
            let order = row[column].order(to: value)
            if order != .same { return order }
        }
        return .same
    }

    /// The first index for which the condition holds, which from there on holds for all.
    private static func firstIndex(_ count: Int, where condition: (Int) -> Bool) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if condition(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    // MARK: Writing

    mutating func write(_ batch: borrowing RowBatch) throws(StorageError) -> Int {
        var touched = 0
        switch batch.plan.operation {
        case .insert, .upsert, .update:
            for index in 0..<batch.count { try put(batch, index) }
            touched = batch.count
        case .delete:
            for index in 0..<batch.count { touched += remove(keyPrefix: batch.row(index)) }
        case .patch:
            for index in 0..<batch.count { touched += try patch(batch, index) }
        case .truncate:
            touched = pages.reduce(0) { $0 + $1.count }
            self = MemoryTable(schema)
        }
        return touched
    }

    private mutating func put(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) {
        let given = batch.row(index)
        var row = Array(repeating: Value.null, count: schema.columns.count)
        for (column, value) in zip(batch.plan.columns, given) { row[column] = value }
        let key = schema.key(of: row)
        let old = stored(key)
        if batch.plan.operation == .insert, old != nil {
            throw batch.error(
                .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.",
                row: index)
        }
        if batch.plan.operation == .update, old == nil {
            throw batch.error(.notFound, "No record has this key; save or insert stores it.", row: index)
        }
        if let old {
            for column in schema.columns.indices where !batch.plan.columns.contains(column) {
                row[column] = old[column]
            }
        }
        try checkUnique(row, key, batch, index)
        store(row, key, replacing: old)
    }

    private mutating func patch(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) -> Int {
        let matches = Array(rows(keyPrefix: batch.row(index)))
        for old in matches {
            var row = old
            for (column, value) in zip(batch.plan.columns, batch.patch) { row[column] = value }
            try checkUnique(row, schema.key(of: row), batch, index)
            store(row, schema.key(of: row), replacing: old)
        }
        return matches.count
    }

    private func checkUnique(
        _ row: [Value], _ key: [Value], _ batch: borrowing RowBatch, _ index: Int
    ) throws(StorageError) {
        for (column, keys) in unique where !row[column].isNull {
            if let other = keys[row[column]], other != key {
                throw batch.error(
                    .constraint, "Another record has the same \(schema.columns[column].property), which is unique.",
                    row: index
                ).property(schema.columns[column].property)
            }
        }
    }

    private mutating func store(_ row: [Value], _ key: [Value], replacing old: [Value]?) {
        if let old { forget(old) }
        for column in unique.keys where !row[column].isNull { unique[column]?[row[column]] = key }
        if schema.assignsKeys, case .int(let number) = key[0] { greatestKey = max(greatestKey, number) }
        let (page, place) = place(of: key)
        if old != nil {
            pages[page][place] = row
        } else if page < pages.count {
            pages[page].insert(row, at: place)
            splitIfFull(page)
        } else if let last = pages.indices.last {
            pages[last].append(row)
            splitIfFull(last)
        } else {
            pages = [[row]]
        }
    }

    private mutating func splitIfFull(_ page: Int) {
        guard pages[page].count > Self.pageSize else { return }
        let half = Array(pages[page][(Self.pageSize / 2)...])
        pages[page].removeSubrange((Self.pageSize / 2)...)
        pages.insert(half, at: page + 1)
    }

    private mutating func remove(keyPrefix: [Value]) -> Int {
        var removed = 0
        while true {
            let (page, row) = place(of: keyPrefix)
            guard page < pages.count, row < pages[page].count, order(pages[page][row], keyPrefix) == .same else {
                return removed
            }
            forget(pages[page][row])
            pages[page].remove(at: row)
            if pages[page].isEmpty { pages.remove(at: page) }
            removed += 1
        }
    }

    private mutating func forget(_ row: [Value]) {
        for column in unique.keys { unique[column]?[row[column]] = nil }
    }

    // MARK: Schema

    /// The table in another form: columns added at the end have the given values.
    func altered(to new: TableSchema, added: [Value]) throws(StorageError) -> MemoryTable {
        var table = MemoryTable(new)
        table.greatestKey = greatestKey
        table.pages = pages.map { page in page.map { $0 + added } }
        for row in table.pages.joined() {
            for column in table.unique.keys where !row[column].isNull {
                guard table.unique[column]?.updateValue(new.key(of: row), forKey: row[column]) == nil else {
                    throw StorageError(
                        .constraint,
                        "Records have equal values of \(new.columns[column].property), which is to be unique.",
                        model: new.path.first, property: new.columns[column].property)
                }
            }
        }
        return table
    }
}
