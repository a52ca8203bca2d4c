package import StorageAPI
package import StorageDriver

extension RecordBuilder {
    /// Records of a type's declaration. Members that no property names are ignored.
    ///
    /// - Parameters:
    ///   - dates: how dates are written where the property does not say it.
    ///   - isLenient: whether all properties are.
    ///   - isUntyped: whether the members are columns of texts, which have the stored names, one for each part of a reference.
    /// - Throws: `configuration` for paths that cannot be read and written.
    package init(
        _ type: any Storable.Type, dates: StorageAPI.Property.DateForm? = nil, isLenient: Bool = false,
        isUntyped: Bool = false
    ) throws(StorageError) {
        var shapes = DeclaredShapes(rules: JSONScalar.Rules(isUntyped: isUntyped, isLenient: isLenient, dates: dates))
        try shapes.add(type, isElement: false)
        self.init(shapes: shapes.list, ignoresUnknown: true)
    }

    /// Writes records of the first type, in which records of the others may stand in the place of keys.
    init(writing types: [any Storable.Type]) throws(StorageError) {
        var shapes = DeclaredShapes(rules: JSONScalar.Rules())
        var related: [StoredName: Int] = [:]
        for type in types { related[StoredName(type.schema.name)] = try shapes.add(type, isElement: false) }
        self.init(shapes: shapes.list, related: related, ignoresUnknown: true)
    }
}

/// Collects the shapes of the types that a model owns, each once.
private struct DeclaredShapes {
    let rules: JSONScalar.Rules
    private(set) var list: [RecordBuilder.Shape] = []
    private var known: [ObjectIdentifier: Int] = [:]

    init(rules: JSONScalar.Rules) { self.rules = rules }

    @discardableResult
    mutating func add(_ type: any Storable.Type, isElement: Bool) throws(StorageError) -> Int {
        if let known = known[ObjectIdentifier(type)] { return known }
        let schema = type.schema
        let index = list.count
        known[ObjectIdentifier(type)] = index
        list.append(RecordBuilder.Shape(name: StoredName(schema.name), isElement: isElement))
        try schema.checkPaths()
        for property in schema.properties {
            guard let content = try content(property) else { continue }
            if rules.isUntyped, case .reference(let parts) = content, parts.count > 1 {
                list[index].properties += parts.map { self.part($0, of: property) }
            } else {
                list[index].properties.append(shape(property, content))
            }
        }
        return index
    }

    private mutating func content(_ property: Property) throws(StorageError) -> RecordBuilder.Content? {
        switch property.kind {
        case .column(let type): return .column(type)
        case .one(let child): return .child(try add(child, isElement: false))
        case .many(let child): return .children(try add(child, isElement: false))
        case .references(_, let elements): return .children(try add(elements, isElement: true))
        case .refused: return nil
        case .reference(let target):
            let parts = target.schema.keyProperties
            return .reference(
                parts.map { part in
                    RecordBuilder.Part(
                        column: StoredName(
                            parts.count == 1 ? property.storedName : property.storedName + "." + part.storedName),
                        path: part.names, type: part.columnType ?? .int64)
                })
        }
    }

    /// A part of a reference as a separate column.
    private func part(_ part: RecordBuilder.Part, of property: Property) -> RecordBuilder.Property {
        let null: @Sendable () throws -> Value = { .null }
        return RecordBuilder.Property(
            name: part.column, title: property.name, path: [part.column.text], isOptional: property.isOptional,
            content: .column(part.type), rules: rules, initial: property.isOptional ? null : nil)
    }

    private func shape(_ property: Property, _ content: RecordBuilder.Content) -> RecordBuilder.Property {
        var rules = rules
        if let dates = property.form.dates { rules.dates = dates }
        if property.form.isLenient { rules.isLenient = true }
        var initial = property.defaultValue
        let null: @Sendable () throws -> Value = { .null }
        if case .reference(let parts) = content, parts.count > 1 { initial = nil }
        return RecordBuilder.Property(
            name: StoredName(property.storedName), title: property.name,
            path: rules.isUntyped ? [property.storedName] : property.names, isOptional: property.isOptional,
            content: content, rules: rules, convert: property.form.convert,
            initial: initial ?? (property.isOptional ? null : nil), writeDefault: property.writeDefault)
    }
}

// MARK: Columns

extension RecordBuilder {
    /// A property of one column of the model itself.
    package struct Column {
        package let rules: JSONScalar.Rules
        /// True if the program converts the values.
        package let isConverted: Bool
        /// The value in a record without the column; nil if it must not lack it.
        package let initial: (@Sendable () throws -> Value)?
    }

