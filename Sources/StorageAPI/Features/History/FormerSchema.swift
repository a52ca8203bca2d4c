import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A model's tables as they were until its schema was changed, and the effect of the change on their names and values.
///
/// An image that was made before the change names tables and columns as they were then. It is read as its rows would be if
/// they had stayed in the store: the changes since are applied to it, one after the other.
struct FormerSchema: Codable {
    /// All tables, including undeclared ones.
    let tables: [TableSchema]
    private let moves: [Move]

    /// A table before and after the change.
    private struct Move: Codable {
        let path: StoredPath
        /// Nil if it was dropped.
        let to: StoredPath?
        var columns: [Column] = []
    }

    /// A column of data before and after the change.
    private struct Column: Codable {
        let role: ColumnSchema.Role
        /// Nil if the change has added it.
        let from: StoredName?
        /// Nil if it was dropped.
        let to: StoredName?
        /// The types before and after, if they differ.
        var types: [ColumnType]?
        /// The value for rows that had no value, in the form of ``RecordImage/bytes(of:)``.
        var missing: Data?

        /// A value in its new type. A value that does not fit stays, and reading it reports the problem.
        func converted(_ value: Value) -> Value {
            guard let types, types.count == 2 else { return value }
            return ValueConversion.convert(value, from: types[0], to: types[1]) ?? value
        }
    }

    /// Nil if the steps leave each image as it is, and add no property.
    ///
    /// - Parameter tables: the model's before the steps.
    init?(_ tables: [TableSchema], _ steps: [SchemaStep]) {
        self.tables = tables
        moves = steps.compactMap(Self.move)
        // Images lack a table that is new, as they lack the rows of one without rows.
        if tables.isEmpty || moves.isEmpty && !steps.contains(where: \.createsTable) { return nil }
    }

    /// The tables of a model that was replaced by another of its name, and has lost everything that the other lacks.
    init(replacing tables: [TableSchema]) {
        self.tables = tables
        moves = []
    }

    private static func move(_ step: SchemaStep) -> Move? {
        switch step {
        case .change(.drop(let table), _), .mark(.drop(let table), _): return Move(path: table.storedPath, to: nil)
        case .change(.alter(let old, let new, let added), _), .mark(.alter(let old, let new, let added), _):
            let kept = old.columns.indices.map { column($0, of: old, to: new.columns[$0], missing: nil) }
            let others = zip(new.columns.dropFirst(old.columns.count), added).map { Self.added($0, $1) }
            return move(old, to: new, columns: kept + others)
        case .rebuild(let old, let new, let sources, _):
            let kept = Set(sources.compactMap(\.column))
            let columns = sources.map { source in
                source.column.map { column($0, of: old, to: source.to, missing: source.missing) }
                    ?? added(source.to, source.missing)
            }
            let dropped = old.columns.indices.filter { !kept.contains($0) }.map { index in
                Column(role: old.columns[index].role, from: old.columns[index].storedProperty, to: nil)
            }
            return move(old, to: new, columns: columns + dropped)
        case .change(.create, _), .mark(.create, _), .requireEmpty, .requireTrue, .requireChild, .note: return nil
        }
    }

    private static func move(_ old: TableSchema, to new: TableSchema, columns: [Column]) -> Move? {
        let changed = columns.filter { column in
            guard !column.role.isPrefix else { return false }
            return column.from == nil || column.to != column.from || column.types != nil || column.missing != nil
        }
        if changed.isEmpty, old.storedPath == new.storedPath { return nil }
        return Move(path: old.storedPath, to: new.storedPath, columns: changed)
    }

    private static func column(
        _ index: Int, of old: TableSchema, to new: ColumnSchema, missing: Value?
    ) -> Column {
        let column = old.columns[index]
        return Column(
            role: column.role, from: column.storedProperty, to: new.storedProperty,
            types: column.type == new.type ? nil : [column.type, new.type], missing: missing.map(Self.data))
    }

