import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON

/// Reads whole inputs for what their records consist of.
struct SchemaInference {
    private let files: [RecordFile]
    private let mapping: InputMapping
    private let shape: ObjectShape
    /// True if all names of records are integers.
    private var namesAreIntegers = true
    private var firstName: String?

    init(_ files: [RecordFile], mapping: InputMapping, dates: DateInference) {
        self.files = files
        self.mapping = mapping
        shape = ObjectShape(dates)
    }

    /// - Parameter bad: takes the records that cannot be read, with the index of their file.
    mutating func read(
        _ progress: (RecordFile, Double) throws -> Void, bad: (BadRecord, Int) throws -> Void
    ) throws {
        for (index, file) in files.enumerated() {
            func show(_ fraction: Double) throws { try progress(file, files.fraction(at: index, fraction)) }
            // A column without a name is a property only if it has a value.
            if mapping.isEmpty, let source = try file.delimited(), source.unnamed.isEmpty {
                try read(source, show) { try bad($0, index) }
                continue
            }
            var source = try file.records()
            let scan = JSONObjectScan()
            let isPlain = mapping.isEmpty && !file.isUntyped && !file.isKeyed
            while let record = try source.next() {
                if isPlain, shape.add(scan, of: record.bytes) {
                    if shape.count.isMultiple(of: 1024) { try show(source.fraction) }
                    continue
                }
                switch record.content {
                case .success(let members): try shape.add(mapping.apply(to: members), isUntyped: file.isUntyped)
                case .failure(let problem): try bad(problem, index)
                }
                if firstName == nil { firstName = record.key }
                if let key = record.key, Int64(key)?.description != key { namesAreIntegers = false }
                if shape.count.isMultiple(of: 1024) { try show(source.fraction) }
            }
        }
    }

    /// Reads delimited values without making records of them.
    private func read(_ source: CSVSource, _ progress: (Double) throws -> Void, bad: (BadRecord) throws -> Void) throws
    {
        var source = source
        let (reader, shapes) = (source.reader, try shape.shapes(of: source.header))
        var fields: [CSVReader.Field] = []
        while true {
            fields.removeAll(keepingCapacity: true)
            guard let record = try source.next(&fields) else { return }
            if record.isWellFormed, fields.count == shapes.count, String.isUTF8(reader.bytes(of: record)) {
                shape.addObject()
                for place in shapes.indices { try shapes[place].add(fields[place], reader.bytes(of: fields[place])) }
            } else {
                switch source.record(record, fields[...]).content {
                case .success(let members): try shape.add(members, isUntyped: true)
                case .failure(let problem): try bad(problem)
                }
            }
            if shape.count.isMultiple(of: 1024) { try progress(source.fraction) }
        }
    }

    /// The path of the records that the only record of the input may contain.
    var wrapped: (path: String, name: String?)? {
        guard count == 1, !shape.members.contains(where: { $0.name == "id" }), let path = shape.pathToArray else {
            return nil
        }
        return (firstName.map { $0 + "." + path } ?? path, firstName)
    }

    private var isUntyped: Bool { files.contains(where: \.isUntyped) }
    /// True if all records have names.
    private var isKeyed: Bool { files.allSatisfy(\.isKeyed) }

    /// The number of records that were read.
    var count: Int { shape.count }

    /// The paths to properties whose numbers have more digits than a double holds, and than a decimal.
    var rounded: [String] { shape.rounded }

    /// The model's schema.
    ///
    /// - Parameters:
    ///   - keys: the properties that are the key; by default `id`, the names of the records, or a number that the store
    ///     assigns.
    ///   - types: `PROPERTY=TYPE`, for types that the input does not show.
    func schema(named name: String, keys: [String], types: [String]) throws(ToolError) -> RecordSchema {
        var properties = shape.properties(mixedIsText: isUntyped)
        for text in types { try Self.set(text, in: &properties) }
        var schema = RecordSchema(name: name, properties: properties)
        try setKeys(keys, types: types, in: &schema)
        return schema
    }

