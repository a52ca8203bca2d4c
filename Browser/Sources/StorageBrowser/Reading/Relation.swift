import StorageAPI
import StorageDriver
import StorageJSON

/// A reference of one model's records to another's.
struct Relation: Hashable {
    /// The model whose records refer.
    let model: String
    /// The owned records that have the reference, from the outermost one.
    let owners: [Owner]
    /// The property; of an array of references the array.
    let name: String
    /// The properties that have the parts of the key: of the model itself, or of the array's elements.
    let parts: [RecordSchema.Property]
    let isArray: Bool
    let target: String
    let rule: DeleteRule

    struct Owner: Hashable {
        let name: String
        let isMany: Bool
    }

    /// The name, after the names of the owned records that have the reference.
    var path: String { (owners.map(\.name) + [name]).joined(separator: ".") }

    /// The references of a model's records and of the records that they own.
    static func all(of schema: RecordSchema) -> [Relation] { all(of: schema, in: schema.name, owners: []) }

    private static func all(of schema: RecordSchema, in model: String, owners: [Owner]) -> [Relation] {
        var found: [Relation] = []
        for (place, property) in schema.properties.enumerated() {
            switch property.kind {
            case .column:
                guard let reference = property.reference, reference.part == 0, !reference.isElement else { continue }
                let others = schema.properties[(place + 1)...].prefix { ($0.reference?.part ?? 0) > 0 }
                found.append(
                    Relation(
                        model: model, owners: owners, name: property.name, parts: [property] + others, isArray: false,
                        target: reference.model, rule: reference.onDelete))
            case .children(let elements):
                if let reference = elements.properties.first?.reference, reference.isElement {
                    found.append(
                        Relation(
                            model: model, owners: owners, name: property.name, parts: elements.properties,
                            isArray: true,
                            target: reference.model, rule: reference.onDelete))
                } else {
                    found += all(of: elements, in: model, owners: owners + [Owner(name: property.name, isMany: true)])
                }
            case .child(let child):
                found += all(of: child, in: model, owners: owners + [Owner(name: property.name, isMany: false)])
            case .ancestor: break
            }
        }
        return found
    }

    /// The condition that holds of the records that refer to a key.
    func condition(on key: [Value]) -> String {
        let tests = zip(parts, key).map { part, value in
            let type: ColumnType = if case .column(let type) = part.kind { type } else { .string }
            return "\(part.name.shownQueryName) == \(value.literal(type))"
        }
        // The elements of an array of references to a key of one part are plain values.
        var condition =
            isArray
            ? "any \(name.shownQueryName) (\(tests.joined(separator: " and ")))" : tests.joined(separator: " and ")
        for owner in owners.reversed() {
            let name = owner.name.shownQueryName
            condition = owner.isMany ? "any \(name) (\(condition))" : condition.isEmpty ? name : "\(name).\(condition)"
        }
        return condition
    }
}

extension RecordSchema {
    /// The properties of the key, in its order.
    var keyProperties: [Property] {
        let marked = properties.filter(\.isKey)
        return marked.isEmpty ? properties.filter { $0.name == "id" } : marked
    }

    /// The properties that tell a person which record it is: a name, the first and the last name, or else the only text.
    var label: [Property] {
        let texts = properties.filter { $0.kind == .column(.string) && !$0.isKey && $0.reference == nil }
        func named(_ names: String...) -> Property? {
            names.lazy.compactMap { name in
                texts.first { $0.name.lowercased().filter { $0 != "_" } == name }
            }.first
        }
        if let first = named("firstname", "givenname"), let last = named("lastname", "familyname", "surname") {
            return [first, last]
        }
        let name =
            named("name", "title", "label", "subject", "fullname", "displayname", "username", "email")
            ?? texts.first { $0.name.lowercased().hasSuffix("name") } ?? (texts.count == 1 ? texts[0] : nil)
        return [name].compactMap(\.self)
    }

    /// A property of the model itself, by its name.
    func property(_ name: String) -> Property? { properties.first { $0.name == name } }

    /// The key whose parts have the texts, as ``Value/text(as:)`` writes them.
    ///
    /// - Throws: `notFound` if a text is no value of its property, or if there are more or fewer texts.
    func key(of texts: [String]) throws(StorageError) -> [Value] {
        let properties = keyProperties
        guard texts.count == properties.count, !texts.isEmpty else {
            let names = properties.map(\.name).joined(separator: ", ")
            throw StorageError(.notFound, "The key of \(name) is \(names); the address needs a k= for each part.")
        }
        var key: [Value] = []
        for (property, text) in zip(properties, texts) {
            guard case .column(let type) = property.kind, let value = Value(text: text, as: type) else {
                throw StorageError(
                    .notFound, "\(text.shortened(80)) is no \(property.name), which is \(property.typeText).")
            }
            key.append(value)
        }
        return key
    }

    /// The texts of a key.
    func texts(_ key: [Value]) -> [String] {
        zip(keyProperties, key).map { property, value in value.text(as: property.columnType) ?? "" }
    }
}

extension RecordSchema.Property {
    /// The type of its values; text for owned records.
    var columnType: ColumnType { if case .column(let type) = kind { type } else { .string } }

    var isColumn: Bool { if case .column = kind { true } else { false } }

    /// True if records can be sorted by it.
    var canBeSorted: Bool {
        switch kind {
        case .column(.array), .column(.embedded), .column(.vector): false
        case .column: true
        default: false
        }
    }

    /// The property's type as a declaration would have it.
    var typeText: String {
        let optional = isOptional ? "?" : ""
        return switch kind {
        case .column(let type): type.description + optional
        case .child(let child): child.name + optional
        case .children(let child): "[\(child.name)]" + optional
        case .ancestor(let name, let isMany): (isMany ? "[\(name)]" : name) + optional
        }
    }
}

extension DynamicRecord {
    /// The values of the key's properties.
    func key(_ schema: RecordSchema) -> [Value] { schema.keyProperties.map { value($0.name) ?? .null } }
}

extension DynamicRecord {
    /// A label that tells a person which record it is; nil if none exists.
    func label(_ schema: RecordSchema) -> String? {
        let texts = schema.label.compactMap { property -> String? in
            guard case .text(let text)? = value(property.name), !text.isEmpty else { return nil }
            return text
        }
        return texts.isEmpty ? nil : texts.joined(separator: " ")
    }
}
