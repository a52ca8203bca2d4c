import StorageAPI

/// Why members are not a record of a model: the problem, and the path to the property.
struct RecordProblem: Error {
    var message: String
    var path: String

    init(_ message: String, at name: String = "") {
        self.message = message
        path = name
    }

    func inside(_ name: String) -> RecordProblem {
        RecordProblem(message, at: path.isEmpty ? name : path.hasPrefix("[") ? name + path : name + "." + path)
    }

    var sentence: String { path.isEmpty ? message : "\(path) \(message)" }
}

/// Makes records of a model out of JSON members, by the model's schema.
final class RecordBuilder {
    private let name: String
    private let properties: [Property]
    private let names: Set<[UInt8]>
    /// Whether a number or a word may be the text that it is written as, since the input knows no types.
    private let isUntyped: Bool

    private struct Property {
        let name: String
        let isOptional: Bool
        let content: Content
    }

    private enum Content {
        case column(ColumnType)
        case child(RecordBuilder)
        case children(RecordBuilder)
        case ancestor(String, isMany: Bool)
    }

    /// - Parameter isUntyped: for comma-separated values, whose numbers may as well be texts.
    init(_ schema: RecordSchema, isUntyped: Bool = false) {
        name = schema.name
        self.isUntyped = isUntyped
        properties = schema.properties.map { property in
            let content: Content
            switch property.kind {
            case .column(let type): content = .column(type)
            case .child(let schema): content = .child(RecordBuilder(schema, isUntyped: isUntyped))
            case .children(let schema): content = .children(RecordBuilder(schema, isUntyped: isUntyped))
            case .ancestor(let name, let isMany): content = .ancestor(name, isMany: isMany)
            }
            // A key that the store assigns may be missing.
            let isAssigned = schema.assignsKeys && property.isKey
            return Property(name: property.name, isOptional: property.isOptional || isAssigned, content: content)
        }
        names = Set(properties.map { Array($0.name.utf8) })
    }

    /// The record with these members.
    func record(_ members: [JSONValue.Member]) throws(RecordProblem) -> DynamicRecord {
        try record(members, [])
    }

    private func record(_ members: [JSONValue.Member], _ owners: [RecordBuilder]) throws(RecordProblem) -> DynamicRecord
    {
        var fields: [DynamicRecord.Field] = []
        fields.reserveCapacity(properties.count)
        var found = 0
        var places: [[UInt8]: Int]?
        for (place, property) in properties.enumerated() {
            let value = Self.value(of: property.name, near: place, in: members, &places)
            if value != nil { found += 1 }
            do {
                fields.append(
                    DynamicRecord.Field(name: property.name, content: try content(value ?? .null, property, owners)))
            } catch {
                throw error.inside(property.name)
            }
        }
        if found < members.count { try refuseUnknown(members) }
        return DynamicRecord(model: name, fields: fields)
    }

    /// Members usually come in the order of the properties, so this index is tried first.
    private static func value(
        of name: String, near place: Int, in members: [JSONValue.Member], _ places: inout [[UInt8]: Int]?
    ) -> JSONValue? {
        if place < members.count, members[place].name.isSame(as: name) { return members[place].value }
        guard members.count > 32 else { return members.first { $0.name.isSame(as: name) }?.value }
        let known = places ?? Dictionary(members.enumerated().map { (Array($1.name.utf8), $0) }) { first, _ in first }
        places = known
        return known[Array(name.utf8)].map { members[$0].value }
    }

    private func refuseUnknown(_ members: [JSONValue.Member]) throws(RecordProblem) {
        let unknown = members.first { !names.contains(Array($0.name.utf8)) }
        guard let unknown else { return }
        throw RecordProblem(
            "is no property of \(name), which has \(properties.map(\.name).joined(separator: ", ")).", at: unknown.name)
    }

    // MARK: Properties

    private func content(
        _ value: JSONValue, _ property: Property, _ owners: [RecordBuilder]
    ) throws(RecordProblem) -> DynamicRecord.Content {
        switch property.content {
        case .column(let type): return .value(try column(value, type, property), type)
        case .child(let builder): return .child(try child(owned(value), builder, property, owners + [self]))
        case .children(let builder): return .children(try children(owned(value), builder, property, owners + [self]))
        case .ancestor(let name, let isMany):
            let around = owners + [self]
            guard let builder = around.last(where: { $0.name.isSame(as: name) }) else {
                throw RecordProblem("refers to \(name), which none of its owners is.")
            }
            let owners = Array(around.prefix { $0 !== builder })
            return isMany
                ? .children(try children(owned(value), builder, property, owners))
                : .child(try child(owned(value), builder, property, owners))
        }
    }

    /// Owned records, if an input of texts has them as text.
    private func owned(_ value: JSONValue) -> JSONValue { isUntyped ? JSONScalar.unquoted(value) : value }

    private func column(
        _ value: JSONValue, _ type: ColumnType, _ property: Property
    ) throws(RecordProblem) -> Value {
        if value == .null {
            guard property.isOptional else { throw RecordProblem("is missing.") }
            return .null
        }
        return try JSONScalar.value(value, type, isUntyped: isUntyped)
    }

    private func child(
        _ value: JSONValue, _ builder: RecordBuilder, _ property: Property, _ owners: [RecordBuilder]
    ) throws(RecordProblem) -> DynamicRecord? {
        switch value {
        case .object(let members): return try builder.record(members, owners)
        case .null where property.isOptional: return nil
        case .null: throw RecordProblem("is missing.")
        default: throw RecordProblem("must be an object; it is \(value.kind).")
        }
    }

    private func children(
        _ value: JSONValue, _ builder: RecordBuilder, _ property: Property, _ owners: [RecordBuilder]
    ) throws(RecordProblem) -> [DynamicRecord]? {
        guard case .array(let elements) = value else {
            if value == .null, property.isOptional { return nil }
            throw RecordProblem(
                value == .null ? "is missing." : "must be an array of objects; it is \(value.kind).")
        }
        var records: [DynamicRecord] = []
        for (index, element) in elements.enumerated() {
            guard case .object(let members) = element else {
                throw RecordProblem("must be an object; it is \(element.kind).", at: "[\(index)]")
            }
            do {
                records.append(try builder.record(members, owners))
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return records
    }
}
