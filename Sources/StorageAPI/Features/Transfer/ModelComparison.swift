import StorageDriver

/// Reads two stores' records of one model side by side, in key order.
struct ModelComparison {
    private let name: StoredName
    private let root: TablePair
    private let owned: [TablePair]
    /// Properties that only one side has, or that have different types.
    private let unlike: [String]
    private let keysMatch: Bool

    init(
        _ first: StoredModel, in left: any StorageSession, _ second: StoredModel, in right: any StorageSession
    ) throws(StorageError) {
        name = first.name
        var pairs: [TablePair] = []
        var unlike: [String] = []
        // Removed properties are not compared.
        let (firstTables, secondTables) = (
            first.tables.filter { !$0.isRemoved }, second.tables.filter { !$0.isRemoved }
        )
        for table in firstTables {
            if let other = secondTables.first(where: { $0.storedPath == table.storedPath }) {
                let pair = try TablePair(
                    TableScan(table, in: left, numbersElements: true),
                    TableScan(other, in: right, numbersElements: true))
                pairs.append(pair)
                unlike += pair.unlike
            } else {
                unlike.append(table.path.dropFirst().joined(separator: "."))
            }
        }
        unlike += secondTables.filter { table in !firstTables.contains { $0.storedPath == table.storedPath } }
            .map { $0.path.dropFirst().joined(separator: ".") }
        // The root's path is the model's name alone, so it comes first on both sides.
        root = pairs[0]
        owned = Array(pairs.dropFirst())
        keysMatch = pairs.allSatisfy(\.keysMatch)
        self.unlike = unlike
    }

    func run(_ body: (StoreDifference) -> Void) throws(StorageError) {
        if !unlike.isEmpty || !keysMatch { body(difference(.changed, nil, properties: unlike)) }
        // Without comparable keys no two records are the same.
        guard keysMatch else { return }
        for pair in [root] + owned { try pair.start() }
        while let side = root.side(keyCount: root.keyCount) {
            let key = (side == .second ? root.second : root.first).key
            var properties = side == .both ? root.unequalProperties() : []
            for pair in owned where try !pair.takeRows(of: root, side) { properties.append(pair.property) }
            switch side {
            case .first: body(difference(.onlyInFirst, key, properties: []))
            case .second: body(difference(.onlyInSecond, key, properties: []))
            case .both: if !properties.isEmpty { body(difference(.changed, key, properties: properties)) }
            }
            try root.step(side)
        }
    }

    private func difference(
        _ kind: StoreDifference.Kind, _ key: [Value]?, properties: [String]
    ) -> StoreDifference {
        StoreDifference(kind: kind, model: name.text, key: key, properties: properties)
    }
}

/// Two stores' tables with one path, read side by side.
final class TablePair {
    /// The side with the next row in key order.
    enum Side { case first, second, both }

    let first: TableScan
    let second: TableScan
    /// The columns of both sides with the same meaning.
    private let columns: [(first: Int, second: Int)]
    let unlike: [String]
    let keysMatch: Bool

    init(_ first: TableScan, _ second: TableScan) {
        (self.first, self.second) = (first, second)
        let (left, right) = (first.table, second.table)
        var columns: [(first: Int, second: Int)] = []
        var unlike: [String] = []
        for index in left.columns.indices where !left.columns[index].isRemoved {
            if let other = right.columns.firstIndex(where: { $0.meansSame(as: left.columns[index]) }) {
                columns.append((index, other))
            } else {
                unlike.append(left.property(of: index))
            }
        }
        let matched = Set(columns.map(\.second))
        for index in right.columns.indices where !right.columns[index].isRemoved && !matched.contains(index) {
            let property = right.property(of: index)
            if !unlike.contains(property) { unlike.append(property) }
        }
        self.columns = columns
        self.unlike = unlike
        keysMatch =
            left.key.count == right.key.count
            && zip(left.key, right.key).allSatisfy { left.columns[$0].meansSame(as: right.columns[$1]) }
    }

    var keyCount: Int { first.table.key.count }
    var property: String { first.table.path.dropFirst().joined(separator: ".") }

    func start() throws(StorageError) { try step(.both) }

    func step(_ side: Side) throws(StorageError) {
        if side != .second { _ = try first.next() }
        if side != .first { _ = try second.next() }
    }

    /// The side with the next row by the first parts of its key; nil after the last of both.
    func side(keyCount: Int) -> Side? {
        switch (first.isAtRow, second.isAtRow) {
        case (false, false): return nil
        case (true, false): return .first
        case (false, true): return .second
        case (true, true):
            switch first.order(to: second, count: keyCount) {
            case .before: return .first
            case .same: return .both
            case .after: return .second
            }
        }
    }

    /// The properties whose values differ in the two current rows.
    func unequalProperties() -> [String] {
        var properties: [String] = []
        for (left, right) in columns where !first.cells[left].isEqual(to: second.cells[right]) {
            let property = first.table.columns[left].property
            if !properties.contains(property) { properties.append(property) }
        }
        return properties
    }

    /// Skips the rows of the root's current record; returns false if the rows of the two sides differ.
    func takeRows(of root: TablePair, _ side: Side) throws(StorageError) -> Bool {
        var areSame = true
        let (lefts, rights) = (side == .second ? nil : root.first, side == .first ? nil : root.second)
        while true {
            let hasLeft = try lefts.map { root throws(StorageError) in try belongs(first, to: root) } ?? false
            let hasRight = try rights.map { root throws(StorageError) in try belongs(second, to: root) } ?? false
            guard hasLeft || hasRight else { return areSame }
            if hasLeft, hasRight, first.order(to: second, count: keyCount) == .same {
                if areSame { areSame = unequalProperties().isEmpty }
                try step(.both)
            } else {
                areSame = false
                if hasLeft { try step(.first) }
                if hasRight { try step(.second) }
            }
        }
    }

    /// Returns whether the current row belongs to the root's record. Rows of no record are skipped; `verify` reports
    /// them.
    private func belongs(_ scan: TableScan, to root: TableScan) throws(StorageError) -> Bool {
        while scan.isAtRow {
            switch scan.order(to: root, count: root.table.key.count) {
            case .before: _ = try scan.next()
            case .same: return true
            case .after: return false
            }
        }
        return false
    }
}

extension ColumnSchema {
    /// Returns whether two columns belong to the same property and have the same type.
    fileprivate func meansSame(as other: ColumnSchema) -> Bool {
        role == other.role && type == other.type && storedProperty == other.storedProperty
            && !other.isRemoved
    }
}
