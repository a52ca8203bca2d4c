import StorageAPI
import StorageDriver

/// Swift structs for the models of a store. Facts that a declaration cannot express are comments.
struct SwiftDeclarations {
    private let schemas: [RecordSchema]
    /// The struct of each root model.
    private var names: [StoredName: String] = [:]
    private var used = SwiftName.types
    private var lines: [String] = []

    init(_ schemas: [RecordSchema]) {
        self.schemas = schemas
        for schema in schemas { names[schema.storedName] = unused(SwiftName.type(schema.name)) }
    }

    /// The source of a file.
    mutating func source() -> String {
        lines = ["import Foundation", "import StorageKit"]
        for schema in schemas {
            declare(schema, as: names[schema.storedName] ?? schema.name, isRoot: true, ancestors: [:])
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Declares a struct, followed by those of its owned records.
    private mutating func declare(
        _ schema: RecordSchema, as name: String, isRoot: Bool, ancestors: [StoredName: String]
    ) {
        lines.append("")
        if schema.isReadOnly {
            lines += [
                "// Can only be read. With @Key on columns that are unique in place of the number, conditions are passed into a view."
            ]
        }
        lines += [
            "@Storable" + (name == schema.name ? "" : "(\(SwiftName.literal(schema.name)))"), "struct \(name) {",
        ]
        let ancestors = ancestors.merging([schema.storedName: name]) { $1 }
        var owned: [(RecordSchema, String)] = []
        var members: Set<String> = []
        var place = 0
        while place < schema.properties.count {
            let reference = compositeReference(at: place, of: schema)
            let property = schema.properties[place]
            var member = SwiftName.member(reference?.name ?? property.name)
            while !members.insert(member).inserted { member += "_" }
            let declared = DeclaredMember(
                name: member, storedName: reference?.name ?? property.name, property: property,
                isKey: isRoot && property.isKey, isOnlyKey: schema.properties.count { $0.isKey } == 1,
                isAssigned: schema.assignsKeys)
            if let reference {
                lines.append("    " + declared.reference(to: reference.target))
            } else {
                lines.append("    " + declaration(declared, ancestors: ancestors, owned: &owned))
            }
            place += reference?.parts ?? 1
        }
        lines.append("}")
        for (child, name) in owned { declare(child, as: name, isRoot: false, ancestors: ancestors) }
    }

    private mutating func declaration(
        _ member: DeclaredMember, ancestors: [StoredName: String], owned: inout [(RecordSchema, String)]
    ) -> String {
        let property = member.property
        switch property.kind {
        case .column(let type):
            if let reference = property.reference {
                guard reference.part == 0, !member.isKey, let target = names[reference.storedModel] else {
                    return member.value(type, note: "refers to \(reference.model)")
                }
                return member.reference(to: target)
            }
            return member.value(type)
        case .child(let child): return member.line(own(child, &owned))
        case .children(let child):
            guard let reference = child.properties.first?.reference, reference.isElement else {
                return member.line("[\(own(child, &owned))]")
            }
            guard let target = names[reference.storedModel] else {
                return "// \(property.name) refers to records of \(reference.model), which the store does not have."
            }
            return member.references(to: target, reference.onDelete)
        case .ancestor(let name, let isMany):
            guard isMany, let type = ancestors[StoredName(name)] else {
                return "// \(property.name) is one \(name) within itself, which a struct cannot hold."
            }
            return member.line("[\(type)]")
        }
    }

    /// A reference to a key of several parts, which stands for as many properties: `desk` for desk.room and desk.name.
    private func compositeReference(
        at place: Int, of schema: RecordSchema
    ) -> (name: String, target: String, parts: Int)? {
        let property = schema.properties[place]
        let others = schema.properties[(place + 1)...].prefix { ($0.reference?.part ?? 0) > 0 }
        guard let reference = property.reference, reference.part == 0, !others.isEmpty, !property.isKey,
            let target = names[reference.storedModel],
            let key = schemas.first(where: { $0.storedName == reference.storedModel })?.properties.filter(\.isKey).map(
                \.name),
            let first = key.first, property.name.hasSuffix("." + first)
        else { return nil }
        let name = String(property.name.dropLast(first.count + 1))
        guard key.map({ "\(name).\($0)" }) == [property.name] + others.map(\.name) else { return nil }
        return (name, target, key.count)
    }

    /// The name of an owned struct, which is declared later.
    private mutating func own(_ child: RecordSchema, _ owned: inout [(RecordSchema, String)]) -> String {
        let name = unused(SwiftName.type(child.name))
        owned.append((child, name))
        return name
    }

    private mutating func unused(_ name: String) -> String {
        var name = name
        while !used.insert(name).inserted { name += "_" }
        return name
    }
}

/// One property of a struct.
private struct DeclaredMember {
    let name: String
    let storedName: String
    let property: RecordSchema.Property
    let isKey: Bool
    let isOnlyKey: Bool
    let isAssigned: Bool

    func line(_ type: String, _ marks: [String] = [], note: String? = nil) -> String {
        var words = marks
        if isKey, !isOnlyKey || name != "id" { words.insert("@Key", at: 0) }
        if name != storedName { words.append("@Field(\(SwiftName.literal(storedName)))") }
        let optional = property.isOptional || isKey && isOnlyKey && isAssigned ? "?" : ""
        words.append("var \(SwiftName.escaped(name)): \(type)\(optional)")
        return words.joined(separator: " ") + (note.map { "  // \(SwiftName.comment($0))" } ?? "")
    }

    func value(_ type: ColumnType, note: String? = nil) -> String {
        guard let swift = type.swiftName else {
            return "// \(SwiftName.comment(property.name)) is a Codable value, whose type the store does not know."
        }
        let mark =
            property.isExpiry ? "@Expires" : property.isUnique ? "@Unique" : property.isIndexed ? "@Indexed" : nil
        return line(swift, isKey || property.reference != nil ? [] : [mark, searchMark].compactMap(\.self), note: note)
    }

    private var searchMark: String? {
        property.searchWeight.map { $0 == 1 ? "@Searchable" : "@Searchable(weight: \($0))" }
    }

    func reference(to target: String) -> String {
        let unique = property.isUnique ? ["@Unique"] : []
        return line("Ref<\(target)>", unique + Self.rule(property.reference?.onDelete ?? .deny))
    }

    func references(to target: String, _ rule: DeleteRule) -> String { line("[Ref<\(target)>]", Self.rule(rule)) }

    private static func rule(_ rule: DeleteRule) -> [String] {
        rule == .deny ? [] : ["@Reference(onDelete: .\(rule.rawValue))"]
    }
}
