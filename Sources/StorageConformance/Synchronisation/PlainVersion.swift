internal import StorageAPI
import StorageDriver

/// A version of the program that opens a store: an earlier one lacks a model and some properties.
enum PlainVersion {
    case earlier, later

    /// The properties that came later, with the contents of records that lack them.
    private static let added: [String: PlainFields] = [
        "Depot": ["code": .scalar(.null)],
        "Slip": ["text": .scalar(.text(""))],
    ]
    /// The property that came later of a stock's lines.
    private static let addedOfLines: PlainOwned = ["count": .int(0)]

    var models: [String] { self == .later ? PlainModel.names : PlainModel.names.filter { $0 != "Permit" } }

    /// Returns whether the version has a property of a model.
    func has(_ property: String, of model: String) -> Bool { self == .later || Self.added[model]?[property] == nil }

    // MARK: Records

    /// The part of a record that the version knows.
    func seen(_ record: PlainFields, of model: String) -> PlainFields {
        guard self == .earlier else { return record }
        return record.filter { has($0.key, of: model) }.mapValues { content in
            guard case .list(let lines) = content else { return content }
            return .list(lines.map { line in line.filter { Self.addedOfLines[$0.key] == nil } })
        }
    }

    /// A record of any version with all properties that this one knows.
    func completed(_ record: PlainFields, of model: String) -> PlainFields {
        guard self == .later else { return seen(record, of: model) }
        return record.merging(Self.added[model] ?? [:]) { own, _ in own }.mapValues(completed)
    }

    func completed(_ content: PlainContent) -> PlainContent {
        guard self == .later, case .list(let lines) = content else { return content }
        return .list(lines.map { $0.merging(Self.addedOfLines) { own, _ in own } })
    }

    // MARK: Schemas

    /// The schemas as this version declares them.
    func seen(_ schemas: [RecordSchema]) -> [RecordSchema] {
        schemas.filter { models.contains($0.name) }.map { schema in
            let name = schema.name
            var schema = schema
            schema.properties.removeAll { !has($0.name, of: name) }
            for index in schema.properties.indices {
                guard case .children(var owned) = schema.properties[index].kind, self == .earlier else { continue }
                owned.properties.removeAll { Self.addedOfLines[$0.name] != nil }
                schema.properties[index].kind = .children(owned)
            }
            return schema
        }
    }
}

// Two versions of a record, or of an owned one, are alike if all that both have is equal.

func alike(_ left: PlainFields, _ right: PlainFields) -> Bool {
    left.allSatisfy { name, content in right[name].map(content.isLike) ?? true }
}

func alike(_ left: PlainOwned, _ right: PlainOwned) -> Bool {
    left.allSatisfy { name, value in right[name].map { $0 == value } ?? true }
}

extension PlainContent {
    func isLike(_ other: PlainContent) -> Bool {
        guard case .list(let lines) = self, case .list(let others) = other else { return self == other }
        return lines.count == others.count && zip(lines, others).allSatisfy(alike)
    }

    /// The content, and in its lines the properties that only the stored lines have.
    func over(_ stored: PlainContent) -> PlainContent {
        guard case .list(let lines) = self, case .list(let others) = stored else { return self }
        return .list(
            lines.map { line in
                guard let other = others.first(where: { $0["id"] == line["id"] }) else { return line }
                return line.merging(other) { own, _ in own }
            })
    }
}
