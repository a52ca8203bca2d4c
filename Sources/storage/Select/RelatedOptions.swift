import ArgumentParser
import StorageAPI
import StorageDriver

/// The references that are printed as the records that they name.
struct RelatedOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("with"),
        help: ArgumentHelp(
            "A reference to print as the record that it names: author, tags, author.mentor. Can be repeated.",
            valueName: "reference"))
    var paths: [String] = []

    var isWanted: Bool { !paths.isEmpty }

    /// The references, each with those of the records that it names.
    private var tree: RelatedTree {
        var tree = RelatedTree()
        for path in paths { tree.add(path.split(separator: ".").map(String.init)[...]) }
        return tree
    }

    /// The records with others in the place of keys. A key that names nothing stays as it is.
    ///
    /// Costs one query for each reference and level, however many records there are.
    func load(
        _ records: [DynamicRecord], of schema: RecordSchema, among schemas: [RecordSchema],
        in snapshot: borrowing Store.Snapshot
    ) throws -> [DynamicRecord] {
        var records = records
        try tree.load(&records, of: schema, schemas: schemas, snapshot: snapshot)
        return records
    }
}

/// References, and in turn those of the records that they name.
private struct RelatedTree {
    private var parts: [(name: String, tree: RelatedTree)] = []

    mutating func add(_ path: ArraySlice<String>) {
        guard let first = path.first else { return }
        let place = parts.firstIndex { StoredName($0.name) == StoredName(first) } ?? parts.endIndex
        if place == parts.endIndex { parts.append((first, RelatedTree())) }
        parts[place].tree.add(path.dropFirst())
    }

    func load(
        _ records: inout [DynamicRecord], of schema: RecordSchema, schemas: [RecordSchema],
        snapshot: borrowing Store.Snapshot
    ) throws {
        for (name, tree) in parts {
            let relation = try ToolRelation(name, of: schema)
            let target = try relation.target(in: schemas)
            var (known, keys): (Set<[Value]>, [[Value]]) = ([], [])
            for key in records.flatMap(relation.keys) where known.insert(key).inserted { keys.append(key) }
            var found: [DynamicRecord?] = try snapshot.records(target.name).find(keys: keys)
            var stored = found.compactMap(\.self)
            try tree.load(&stored, of: target, schemas: schemas, snapshot: snapshot)
            var next = stored.makeIterator()
            for index in found.indices where found[index] != nil { found[index] = next.next() }
            var related: [[Value]: DynamicRecord] = [:]
            for (key, record) in zip(keys, found) { related[key] = record }
            for index in records.indices { relation.put(related, into: &records[index]) }
        }
    }
}

/// One reference of a model, or an array of them.
private struct ToolRelation {
    let name: String
    private let model: String
    /// The properties that have the parts of the key: of the model itself, or of an array's elements.
    private let parts: [String]
    private let isMany: Bool

    init(_ name: String, of schema: RecordSchema) throws {
        guard let place = schema.properties.firstIndex(where: { $0.storedName == StoredName(name) }),
            let relation = Self(at: place, of: schema)
        else {
            let known = schema.properties.indices.compactMap { Self(at: $0, of: schema)?.name }.joined(separator: ", ")
            throw ToolError(
                "\(schema.name) has no reference \(name); \(known.isEmpty ? "it has none." : "it has \(known).")")
        }
        self = relation
    }

    /// Nil if the property refers to nothing.
    private init?(at place: Int, of schema: RecordSchema) {
        let property = schema.properties[place]
        name = property.name
        if case .children(let elements) = property.kind, let reference = elements.properties.first?.reference,
            reference.isElement
        {
            (model, parts, isMany) = (reference.model, elements.properties.map(\.name), true)
        } else if let reference = property.reference, reference.part == 0 {
            let others = schema.properties[(place + 1)...].prefix { ($0.reference?.part ?? 0) > 0 }
            (model, parts, isMany) = (reference.model, [property.name] + others.map(\.name), false)
        } else {
            return nil
        }
    }

    func target(in schemas: [RecordSchema]) throws -> RecordSchema {
        guard let target = schemas.first(where: { $0.storedName == StoredName(model) }) else {
            throw ToolError("\(name) refers to \(model), which the store does not have.")
        }
        return target
    }

    /// The keys that a record refers to; nil refers to none.
    func keys(_ record: DynamicRecord) -> [[Value]] {
        guard isMany else { return key(record).map { [$0] } ?? [] }
        guard case .children(let elements?)? = record[name] else { return [] }
        return elements.compactMap(key)
    }

    private func key(_ record: DynamicRecord) -> [Value]? {
        let values = parts.compactMap { record.value($0) }
        return values.count == parts.count && values.first != .null ? values : nil
    }

    func put(_ related: [[Value]: DynamicRecord], into record: inout DynamicRecord) {
        guard let place = record.fields.firstIndex(where: { $0.storedName == StoredName(name) }) else { return }
        if isMany {
            guard case .children(let elements?) = record.fields[place].content else { return }
            record.fields[place].content = .children(elements.map { key($0).flatMap { related[$0] } ?? $0 })
        } else if let found = key(record).flatMap({ related[$0] }) {
            record.fields[place].content = .child(found)
        }
    }
}