    private static func added(_ column: ColumnSchema, _ missing: Value?) -> Column {
        // If it is required and has no default, the table had no rows.
        let value = missing.flatMap { $0.isNull && !column.isOptional ? nil : $0 }
        return Column(role: column.role, from: nil, to: column.storedProperty, missing: value.map(data))
    }

    private static func data(_ value: Value) -> Data { Data(RecordImage.bytes(of: [value])) }

    // MARK: Properties

    /// The paths of properties that a model has got since its schema was changed, from the name of the model on.
    ///
    /// - Parameters:
    ///   - tables: the model's tables as they are now.
    ///   - changes: the changes of the schema, the oldest first.
    static func properties(of tables: [TableSchema], newSince changes: [FormerSchema]) -> Set<StoredPath> {
        guard let first = changes.first else { return [] }
        var known = properties(of: first.tables)
        for change in changes { known = Set(known.compactMap(change.moved)) }
        return properties(of: tables).subtracting(known)
    }

    private static func properties(of tables: [TableSchema]) -> Set<StoredPath> {
        var paths: Set<StoredPath> = []
        for table in tables {
            paths.insert(table.storedPath)
            for column in table.columns where column.role == .property {
                paths.insert(table.storedPath + [column.storedProperty])
            }
        }
        return paths
    }

    /// The path of a property, or of a table, after the change; nil if the change has dropped it.
    private func moved(_ path: StoredPath) -> StoredPath? {
        if let move = moves.first(where: { $0.path == path }) { return move.to }
        let owner = StoredPath(path.dropLast())
        guard let move = moves.first(where: { $0.path == owner }), let name = path.last else { return path }
        guard let to = move.to else { return nil }
        guard let column = move.columns.first(where: { $0.role == .property && $0.from == name }) else {
            return to + [name]
        }
        return column.to.map { to + [$0] }
    }

    // MARK: Images

    /// Applies the schema change to an image's tables.
    ///
    /// - Parameter gone: gets the properties that the image has values of, and that the change has dropped.
    func apply(to images: inout [ImageTable], gone: inout [StoredPath]) throws(StorageError) {
        var kept: [ImageTable] = []
        for var image in images {
            guard let move = moves.first(where: { $0.path.dropFirst().elementsEqual(image.path) }) else {
                kept.append(image)
                continue
            }
            guard let to = move.to else {
                if !image.rows.isEmpty { gone.append(image.path) }
                continue
            }
            try Self.apply(move.columns, to: &image, gone: &gone)
            image.path = StoredPath(to.dropFirst())
            kept.append(image)
        }
        images = kept
    }

    private static func apply(
        _ columns: [Column], to image: inout ImageTable, gone: inout [StoredPath]
    ) throws(StorageError) {
        // An array without rows has no columns either.
        guard !image.columns.isEmpty else { return }
        // Find all of them before the first gets its new name.
        let places = columns.map { column in column.from.flatMap { image.place(of: $0, column.role.code) } }
        var dropped: [Int] = []
        for (column, place) in zip(columns, places) {
            let missing = try column.missing.map { (data) throws(StorageError) in try value(data) }
            guard let to = column.to else {
                guard let place else { continue }
                if column.role == .property, image.hasValues(place) { gone.append(image.path + [column.from ?? ""]) }
                dropped.append(place)
                continue
            }
            if let place {
                image.columns[place].property = to
                for row in image.rows.indices {
                    let value = image.rows[row][place]
                    image.rows[row][place] = value.isNull ? missing ?? value : column.converted(value)
                }
            } else if column.from == nil, let missing {
                image.columns.append(ImageTable.Column(role: column.role.code, property: to))
                for row in image.rows.indices { image.rows[row].append(missing) }
            }
        }
        for place in dropped.sorted(by: >) { image.remove(place) }
    }

    private static func value(_ data: Data) throws(StorageError) -> Value {
        guard let value = try RecordImage.key(of: Array(data)).first else { throw ImageReader.damaged }
        return value
    }
}

extension SchemaStep {
    fileprivate var createsTable: Bool {
        switch self {
        case .change(.create, _), .mark(.create, _): true
        default: false
        }
    }
}
