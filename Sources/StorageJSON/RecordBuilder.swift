package import StorageAPI
import StorageDriver

/// Makes records of a model out of JSON members, by the model's schema: the recorded one, for the tool, or a type's
/// declaration.
package struct RecordBuilder: Sendable {
    /// The records of one table, or of several of one type.
    struct Shape: Sendable {
        /// The name of its records.
        let name: StoredName
        var properties: [Property] = []
        var names: Set<StoredName> = []
        /// True if the records are the elements of an array of references, and so may be written as keys.
        var isElement = false
    }

    struct Property: Sendable {
        /// The stored name.
        let name: StoredName
        /// The name in Swift.
        let title: String
        /// The names of the members that lead to it.
        let path: [String]
        var isOptional: Bool
        let content: Content
        var rules = JSONScalar.Rules()
        var convert: (@Sendable (Value) throws -> Value)?
        /// The value of the property in a record whose JSON lacks it; nil if the JSON must not lack it.
        var initial: (@Sendable () throws -> Value)?
        /// The owned records of a record whose JSON lacks the property, if any exist. The property is left out of
        /// the record then, and whatever writes that by the type's tables writes it.
        var writeDefault: OwnedDefault?
    }

    enum Content: Sendable {
        case column(ColumnType)
        /// The columns of a reference, one for each part of its key.
        case reference([Part])
        case child(Int)
        case children(Int)
    }

    /// A part of a key.
    struct Part: Sendable {
        let column: StoredName
        /// Its path in an object that stands for the record.
        let path: [String]
        let type: ColumnType
    }

    private let shapes: [Shape]
    /// The shapes of records that may stand in the place of keys, by their models.
    let related: [StoredName: Int]
    private let ignoresUnknown: Bool

    init(shapes: [Shape], related: [StoredName: Int] = [:], ignoresUnknown: Bool) {
        (self.shapes, self.related, self.ignoresUnknown) = (shapes, related, ignoresUnknown)
    }

    /// The options of reading records of a stored model.
    package struct Input: Sendable {
        /// True if numbers may be texts as well, as in comma-separated values.
        package var isUntyped = false
        /// The form of dates; nil for the form that the tool writes.
        package var dates: StorageAPI.Property.DateForm?
        /// The advice for a number in the place of a date, unless it counts from 2001.
        package var numericDateHint: String?
        /// True if a record may lack its key, which is then another record's.
        package var mayLackKey = false

        package init() {}

        package var rules: JSONScalar.Rules {
            JSONScalar.Rules(
                isUntyped: isUntyped, dates: dates, numericDateHint: dates == nil ? numericDateHint : nil)
        }
    }

    /// Records of a model that is stored.
    package init(_ schema: RecordSchema, _ input: Input = Input()) {
        var shapes: [Shape] = []
        Self.add(schema, input.rules, owners: [], to: &shapes)
        if input.mayLackKey {
            let keys = schema.properties.filter(\.isKey).map(\.storedName)
            for place in shapes[0].properties.indices {
                if keys.contains(shapes[0].properties[place].name) {
                    shapes[0].properties[place].isOptional = true; shapes[0].properties[place].initial = { .null }
                }
            }
        }
        self.init(shapes: shapes, ignoresUnknown: false)
    }

    /// - Parameter owners: the enclosing schemas, to which a type that owns itself refers back.
    @discardableResult
    private static func add(
        _ schema: RecordSchema, _ rules: JSONScalar.Rules, owners: [Int], to shapes: inout [Shape]
    ) -> Int {
        let index = shapes.count
        shapes.append(Shape(name: schema.storedName, names: Set(schema.properties.map(\.storedName))))
        shapes[index].isElement = schema.properties.contains { $0.reference?.isElement == true }
        let null: @Sendable () throws -> Value = { .null }
        for property in schema.properties {
            let content: Content
            switch property.kind {
            case .column(let type): content = .column(type)
            case .child(let schema): content = .child(add(schema, rules, owners: owners + [index], to: &shapes))
            case .children(let schema): content = .children(add(schema, rules, owners: owners + [index], to: &shapes))
            case .ancestor(let name, let isMany):
                // A schema that refers to none of its owners is refused when it is stored.
                let owner = (owners + [index]).last { shapes[$0].name == StoredName(name) } ?? index
                content = isMany ? .children(owner) : .child(owner)
            }
            // A key that the store assigns may be missing, and a list is empty then.
            let isAssigned = schema.assignsKeys && property.isKey
            let isOptional = property.isOptional || isAssigned
            var mayBeMissing = isOptional
            if case .children = content { mayBeMissing = true }
            shapes[index].properties.append(
                Property(
                    name: property.storedName, title: property.name, path: [property.name], isOptional: isOptional,
                    content: content, rules: rules, initial: mayBeMissing ? null : nil))
        }
        return index
    }

    // MARK: Records

    /// The record with these members.
    ///
    /// - Parameter isPart: whether it has only the properties that exist, and no default of another.
    package func record(
        _ members: [JSONValue.Member], isPart: Bool = false
    ) throws(RecordProblem) -> DynamicRecord {
        try record(members, 0, isPart: isPart)
    }

    private func record(
        _ members: [JSONValue.Member], _ index: Int, isPart: Bool = false
    ) throws(RecordProblem) -> DynamicRecord {
        let shape = shapes[index]
        var fields: [DynamicRecord.Field] = []
        fields.reserveCapacity(shape.properties.count)
        var found = 0
        var places: [StoredName: Int]?
        for (place, property) in shape.properties.enumerated() {
            do {
                let value = try Self.value(of: property, near: place, in: members, &places)
                if value != nil { found += 1 } else if isPart { continue }
                try append(value, property, to: &fields)
            } catch {
                throw error.inside(property.path.joined(separator: "."), property: property.title)
            }
        }
        if !ignoresUnknown, found < members.count { try refuseUnknown(members, shape) }
        return DynamicRecord(model: shape.name.text, fields: fields)
    }

    private static func value(
        of property: Property, near place: Int, in members: [JSONValue.Member], _ places: inout [StoredName: Int]?
    ) throws(RecordProblem) -> JSONValue? {
        var found = value(of: property.path[0], near: place, in: members, &places)
        for name in property.path.dropFirst() {
            switch found {
            case .object(let inner)?: found = inner.value(of: name)
            case nil, .null?: return nil
            case let other?: throw RecordProblem("is looked for in an object, and there is \(other.quoted).")
            }
        }
        return found
    }

    /// Members usually come in the order of the properties, so this index is tried first.
    private static func value(
        of name: String, near place: Int, in members: [JSONValue.Member], _ places: inout [StoredName: Int]?
    ) -> JSONValue? {
        let wanted = StoredName(name)
        if place < members.count, StoredName(members[place].name) == wanted { return members[place].value }
        guard members.count > 32 else { return members.value(of: name) }
        let known = places ?? Dictionary(members.enumerated().map { (StoredName($1.name), $0) }) { first, _ in first }
        places = known
        return known[wanted].map { members[$0].value }
    }

    private func refuseUnknown(_ members: [JSONValue.Member], _ shape: Shape) throws(RecordProblem) {
        let unknown = members.first { !shape.names.contains(StoredName($0.name)) }
        guard let unknown else { return }
        throw RecordProblem(
            "is no property of \(shape.name), which has \(shape.properties.map(\.name.text).joined(separator: ", ")).",
            at: unknown.name)
    }

    // MARK: Properties

    private func append(
        _ value: JSONValue?, _ property: Property, to fields: inout [DynamicRecord.Field]
    ) throws(RecordProblem) {
        let isMissing = value == nil || value == .null && property.rules.isLenient && !property.isOptional
        if isMissing, property.writeDefault != nil { return }
        switch property.content {
        case .column(let type):
            fields.append(
                .init(name: property.name.text, content: .value(try column(value, type, property: property), type)))
        case .reference(let parts): try append(value, parts, property: property, to: &fields)
        case .child(let shape):
            fields.append(
                .init(name: property.name.text, content: .child(try child(value, shape: shape, property: property))))
        case .children(let shape):
            let records = try children(value, index: shape, property: property)
            fields.append(.init(name: property.name.text, content: .children(records)))
        }
    }

    /// The problem of null where the property is not optional. In an input without types it stands for a missing value.
    private var isNull: RecordProblem {
        RecordProblem("is \(ignoresUnknown ? "null, and the property is not optional" : "missing").")
    }

    /// The value of a column.
    func column(
        _ value: JSONValue?, _ type: ColumnType, property: Property
    ) throws(RecordProblem) -> Value {
        guard let value else { return try initial(property) }
        if value == .null {
            if property.isOptional { return .null }
            guard property.rules.isLenient, property.initial != nil else {
                throw isNull
            }
            return try initial(property)
        }
        guard let convert = property.convert else { return try JSONScalar.value(value, type, rules: property.rules) }
        do {
            let converted = try convert(value.value)
            if let stored = converted.stored(as: type), !stored.isNull || property.isOptional { return stored }
            throw RecordProblem("is \(value.quoted), which the property converts to \(converted), not a valid \(type).")
        } catch let error as RecordProblem {
            throw error
        } catch {
            throw RecordProblem("is \(value.quoted), which the property does not convert: \(error).")
        }
    }

    /// Returns the property's value where the JSON lacks it.
    private func initial(_ property: Property) throws(RecordProblem) -> Value {
        guard let initial = property.initial else { throw RecordProblem("is missing.") }
        do {
            return try initial()
        } catch {
            throw RecordProblem("is missing, and the property's default cannot be stored: \(error).")
        }
    }

    private func append(
        _ value: JSONValue?, _ parts: [Part], property: Property, to fields: inout [DynamicRecord.Field]
    ) throws(RecordProblem) {
        for (part, value) in zip(parts, try key(value, parts, property: property)) {
            fields.append(.init(name: part.column.text, content: .value(value, part.type)))
        }
    }

    /// The parts of the key that a reference is, or an object that has it.
    func key(_ value: JSONValue?, _ parts: [Part], property: Property) throws(RecordProblem) -> [Value] {
        var key: [Value] = []
        for (index, part) in parts.enumerated() {
            if let value, value != .null {
                key.append(try Self.part(index, part, of: value, count: parts.count, rules: property.rules))
            } else if value == nil {
                key.append(try initial(property))
            } else if property.isOptional {
                key.append(.null)
            } else {
                guard property.rules.isLenient, property.initial != nil else { throw isNull }
                key.append(try initial(property))
            }
        }
        return key
    }

    private static func part(
        _ index: Int, _ part: Part, of value: JSONValue, count: Int, rules: JSONScalar.Rules
    ) throws(RecordProblem) -> Value {
        switch value {
        case .object(var members):
            var found: JSONValue?
            for (depth, name) in part.path.enumerated() {
                found = members.value(of: name)
                if depth < part.path.count - 1, case .object(let inner)? = found { members = inner }
            }
            guard let found, found != .null else {
                throw RecordProblem("has no \(part.path.joined(separator: ".")), which is the key of the record.")
            }
            return try JSONScalar.value(found, part.type, rules: rules)
        case .array(let elements) where count > 1 && elements.count == count:
            return try JSONScalar.value(elements[index], part.type, rules: rules)
        default:
            guard count == 1 else { throw RecordProblem("must be the \(count) parts of a key; it is \(value.quoted).") }
            return try JSONScalar.value(value, part.type, rules: rules)
        }
    }

    // MARK: Owned records

    /// Owned records, if an input of texts has them as text.
    private func owned(_ value: JSONValue, _ property: Property) -> JSONValue {
        property.rules.isUntyped ? JSONScalar.unquoted(value) : value
    }

    private func child(
        _ value: JSONValue?, shape: Int, property: Property
    ) throws(RecordProblem) -> DynamicRecord? {
        switch value.map({ owned($0, property) }) {
        case .object(let members)?: return try record(members, shape)
        case .null? where property.isOptional, nil where property.isOptional: return nil
        case .null?: throw isNull
        case nil: throw RecordProblem("is missing.")
        case let value?: throw RecordProblem("must be an object; it is \(value.kind).")
        }
    }

    private func children(
        _ value: JSONValue?, index: Int, property: Property
    ) throws(RecordProblem) -> [DynamicRecord]? {
        guard case .array(let elements)? = value.map({ owned($0, property) }) else {
            if let value, value != .null {
                throw RecordProblem("must be an array of objects; it is \(value.kind).")
            }
            if property.isOptional { return nil }
            if value == nil || property.rules.isLenient, property.initial != nil { return [] }
            throw value == nil ? RecordProblem("is missing.") : isNull
        }
        var records: [DynamicRecord] = []
        records.reserveCapacity(elements.count)
        for (place, element) in elements.enumerated() {
            do {
                records.append(try self.element(element, index: index, property: property))
            } catch {
                throw error.inside("[\(place)]")
            }
        }
        return records
    }

    private func element(_ value: JSONValue, index: Int, property: Property) throws(RecordProblem) -> DynamicRecord {
        if case .object(let members) = value, !shapes[index].isElement || !ignoresUnknown {
            return try record(members, index)
        }
        let shape = shapes[index]
        guard shape.isElement, value != .null else {
            throw RecordProblem("must be an object; it is \(value.kind).")
        }
        var fields: [DynamicRecord.Field] = []
        let parts = shape.properties.compactMap { property -> Part? in
            guard case .column(let type) = property.content else { return nil }
            return Part(column: property.name, path: property.path, type: type)
        }
        try append(value, parts, property: property, to: &fields)
        return DynamicRecord(model: shape.name.text, fields: fields)
    }
}

extension RecordBuilder {
    /// The record with the defaults of the properties that it lacks.
    func completed(_ record: DynamicRecord) throws(RecordProblem) -> DynamicRecord {
        var record = record
        for property in shapes[0].properties {
            let name: StoredName
            if case .reference(let parts) = property.content { name = parts[0].column } else { name = property.name }
            guard !record.fields.contains(where: { $0.storedName == name }) else { continue }
            do {
                try append(nil, property, to: &record.fields)
            } catch {
                throw error.inside(property.path.joined(separator: "."), property: property.title)
            }
        }
        return record
    }

    /// The shapes, of which the first is the model's.
    var all: [Shape] { shapes }
}