    /// Refuses a key or types that a model is not stored with.
    static func check(_ stored: RecordSchema, keys: [String], types: [String]) throws(ToolError) {
        let names = stored.properties.filter(\.isKey).map(\.name)
        guard keys.isEmpty || Set(keys) == Set(names) else {
            throw ToolError(
                "\(stored.name) is stored with the key \(names.joined(separator: ", ")); leave --key out, or import into a "
                    + "new model.")
        }
        var properties = stored.properties
        for type in types { try set(type, in: &properties) }
        guard properties == stored.properties else {
            throw ToolError(
                "\(stored.name) is stored with other types, which storage schema shows; leave --type out, or import into "
                    + "a new model.")
        }
    }

    // MARK: Types

    private static func set(_ text: String, in properties: inout [RecordSchema.Property]) throws(ToolError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let type = ColumnType(parts[1]) else {
            throw ToolError("--type \(text) is not of the form PROPERTY=TYPE, like born=date or price=decimal.")
        }
        try set(type, at: parts[0].split(separator: ".").map(String.init)[...], in: &properties, text)
    }

    private static func set(
        _ type: ColumnType, at path: ArraySlice<String>, in properties: inout [RecordSchema.Property], _ text: String
    ) throws(ToolError) {
        guard let name = path.first, let place = properties.firstIndex(where: { $0.name == name }) else {
            throw ToolError("--type \(text): no record has this property.")
        }
        if path.count == 1 {
            properties[place].kind = .column(type)
            return
        }
        switch properties[place].kind {
        case .child(var schema):
            try set(type, at: path.dropFirst(), in: &schema.properties, text)
            properties[place].kind = .child(schema)
        case .children(var schema):
            try set(type, at: path.dropFirst(), in: &schema.properties, text)
            properties[place].kind = .children(schema)
        case .column, .ancestor: throw ToolError("--type \(text): \(name) has no properties.")
        }
    }

    // MARK: Keys

    /// The property that is named as a key: `id`, or another spelling of it that every record has as a possible key.
    private static func proposedKey(of schema: RecordSchema) -> String? {
        if schema.properties.contains(where: { $0.name == "id" }) { return "id" }
        return schema.properties.first { property in
            guard ["ID", "Id", "_id"].contains(property.name), case .column(let type) = property.kind else {
                return false
            }
            return type.canBeKey && !property.isOptional
        }?.name
    }

    private func setKeys(_ keys: [String], types: [String], in schema: inout RecordSchema) throws(ToolError) {
        let names = keys.isEmpty ? Self.proposedKey(of: schema).map { [$0] } ?? [] : keys
        for name in names {
            guard let place = schema.properties.firstIndex(where: { $0.storedName == StoredName(name) }) else {
                throw ToolError(
                    "No record has the key \(name); they have \(schema.properties.map(\.name).joined(separator: ", "))."
                )
            }
            var property = schema.properties[place]
            // Keys are integers and texts, also those that look like dates or truth values.
            let isInferred = !types.contains { $0.hasPrefix(name + "=") }
            if isInferred, property.kind == .column(.date) || isUntyped && property.kind == .column(.bool) {
                property.kind = .column(.string)
                schema.properties[place] = property
            }
            guard case .column(let type) = property.kind, type.canBeKey, !property.isOptional else {
                throw ToolError(
                    "\(name) cannot be the key, which every record has as an integer or a text; name another: "
                        + "--key PROPERTY.")
            }
            schema.properties[place].isKey = true
        }
        guard names.isEmpty else { return }
        let type: ColumnType = isKeyed && !namesAreIntegers ? .string : .int64
        schema.assignsKeys = !isKeyed
        schema.properties.insert(
            .init(name: "id", kind: .column(type), isOptional: schema.assignsKeys, isKey: true), at: 0)
    }
}
