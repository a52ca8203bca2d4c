import StorageDriver

/// The rows of one record as they were, to be read as the store's rows are read.
final class ImageSession: StorageSession {
    private let key: [Value]
    private let model: ModelTables
    private let images: [ImageTable]
    private let defaults: DeclaredDefaults

    /// - Parameters:
    ///   - model: the model as it is now.
    ///   - defaults: the values of properties that were added after the record.
    ///   - changes: the changes of the model's schema since the record.
    /// - Throws: `corrupt` for bytes that are no image; `schemaMismatch` if the model no longer has a property that the
    ///   record had.
    init(
        _ image: RecordImage, key: [Value], _ model: ModelTables, defaults: DeclaredDefaults,
        since changes: [FormerSchema]
    ) throws(StorageError) {
        (self.key, self.model, self.defaults) = (key, model, defaults)
        var images = try ImageTable.all(of: image)
        var gone: [StoredPath] = []
        for change in changes { try change.apply(to: &images, gone: &gone) }
        let known = model.tables.map(\.schema) + model.undeclared
        try defaults.renameFormer(in: &images, known)
        self.images = images
        if let property = gone.first ?? Self.unknown(images, known) {
            throw mismatch(property.joined(), "no longer has")
        }
        if let property = missingChild ?? missingArray { throw mismatch(property, "now requires") }
    }

    /// The path of a record that each owner now owns, and some did not.
    private var missingChild: String? {
        for table in model.tables.lazy.map(\.schema) where table.isRequired {
            let owner = images.first { $0.path.elementsEqual(table.storedPath.dropFirst().dropLast()) }
            let children = images.first { $0.isOf(table) }
            guard let owner, owner.rows.count > children?.rows.count ?? 0 else { continue }
            return table.path.dropFirst().joined(separator: ".")
        }
        return nil
    }

    /// The path of an array that now is never nil, and was nil.
    private var missingArray: String? {
        for table in model.tables {
            guard let image = images.first(where: { $0.isOf(table.schema) }) else { continue }
            for relation in table.relations where relation.isMany && !relation.isOptional {
                let place = image.place(of: relation.storedProperty, ColumnSchema.Role.presence.code)
                guard let place, image.rows.contains(where: { $0[place] == .int(0) }) else { continue }
                return (image.path + [relation.storedProperty]).joined()
            }
        }
        return nil
    }

    /// The first property of a record that the tables do not have.
    private static func unknown(_ images: [ImageTable], _ known: [TableSchema]) -> StoredPath? {
        for image in images {
            guard let now = known.first(where: image.isOf) else { return image.path }
            for column in image.columns where column.isData {
                let isThere = now.columns.contains {
                    $0.role.code == column.role && $0.storedProperty == column.property
                }
                if !isThere { return image.path + [column.property] }
            }
        }
        return nil
    }

    private func mismatch(_ property: String, _ problem: String) -> StorageError {
        StorageError(
            .schemaMismatch,
            "The record is older than a change of its model, which \(problem) \(property). The entry's storedBefore has the "
                + "record as it was, without the type; read it by history(of:) or history(ofRecords:).",
            model: model.name, key: key, property: property)
    }

    // MARK: StorageSession

    func tables() throws(StorageError) -> [TableSchema] { [] }

    func greatestKey(in table: TableSchema) throws(StorageError) -> Int64 { 0 }

    func rows(_ plan: QueryPlan, _ arguments: QueryArguments) throws(StorageError) -> Cursor {
        guard case .columns(let columns) = plan.query.result else {
            throw StorageError(.unsupported, "A record of the history is read by its key alone.")
        }
        guard let image = images.first(where: { $0.isOf(plan.table) }), !image.rows.isEmpty else {
            return Cursor(rows: [], columns: columns.count)
        }
        var places: [Place] = []
        for column in columns { places.append(try place(of: column, in: plan.table, image)) }
        let rows = image.rows.map { row in
            places.map { place in
                switch place {
                // The reader reports a value that does not fit.
                case .column(let column, let type): ValueConversion.convert(row[column], to: type) ?? row[column]
                case .value(let value): value
                }
            }
        }
        return Cursor(rows: rows, columns: columns.count)
    }

    enum Place: Sendable {
        case column(Int, ColumnType)
        case value(Value)
    }

    /// The places of columns in the root's row; nil if the record had rows in other tables.
    func places(of columns: [ColumnSchema]) throws(StorageError) -> [Place]? {
        let schema = model.root.schema
        guard images.count == 1, images[0].isOf(schema), images[0].rows.count == 1 else { return nil }
        var places: [Place] = []
        for column in columns {
            guard let index = schema.columns.firstIndex(where: { $0.name == column.name }) else { return nil }
            places.append(try place(of: index, in: schema, images[0]))
        }
        return places
    }

    private func place(of index: Int, in table: TableSchema, _ image: ImageTable) throws(StorageError) -> Place {
        let column = table.columns[index]
        // Arrays at two levels may have the same name, so prefix columns are matched by their order.
        let before = table.columns[..<index].count { $0.role == column.role }
        if column.role == .owner { return .value(before < key.count ? key[before] : .null) }
        let place =
            column.role.isPrefix
            ? image.columns.indices.filter { image.columns[$0].role == column.role.code }.dropFirst(before).first
            : image.place(of: column.storedProperty, column.role.code)
        if let place { return .column(place, column.type) }
        return .value(try missing(column, in: table))
    }

    /// Returns the value in existing rows of a property that was added later.
    ///
    /// - Throws: `schemaMismatch` if it is required and has no default.
    private func missing(_ column: ColumnSchema, in table: TableSchema) throws(StorageError) -> Value {
        // An array that has become Optional since was not nil.
        if column.role == .presence {
            let owner = model.tables.first { $0.schema.storedPath == table.storedPath }
            let array = owner?.relations.first { $0.storedProperty == column.storedProperty }
            let rows = array.map { model.tables[$0.target].schema }
            return .int(images.contains { image in rows.map(image.isOf) ?? false } ? 1 : 0)
        }
        if let value = try defaults.value(of: column, in: table) { return value }
        guard column.isOptional else {
            let property = (table.path.dropFirst() + [column.property]).joined(separator: ".")
            throw mismatch(property, "now requires")
        }
        return .null
    }
}

extension RecordImage {
    /// The record as the model's type.
    ///
    /// - Parameter changes: the changes of the model's schema since the image was made.
    func record<M: Storable>(
        _: M.Type, key: [Value], _ handle: ModelHandle, defaults: DeclaredDefaults, since changes: [FormerSchema]
    ) throws(StorageError) -> M? {
        let session = try ImageSession(self, key: key, handle.tables, defaults: defaults, since: changes)
        var found: M?
        try RecordReader(handle: handle, session: session).find(key) { (rows) throws(StorageError) in
            found = try rows.nextModel(M.self)
        }
        return found
    }
}
