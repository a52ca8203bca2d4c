internal import StorageAPI

/// A model that lists its properties once. Its schema, its key paths and its declaration in snippets come from the list.
protocol ListedModel: DeclaredModel {
    /// The properties, in the order in which rows are read and written.
    static var fields: [ListedField<Self>] { get }
    /// The name under which the model is stored; by default that of the type without its generic arguments.
    static var storedModel: String { get }
}

/// A property of a model with its key path.
struct ListedField<Model> {
    let path: PartialKeyPath<Model>
    let type: Any.Type
    let property: Property

    init<V>(_ path: KeyPath<Model, V>, _ property: Property) {
        (self.path, type, self.property) = (path, V.self, property)
    }
}

extension ListedModel {
    static var storedModel: String { String(String(describing: Self.self).prefix { $0 != "<" }) }
    static var schema: ModelSchema { ModelSchema(storedModel, fields.map(\.property)) }

    static func ordinal(of property: PartialKeyPath<Self>) -> Int? { fields.firstIndex { $0.path == property } }

    static var declaration: String {
        // The macro takes no generic type, so each use of one is a model with a name of its own.
        let name = SwiftSource.name(of: Self.self)
        let stored = name == storedModel ? "" : "(\(SwiftSource.literal(storedModel)))"
        return "@Storable\(stored) struct \(name) {\n\(fields.map { "    \($0.declaration)\n" }.joined())}"
    }
}

extension ListedField {
    fileprivate var declaration: String { "\(marker)var \(property.name): \(SwiftSource.name(of: type))\(value)" }

    /// The mark of the property, with a space after it.
    private var marker: String {
        let names: [(Property.Traits, String)] = [
            (.key, "Key"), (.indexed, "Indexed"), (.unique, "Unique"), (.expires, "Expires"), (.created, "Created"),
            (.modified, "Modified"),
        ]
        if let weight = property.searchWeight { return "@Searchable\(weight == 1 ? "" : "(weight: \(weight))") " }
        if property.rule != .deny { return "@Reference(onDelete: .\(property.rule)) " }
        let formers = property.renamedFrom.map { SwiftSource.literal($0) }.joined(separator: ", ")
        if !formers.isEmpty { return "@Field(renamedFrom: \(formers)) " }
        let name = names.first { property.traits.contains($0.0) }?.1
        return name.map { $0 == "Key" && property.name == "id" ? "" : "@\($0) " } ?? ""
    }

    /// The default value, with the sign before it.
    private var value: String {
        if property.isOptional { return " = nil" }
        if property.writeDefault != nil { return " = \(SwiftSource.name(of: type))()" }
        guard let value = try? property.defaultValue?() else { return "" }
        return switch value {
        case .int(let number) where type == Bool.self: " = \(number != 0)"
        case .text(let text) where type == String.self: " = \(SwiftSource.literal(text))"
        case .double(let seconds) where type != Double.self:
            " = Date(timeIntervalSinceReferenceDate: \(SwiftSource.literal(seconds)))"
        case .int, .unsigned, .double: " = \(value)"
        // The lists of the suite are empty by default.
        case .null, .text, .blob: " = []"
        }
    }
}
