internal import StorageAPI
import StorageDriver

/// The place of a record: its model and its key.
struct PlainPlace: Hashable, Comparable, CustomStringConvertible {
    let model: String
    let key: [String]

    static func < (left: PlainPlace, right: PlainPlace) -> Bool {
        (left.model, left.key.joined(separator: "\u{0}")) < (right.model, right.key.joined(separator: "\u{0}"))
    }

    var values: [Value] { key.map { .text($0) } }
    var description: String { "\(model) \(key.joined(separator: ","))" }
}

/// The content of a property as the plain model has it.
enum PlainContent: Hashable {
    case scalar(Value)
    /// The key of the record that a reference leads to; nil for none.
    case reference([String]?)
    case references([[String]])
    case owned(PlainOwned?)
    case list([PlainOwned])

    /// The keys of the records that the content leads to.
    var targets: [[String]] {
        switch self {
        case .reference(let key): key.map { [$0] } ?? []
        case .references(let keys): keys
        case .scalar, .owned, .list: []
        }
    }
}

/// An owned record: its properties by name.
typealias PlainOwned = [String: Value]

/// A record: its properties by name, with a reference as one of them, whatever number of parts its key has.
typealias PlainFields = [String: PlainContent]

/// The models of the simulation, with the rules that the plain model carries out by hand.
enum PlainModel {
    static let types: [any Storable.Type] = [Depot.self, Stock.self, Slip.self, Permit.self]
    static let names = types.map { $0.schema.name }

    struct Reference {
        let model: String
        let property: String
        let target: String
        let rule: DeleteRule
    }

    static let references = [
        Reference(model: "Stock", property: "depot", target: "Depot", rule: .nullify),
        Reference(model: "Stock", property: "also", target: "Depot", rule: .nullify),
        Reference(model: "Stock", property: "former", target: "Depot", rule: .unchecked),
        Reference(model: "Slip", property: "stock", target: "Stock", rule: .cascade),
        Reference(model: "Slip", property: "depot", target: "Depot", rule: .deny),
        Reference(model: "Slip", property: "before", target: "Slip", rule: .nullify),
    ]

    static let unique = [("Depot", "code"), ("Stock", "code")]

    static func keys(of model: String) -> [String] { model == "Slip" ? ["first", "second"] : ["id"] }
}

/// The kinds of the stored properties, by which contents become records of the store.
struct PlainTypes {
    private var columns: [String: ColumnType] = [:]

    init(_ store: Store) async throws {
        for schema in try await store.recordSchemas() { add(schema, path: schema.name) }
    }

    private mutating func add(_ schema: RecordSchema, path: String) {
        for property in schema.properties {
            let name = "\(path).\(property.name)"
            switch property.kind {
            case .column(let type): columns[name] = type
            case .child(let owned), .children(let owned): add(owned, path: name)
            case .ancestor: break
            }
        }
    }

    // MARK: To the store

    func record(_ record: PlainFields, at place: PlainPlace) -> DynamicRecord {
        var fields = zip(PlainModel.keys(of: place.model), place.key).map { field($0, .text($1), of: place.model) }
        for (name, content) in record.sorted(by: { $0.key < $1.key }) {
            let path = "\(place.model).\(name)"
            switch content {
            case .scalar(let value): fields.append(field(name, value, of: place.model))
            case .reference(let key):
                let target = PlainModel.references.first { $0.model == place.model && $0.property == name }?.target
                let parts = PlainModel.keys(of: target ?? "")
                for (index, part) in parts.enumerated() {
                    let value = key.map { Value.text($0[index]) } ?? .null
                    fields.append(field(parts.count == 1 ? name : "\(name).\(part)", value, of: place.model))
                }
            case .references(let keys):
                let element = columns.keys.first { $0.hasPrefix(path + ".") }?.dropFirst(path.utf8.count + 1) ?? "id"
                fields.append(
                    .init(name: name, content: .children(keys.map { owned([String(element): .text($0[0])], path) })))
            case .owned(let one): fields.append(.init(name: name, content: .child(one.map { owned($0, path) })))
            case .list(let list): fields.append(.init(name: name, content: .children(list.map { owned($0, path) })))
            }
        }
        return DynamicRecord(model: place.model, fields: fields)
    }

    private func owned(_ record: PlainOwned, _ path: String) -> DynamicRecord {
        DynamicRecord(model: path, fields: record.sorted { $0.key < $1.key }.map { field($0.key, $0.value, of: path) })
    }

    private func field(_ name: String, _ value: Value, of path: String) -> DynamicRecord.Field {
        .init(name: name, content: .value(value, columns["\(path).\(name)"] ?? .string))
    }

    // MARK: From the store

    static func plain(_ record: DynamicRecord) -> (place: PlainPlace, record: PlainFields) {
        var (plain, parts, key): (PlainFields, [String: [Value]], [String]) = ([:], [:], [])
        let keys = PlainModel.keys(of: record.model)
        for field in record.fields {
            let name = property(field.name)
            let reference = PlainModel.references.first { $0.model == record.model && $0.property == name }
            switch field.content {
            case .value(.text(let text), _) where keys.contains(field.name): key.append(text)
            case .value(let value, _) where reference != nil: parts[name, default: []].append(value)
            case .value(let value, _): plain[name] = .scalar(value)
            case .child(let owned): plain[name] = .owned(owned.map(Self.owned))
            case .children(let list) where reference != nil:
                plain[name] = .references((list ?? []).map { Self.owned($0).values.compactMap(text) })
            case .children(let list): plain[name] = .list((list ?? []).map(Self.owned))
            }
        }
        for (name, values) in parts {
            let key = values.compactMap(text)
            plain[name] = .reference(key.count == values.count ? key : nil)
        }
        return (PlainPlace(model: record.model, key: key), plain)
    }

    /// The property of a field: a part of a reference's key is named after it.
    static func property(_ name: String) -> String { String(name.prefix { $0 != "." }) }

    private static func text(_ value: Value) -> String? {
        if case .text(let text) = value { text } else { nil }
    }

    private static func owned(_ record: DynamicRecord) -> PlainOwned {
        Dictionary(
            record.fields.compactMap { field in
                if case .value(let value, _) = field.content { (field.name, value) } else { nil }
            }
        ) { first, _ in first }
    }
}
