// The schema.
extension StorableRenderer {
    var schema: String {
        """
        \(access)nonisolated static var schema: StorageAPI.ModelSchema {
            StorageAPI.ModelSchema(\(model.storedName), [
        \(lines { _, property in "        StorageAPI.Property(\(arguments(of: property)))\(json(of: property))\(search(of: property))," })
            ])
        }
        """
    }

    private func arguments(of property: StoredProperty) -> String {
        let field = property.markers[.field]
        let formers = field?.renamedFrom.map(\.trimmedDescription).joined(separator: ", ") ?? ""
        let arguments: [String?] = [
            property.name.literal,
            "(\(property.type)).self",
            traits(of: property),
            field?.fieldName.map { "stored: \($0.trimmedDescription)" },
            formers.isEmpty ? nil : "renamedFrom: \(formers)",
            property.markers[.reference]?.deleteRule.map { "onDelete: \($0.trimmedDescription)" },
            property.defaultValue.map { "default: { \(closureBody($0)) }" },
        ]
        return arguments.compactMap { $0 }.joined(separator: ", ")
    }

    private func json(of property: StoredProperty) -> String {
        property.markers[.field]?.jsonArguments.map { ".json(\($0))" } ?? ""
    }

    private func search(of property: StoredProperty) -> String {
        guard let mark = property.markers[.searchable] else { return "" }
        return ".searchable(weight: \(mark.weight?.trimmedDescription ?? "1"))"
    }

    private func traits(of property: StoredProperty) -> String? {
        let isKey = model.keys.contains { $0.name.plain == property.name.plain }
        let traits = [
            isKey ? ".key" : nil,
            property.markers[.indexed].map { _ in ".indexed" },
            property.markers[.unique].map { _ in ".unique" },
            property.markers[.expires].map { _ in ".expires" },
            property.markers[.created].map { _ in ".created" },
            property.markers[.modified].map { _ in ".modified" },
        ]
        let names = traits.compactMap { $0 }
        return names.isEmpty ? nil : "[\(names.joined(separator: ", "))]"
    }

    /// A statement cannot begin with a closure.
    private func closureBody(_ value: String) -> String { value.hasPrefix("{") ? "(\(value))" : value }
}
