import StorageAPI
import StorageDriver

/// The models that two stores share, as one store has recorded them.
struct SyncModels: Sendable {
    /// A reference from a record, or from the records that it owns, to another record.
    struct Reference: Sendable {
        /// The properties on the way to it: one of the root, or owned ones before.
        let path: [String]
        /// The properties that hold the parts of the key.
        let parts: [String]
        let target: String
        let rule: DeleteRule
        /// True if the owned record is an element of an array of references.
        let isElement: Bool
    }

    /// The stored names, in an order in which most records come before their referrers.
    let names: [String]
    private let schemas: [String: RecordSchema]
    private let references: [String: [Reference]]
    private let keys: [String: [String]]

    init(_ names: [String], _ recorded: [RecordSchema]) {
        let chosen = recorded.filter { names.contains($0.name) }
        schemas = Dictionary(chosen.map { ($0.name, $0) }) { first, _ in first }
        references = schemas.mapValues { Self.references(of: $0, []) }
        keys = schemas.mapValues { schema in
            let keys = schema.properties.filter(\.isKey).map(\.name)
            return keys.isEmpty ? ["id"] : keys
        }
        self.names = Self.sorted(names, references)
    }

    subscript(model: String) -> RecordSchema? { schemas[model] }

    func references(from model: String) -> [Reference] { references[model] ?? [] }

    /// The record's place; nil if the record lacks a part of the key, or the model is not shared.
    func place(of record: DynamicRecord) -> RecordPlace? {
        guard let names = keys[record.model] else { return nil }
        let key = names.compactMap { record.value($0) }
        return key.count == names.count ? RecordPlace(record.model, key) : nil
    }

    /// The stored names of a model's properties, with their paths also of the records that it owns.
    func properties(of model: String) -> Set<String> { schemas[model].map { $0.paths("") } ?? [] }

    /// The names on a path of ``properties(of:)``.
    static func names(on path: String) -> [String] {
        path.split(separator: RecordSchema.pathSeparator, omittingEmptySubsequences: false).map(String.init)
    }

    private static func references(of schema: RecordSchema, _ path: [String]) -> [Reference] {
        var found: [Reference] = []
        var open: [(parts: [String], schema: RecordSchema.Reference)] = []
        for property in schema.properties {
            if let reference = property.reference {
                // The parts of a composite key follow each other.
                if reference.part > 0, let last = open.indices.last {
                    open[last].parts.append(property.name)
                } else {
                    open.append(([property.name], reference))
                }
            }
            switch property.kind {
            case .child(let owned), .children(let owned): found += references(of: owned, path + [property.name])
            case .column, .ancestor: break
            }
        }
        return open.map {
            Reference(
                path: path, parts: $0.parts, target: $0.schema.model, rule: $0.schema.onDelete,
                isElement: $0.schema.isElement)
        } + found
    }

    private static func sorted(_ names: [String], _ references: [String: [Reference]]) -> [String] {
        var (sorted, left) = ([String](), names)
        while !left.isEmpty {
            let free = left.filter { name in
                (references[name] ?? []).allSatisfy { $0.target == name || !left.contains($0.target) }
            }
            // A cycle has no order; its records are written in one step wherever that is possible.
            let next = free.isEmpty ? [left[0]] : free
            sorted += next
            left.removeAll { next.contains($0) }
        }
        return sorted
    }
}

extension DynamicRecord {
    /// Takes nullifying references away that lead to records which are removed.
    ///
    /// - Returns: the properties of the root that have changed, as they were.
    mutating func nullify(
        _ references: [SyncModels.Reference], to removed: Set<RecordPlace>
    ) -> [(property: String, lost: Content)] {
        var lost: [String: Content] = [:]
        for reference in references where reference.rule == .nullify {
            for property in [reference.path.first ?? reference.parts[0]] {
                let before = self[property]
                nullify(reference, reference.path[...], to: removed)
                if let before, self[property] != before { lost[property] = lost[property] ?? before }
            }
        }
        return lost.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    private mutating func nullify(
        _ reference: SyncModels.Reference, _ path: ArraySlice<String>, to removed: Set<RecordPlace>
    ) {
        guard let name = path.first else {
            guard leads(reference, [], to: removed) else { return }
            for index in fields.indices where reference.parts.contains(fields[index].name) {
                if case .value(_, let type) = fields[index].content { fields[index].content = .value(.null, type) }
            }
            return
        }
        guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
        switch fields[index].content {
        case .value: return
        case .child(var owned):
            owned?.nullify(reference, path.dropFirst(), to: removed)
            fields[index].content = .child(owned)
        case .children(var owned?):
            if reference.isElement, path.count == 1 { owned.removeAll { $0.leads(reference, [], to: removed) } }
            for place in owned.indices { owned[place].nullify(reference, path.dropFirst(), to: removed) }
            fields[index].content = .children(owned)
        case .children(nil): return
        }
    }

    /// The records to which a reference of the record leads, wherever they are.
    func targets(_ reference: SyncModels.Reference, _ path: ArraySlice<String>) -> [RecordPlace] {
        guard let name = path.first else {
            let key = reference.parts.compactMap { value($0) }
            guard key.count == reference.parts.count, !key.contains(.null) else { return [] }
            return [RecordPlace(reference.target, key)]
        }
        switch self[name] {
        case .child(let owned?)?: return owned.targets(reference, path.dropFirst())
        case .children(let owned?)?: return owned.flatMap { $0.targets(reference, path.dropFirst()) }
        default: return []
        }
    }

    /// Returns whether a reference of the record leads to one of some records.
    func leads(_ reference: SyncModels.Reference, _ path: ArraySlice<String>, to places: Set<RecordPlace>) -> Bool {
        targets(reference, path).contains(where: places.contains)
    }
}

extension RecordSchema {
    fileprivate func paths(_ beginning: String) -> Set<String> {
        properties.reduce(into: []) { paths, property in
            paths.insert(beginning + property.name)
            switch property.kind {
            case .child(let owned), .children(let owned):
                paths.formUnion(owned.paths("\(beginning)\(property.name)\(Self.pathSeparator)"))
            case .column, .ancestor: break
            }
        }
    }

    fileprivate static var pathSeparator: Character { "\u{1F}" }
}

extension DynamicRecord {
    /// The record without the properties of some paths.
    func without(_ paths: some Collection<[String]>) -> DynamicRecord {
        if paths.isEmpty { return self }
        // Records are named by the path of their table, also where they own records of their own type.
        var gone: [String: Set<String>] = [:]
        for path in paths {
            guard let name = path.last else { continue }
            gone[([model] + path.dropLast()).joined(separator: "."), default: []].insert(name)
        }
        return without(gone)
    }

    private func without(_ gone: [String: Set<String>]) -> DynamicRecord {
        var part = self
        if let names = gone[model] { part.fields.removeAll { names.contains($0.name) } }
        for index in part.fields.indices {
            switch part.fields[index].content {
            case .value: break
            case .child(let owned): part.fields[index].content = .child(owned?.without(gone))
            case .children(let owned): part.fields[index].content = .children(owned?.map { $0.without(gone) })
            }
        }
        return part
    }
}
