import StorageAPI
import StorageDriver

/// A property of a new model that refers to records: `author=Person,cascade`.
struct ImportedReference {
    private let text: String
    private let property: String
    private let model: String
    private let rule: DeleteRule

    init(_ text: String) throws(ToolError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let target = (parts.last ?? "").split(separator: ",", maxSplits: 1).map(String.init)
        let rule = target.count == 2 ? DeleteRule(rawValue: target[1]) : .deny
        guard parts.count == 2, let model = target.first, let rule else {
            throw ToolError(
                "--ref \(text) is not of the form PROPERTY=MODEL or PROPERTY=MODEL,RULE, like author=Person,cascade; the "
                    + "rules are \(DeleteRule.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        (self.text, property, self.model, self.rule) = (text, parts[0], model, rule)
    }

    /// The type of the target's key; nil for a model that refers to itself.
    func type(among stored: [RecordSchema], _ own: String) throws(ToolError) -> ColumnType? {
        if StoredName(model) == StoredName(own) { return nil }
        guard let target = stored.first(where: { $0.storedName == StoredName(model) }) else {
            throw ToolError("--ref \(text): the store has no \(model); import its records first.")
        }
        return try key(of: target)
    }

    private func key(of target: RecordSchema) throws(ToolError) -> ColumnType {
        let keys = target.keyProperties
        guard keys.count == 1, case .column(let type)? = keys.first?.kind else {
            throw ToolError("--ref \(text): the key of \(model) has several parts; declare the reference in Swift.")
        }
        return type
    }

    /// Makes the property a reference.
    ///
    /// - Parameter type: that of the target's key; nil for the schema's own.
    func set(in schema: inout RecordSchema, _ type: ColumnType?) throws(ToolError) {
        let place = schema.properties.firstIndex { $0.storedName == StoredName(property) }
        guard let place, case .column = schema.properties[place].kind, !schema.properties[place].isKey else {
            throw ToolError("--ref \(text): no record has a property \(property) of one value that is not the key.")
        }
        if rule == .nullify, !schema.properties[place].isOptional {
            throw ToolError(
                "--ref \(text): every record has \(property), so it cannot become nil; choose another rule.")
        }
        if let type {
            schema.properties[place].kind = .column(type)
        } else {
            schema.properties[place].kind = .column(try key(of: schema))
        }
        schema.properties[place].reference = .init(model: model, onDelete: rule)
    }

    /// Refuses properties that a stored model lacks.
    func check(_ stored: RecordSchema) throws(ToolError) {
        let reference = stored.properties.first { $0.storedName == StoredName(property) }?.reference
        guard let reference, reference.storedModel == StoredName(model), reference.onDelete == rule else {
            throw ToolError(
                "--ref \(text): \(stored.name) is stored without it, as storage schema shows; leave --ref out, or import "
                    + "into a new model.")
        }
    }
}
