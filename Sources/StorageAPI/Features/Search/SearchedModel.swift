import StorageDriver
import StorageSearch

/// The searched properties of a model, as its recorded tables declare them.
struct SearchedModel: Sendable {
    /// A property that is searched.
    struct Column: Sendable {
        let table: TableSchema
        let column: Int
        /// The stored names of the properties that lead to it, with points between them.
        let name: StoredName
        let weight: Double

        var type: ColumnType { table.columns[column].type }
    }

    let name: StoredName
    let root: TableSchema
    /// In the order in which an index numbers them. A new index begins with the properties of the root, then of each owned table.
    let columns: [Column]

    /// The number of searched properties that a model may have.
    private static let maxProperties = 200
    /// The number that an index can have. A property's number is a byte of each term, and 255 marks the keys of records.
    private static let maxNumbers = 255

    /// Nil for a model without searched properties.
    init?(_ name: StoredName, in tables: [TableSchema]) {
        let own = tables.filter { !$0.isForeign && $0.storedPath.first == name }
        guard let root = own.first(where: \.isRoot) else { return nil }
        self.name = name
        self.root = root
        // A table that is rebuilt becomes the last of the store's tables.
        columns = ([root] + own.filter { !$0.isRoot }).flatMap { table in
            table.columns.indices.compactMap { index in
                let column = table.columns[index]
                guard let weight = column.searchWeight, table.binds(column) else { return nil }
                let path = table.path.dropFirst() + [column.property]
                let name = StoredName(path.joined(separator: "."))
                return Column(table: table, column: index, name: name, weight: weight)
            }
        }
        if columns.isEmpty { return nil }
    }

    private init(_ model: SearchedModel, columns: [Column]) {
        (name, root, self.columns) = (model.name, model.root, columns)
    }

    /// Returns the model with its properties as an index numbers them. Returns nil if the index has other properties, or if
    /// it has the root's properties after owned properties: an earlier version made it, and put no record into it.
    func numbered(as names: [StoredName]) -> SearchedModel? {
        var left = columns
        var found: [Column] = []
        for name in names {
            guard let place = left.firstIndex(where: { $0.name == name }) else { return nil }
            found.append(left.remove(at: place))
        }
        let owned = found.drop { $0.table.isRoot }
        guard left.isEmpty, !owned.contains(where: \.table.isRoot) else { return nil }
        return SearchedModel(self, columns: found)
    }

    /// Throws `limitExceeded` for more properties than a model may have. An index of an earlier version, which allowed more,
    /// keeps as many as it has.
    func requireIndexable(after known: SearchSettings.Model?) throws(StorageError) {
        let had = min(known?.properties.count ?? 0, Self.maxNumbers)
        guard columns.count > max(Self.maxProperties, had) else { return }
        throw StorageError(
            .limitExceeded,
            "\(name) has \(columns.count) searched properties, with its owned records, and a model has at most "
                + "\(Self.maxProperties). Mark fewer with @Searchable.", model: name)
    }

    var properties: [SearchProperty] { columns.map { SearchProperty($0.name.text, weight: $0.weight) } }
    var names: [StoredName] { columns.map(\.name) }
}

/// The plans that read the texts of a model's records.
struct DocumentPlans: Sendable {
    /// The plan of the records' keys; nil if texts of the root are searched, because the root's rows have the keys.
    fileprivate let roots: QueryPlan?
    /// For each table that has searched properties, the plan of their rows and the numbers of the properties.
    fileprivate let texts: [(plan: QueryPlan, properties: [Int])]
    private let root: TableSchema
    private let names: [StoredName]

    init(_ model: SearchedModel, _ directory: ModelDirectory) {
        (root, names) = (model.root, model.names)
        let width = model.root.key.count
        func plan(_ table: TableSchema, _ columns: [Int]) -> QueryPlan {
            directory.plan(Query(.columns(columns), scope: .keys(columns: width, list: 0)), of: table)
        }
        roots = model.columns.contains { $0.table.isRoot } ? nil : plan(model.root, model.root.key)
        var tables: [(table: TableSchema, properties: [Int])] = []
        for (number, column) in model.columns.enumerated() {
            if let place = tables.firstIndex(where: { $0.table.name == column.table.name }) {
                tables[place].properties.append(number)
            } else {
                tables.append((column.table, [number]))
            }
        }
        // The root's rows tell which records exist.
        tables = tables.filter(\.table.isRoot) + tables.filter { !$0.table.isRoot }
        texts = tables.map { table, properties in
            let key = table.isRoot ? table.key : table.columns.indices.prefix { table.columns[$0].role == .owner }
            return (plan(table, key + properties.map { model.columns[$0].column }), properties)
        }
    }

    /// The queries of the texts of some records.
    func queries(_ keys: [[Value]]) -> [QueryRequest] {
        if keys.isEmpty { return [] }
        let list = KeyList(width: root.key.count, keys).list
        return ([roots].compactMap(\.self) + texts.map(\.plan)).map {
            QueryRequest(plan: $0, arguments: QueryArguments(lists: [list]))
        }
    }

    /// Returns whether the plans are made for the tables of a model.
    func fit(_ model: SearchedModel) -> Bool {
        root == model.root && names == model.names
            && texts.allSatisfy { text in text.properties.allSatisfy { model.columns[$0].table == text.plan.table } }
    }
}

/// Reads the texts that a model's index is made of.
struct SearchDocuments {
    let model: SearchedModel
    let plans: DocumentPlans
    let session: any StorageSession

    /// The documents of the records with the keys, by key; a key without a record has no document.
    func read(_ keys: KeyList) throws(StorageError) -> [[Value]: SearchDocument] {
        var documents: [[Value]: SearchDocument] = [:]
        let width = keys.width
        func add(_ key: [Value]) {
            documents[key] = SearchDocument(
                key: OrderedKey.bytes(of: key), texts: Array(repeating: [], count: model.columns.count))
        }
        if let roots = plans.roots {
            for key in try session.rows(roots, QueryArguments(lists: [keys.list])).rows(width: width) { add(key) }
        }
        for (plan, properties) in plans.texts {
            let isRoot = plan.table.isRoot
            if !isRoot, documents.isEmpty { break }
            var cursor = try session.rows(plan, QueryArguments(lists: [keys.list]))
            while try cursor.next() {
                let key = (0..<width).map { cursor.cells[$0].value }
                if isRoot { add(key) }
                for (place, property) in properties.enumerated() {
                    guard case .text(let text) = cursor.cells[width + place].value else { continue }
                    documents[key]?.texts[property] += elements(of: text, model.columns[property].type)
                }
            }
        }
        return documents
    }

    /// The text, or the texts of an array.
    private func elements(of text: String, _ type: ColumnType) -> [String] {
        if case .array = type { ArrayElements.texts(text) } else { [text] }
    }
}
