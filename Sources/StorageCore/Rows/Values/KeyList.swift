package import StorageDriver

/// Keys of records or rows in their order, all with the same number of parts.
package struct KeyList: RandomAccessCollection, Sendable {
    /// The parts, key after key: the form in which queries and writes take them.
    package private(set) var list: ValueList

    package init(_ list: ValueList) { self.list = list }

    package init(width: Int, _ keys: some Sequence<[Value]>) {
        list = ValueList(width: width, values: keys.flatMap { $0 })
    }

    /// - Parameter width: the number of parts of each key; without it the first key decides.
    package init(width: Int = 1) { list = ValueList(width: width, values: []) }

    /// The keys that rows of cells are.
    package init(_ rows: RowBuffer) {
        self.init(width: rows.width)
        for index in 0..<rows.count { append(Array(0..<rows.width), of: rows.row(index)) }
    }

    /// The number of parts of each key.
    package var width: Int { list.width }
    package var startIndex: Int { 0 }
    package var endIndex: Int { list.count }
    package subscript(index: Int) -> [Value] { Array(list[index]) }

    package mutating func append(_ key: [Value]) {
        if list.values.isEmpty { list.width = key.count }
        list.values += key
    }

    package mutating func append(contentsOf keys: KeyList) {
        if list.values.isEmpty { list.width = keys.width }
        list.values += keys.list.values
    }

    /// Adds the key in some cells of a row.
    mutating func append(_ cells: [Int], of row: UnsafePointer<Cell>) {
        for cell in cells { list.values.append(row[cell].value) }
    }

    /// Adds a key of one part.
    mutating func append(single value: Value) { list.values.append(value) }

    package mutating func removeAll(from index: Int = 0) { list.values.removeSubrange((index * width)...) }

    /// The keys, each once.
    package var distinct: KeyList {
        var seen: Set<[Value]> = []
        return KeyList(width: width, filter { seen.insert($0).inserted })
    }

    /// The keys in lists of at most some number of them.
    package func parts(of size: Int) -> [KeyList] {
        stride(from: 0, to: count, by: size).map { start in
            let values = list.values[start * width..<Swift.min(start + size, count) * width]
            return KeyList(ValueList(width: width, values: Array(values)))
        }
    }

    /// The keys as rows of cells. The object owns the cells' bytes: keep it in a constant while its rows are used.
    package var cells: ValueCells { ValueCells(list) }

    /// The scope of the rows with these keys. One key needs no list, which engines sort and look up in: in SQLite that takes
    /// six times as many instructions.
    package var scope: Query.Scope { count == 1 ? .key(columns: width) : .keys(columns: width, list: 0) }

    /// The arguments of that scope.
    package var scopeArguments: QueryArguments {
        count == 1 ? QueryArguments(list.values) : QueryArguments(lists: [list])
    }
}