    /// The stored names of the model's properties, in order.
    package var names: [StoredName] { all[0].properties.map(\.name) }

    /// The property with a stored name, if it is one column.
    package func column(named name: StoredName) -> Column? {
        guard let property = all[0].properties.first(where: { $0.name == name }) else { return nil }
        switch property.content {
        case .column, .reference: break
        case .child, .children: return nil
        }
        return Column(rules: property.rules, isConverted: property.convert != nil, initial: property.initial)
    }

    /// Returns the content of a property in the form in which the declaration has its dates.
    package func content(_ content: DynamicRecord.Content, of name: StoredName) -> DynamicRecord.Content {
        guard case .value(let value, let type) = content, type == .date || type == .array(of: .date),
            let form = column(named: name)?.rules.dates, form != .iso8601
        else { return content }
        switch Self.json(value, type, rules: JSONScalar.Rules(dates: form)) {
        case .null: return .value(.null, type)
        case .string(let text): return .value(.text(text), .string)
        case let json: return .value(.text(json.text), .string)
        }
    }
}

// MARK: The way back

extension RecordBuilder {
    /// A record as JSON that makes the same record.
    func json(_ record: DynamicRecord) -> JSONValue { json(record, 0) }

    private func json(_ record: DynamicRecord, _ index: Int) -> JSONValue {
        var members: [JSONValue.Member] = []
        for (place, property) in all[index].properties.enumerated() {
            Self.put(json(property, of: record, near: place), at: property.path[...], in: &members)
        }
        return .object(members)
    }

    private func json(_ property: Property, of record: DynamicRecord, near place: Int) -> JSONValue {
        func content(_ name: StoredName) -> DynamicRecord.Content? {
            let fields = record.fields
            if place < fields.count, fields[place].storedName == name { return fields[place].content }
            return fields.first { $0.storedName == name }?.content
        }
        func value(_ name: StoredName, _ type: ColumnType) -> JSONValue {
            guard case .value(let value, _)? = content(name) else { return .null }
            return Self.json(value, type, rules: property.rules)
        }
        switch property.content {
        case .column(let type): return value(property.name, type)
        case .reference(let parts):
            if let name = parts.first?.column, case .child(let record?)? = content(name) { return related(record) }
            let values = parts.map { value($0.column, $0.type) }
            return values.count == 1 ? values[0] : values.contains(.null) ? .null : .array(values)
        case .child(let shape):
            guard case .child(let child?)? = content(property.name) else { return .null }
            return json(child, shape)
        case .children(let shape):
            guard case .children(let children?)? = content(property.name) else { return .null }
            guard all[shape].isElement else { return .array(children.map { json($0, shape) }) }
            // An element has its key alone, and a record in its place more.
            let count = all[shape].properties.count
            return .array(children.map { $0.fields.count > count ? related($0) : Self.key(json($0, shape)) })
        }
    }

    /// A record in the place of its key.
    private func related(_ record: DynamicRecord) -> JSONValue {
        related[record.storedModel].map { json(record, $0) } ?? .null
    }

    private static func json(_ value: Value, _ type: ColumnType, rules: JSONScalar.Rules) -> JSONValue {
        switch (value, type) {
        case (.double(let seconds), .date): rules.dates?.json(seconds) ?? ValueForm.json(value, type)
        case (.text(let text), .array(.date)):
            elements(text).map { dates in .array(dates.map { json($0, rules) }) } ?? ValueForm.json(value, type)
        default: ValueForm.json(value, type)
        }
    }

    private static func elements(_ text: String) -> [JSONValue]? {
        if case .array(let elements)? = ValueForm.json(text) { elements } else { nil }
    }

    private static func json(_ date: JSONValue, _ rules: JSONScalar.Rules) -> JSONValue {
        guard case .number(let digits) = date, let seconds = Double(digits) else { return date }
        return json(.double(seconds), .date, rules: rules)
    }

    /// An element of an array of references: its key alone.
    private static func key(_ element: JSONValue) -> JSONValue {
        guard case .object(let members) = element else { return element }
        return members.count == 1 ? members[0].value : .array(members.map(\.value))
    }

    private static func put(_ value: JSONValue, at path: ArraySlice<String>, in members: inout [JSONValue.Member]) {
        guard let name = path.first else { return }
        guard path.count > 1 else { return members.append(JSONValue.Member(name: name, value: value)) }
        let place = members.firstIndex { StoredName($0.name) == StoredName(name) } ?? members.count
        if place == members.count { members.append(JSONValue.Member(name: name, value: .object([]))) }
        guard case .object(var inner) = members[place].value else { return }
        put(value, at: path.dropFirst(), in: &inner)
        members[place].value = .object(inner)
    }
}
