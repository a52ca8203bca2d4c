import StorageDriver

// Records without types in which other records stand in the place of the keys that refer to them.

/// Makes records without types of the rows that another maker knows as models: the records that it loads for each are in the
/// place of their keys.
package struct RelatedRecords<Original: Sendable>: JoinedRowMaking {
    private let make: any JoinedRowMaking<Original>

    package init(_ make: any JoinedRowMaking<Original>) { self.make = make }

    package var types: [any Storable.Type] { make.types }

    package func rows(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord] { try make.records(joined) }

    package func records(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord] { try make.records(joined) }
}

extension JoinedRows {
    /// Puts records in the place of the keys of a reference or an array of references, one content for each record; nil leaves the
    /// keys.
    package func put(
        _ contents: [DynamicRecord.Content?], at path: PropertyPath?, into records: inout [DynamicRecord]
    ) throws(StorageError) {
        guard let path, path.inverse == nil, let ordinal = path.ordinals.first,
            let name = try reading.model.nameOfReference(at: ordinal)
        else {
            throw StorageError(
                .invalidQuery,
                "An inverse has no name among the properties; select the records that refer, with their reference.",
                model: reading.model.name)
        }
        for (row, content) in contents.enumerated() {
            guard let content, records.indices.contains(row),
                let place = records[row].fields.firstIndex(where: { $0.storedName == name })
            else { continue }
            records[row].fields[place].content = content
        }
    }
}

extension ModelTables {
    /// The name of the field that has a reference, its first one if it has several, or an array of references.
    fileprivate func nameOfReference(at ordinal: Int) throws(StorageError) -> StoredName? {
        switch try member(ordinal, of: root) {
        case .column: nil
        case .reference(let index): root.schema.columns[root.references[index].columns[0]].storedProperty
        case .relation(let index): root.relations[index].storedProperty
        }
    }
}

/// References by their stored names, and in turn the references of the records that they name.
package struct NamedRelations: JoinedRowMaking {
    private var parts: [(name: StoredName, relations: NamedRelations)] = []

    /// - Parameter paths: names with points between them, such as `author` and `author.mentor`.
    package init(_ paths: [String]) {
        for path in paths { add(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)[...]) }
    }

    package var types: [any Storable.Type] { [] }

    private mutating func add(_ path: ArraySlice<String>) {
        guard let first = path.first else { return }
        let place = parts.firstIndex { $0.name == StoredName(first) } ?? parts.endIndex
        if place == parts.endIndex { parts.append((StoredName(first), NamedRelations([]))) }
        parts[place].relations.add(path.dropFirst())
    }

    package func rows(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord] { try records(joined) }

    package func records(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord] {
        var records: [DynamicRecord] = try joined.models()
        try load(into: &records, joined.reading)
        return records
    }

    /// Puts records in the place of the keys, at the cost of one query for each reference. A key without a record stays.
    package func load(into records: inout [DynamicRecord], _ reading: RecordReader) throws(StorageError) {
        for (name, relations) in parts {
            let relation = try NamedRelation(name, of: reading.model)
            let handle = try reading.handle.directory.handle(of: relation.target, in: reading.session)
            let target = RecordReader(handle: handle, session: reading.session)
            var (known, keys): (Set<[Value]>, [[Value]]) = ([], [])
            for record in records {
                for key in relation.keys(record) where known.insert(key).inserted { keys.append(key) }
            }
            let found = try target.find(DynamicRecord.self, keys: keys)
            var stored = found.compactMap(\.self)
            try relations.load(into: &stored, target)
            var related: [[Value]: DynamicRecord] = [:]
            var next = stored.makeIterator()
            for (key, record) in zip(keys, found) where record != nil { related[key] = next.next() }
            for place in records.indices { relation.put(related, into: &records[place]) }
        }
    }
}

/// One reference of a model, or an array of references.
private struct NamedRelation {
    let target: ModelSource
    /// The name by which it is asked for: of a key of several parts, that which their names begin with.
    private let name: StoredName
    /// The field in which the records are put.
    private let field: StoredName
    /// The fields that have the parts of the key: of the record itself, or of an array's elements.
    private let parts: [StoredName]
    private let isMany: Bool

    init(_ name: StoredName, of model: ModelTables) throws(StorageError) {
        let all = Self.all(of: model)
        guard let found = all.first(where: { $0.name == name }) else {
            let names = all.map(\.name.text)
            let known = names.isEmpty ? "it has no references" : "it has \(names.joined(separator: ", "))"
            throw StorageError(
                .invalidQuery,
                "\(model.name) has no reference \(name)\(SpellingSuggestion.hint(name.text, among: names)); \(known).",
                model: model.name)
        }
        self = found
    }

    private init(_ reference: ReferenceBinding, named name: StoredName?, of table: TableSchema) {
        parts = reference.columns.map { table.columns[$0].storedProperty }
        (target, isMany) = (reference.target, name != nil)
        let first = parts.first ?? StoredName(reference.property)
        field = name ?? first
        let stem = first.text.prefix { $0 != "." }
        let isStem = parts.count > 1 && parts.allSatisfy { $0.text.hasPrefix(stem + ".") }
        self.name = name ?? (isStem ? StoredName(String(stem)) : first)
    }

    private static func all(of model: ModelTables) -> [NamedRelation] {
        let root = model.root
        let many = root.relations.compactMap { relation in
            let table = model.tables[relation.target]
            return table.element.map { NamedRelation($0, named: relation.storedProperty, of: table.schema) }
        }
        return root.references.map { NamedRelation($0, named: nil, of: root.schema) } + many
    }

    /// The keys that a record refers to; nil refers to none.
    func keys(_ record: DynamicRecord) -> [[Value]] {
        guard isMany else { return key(record).map { [$0] } ?? [] }
        guard case .children(let elements?)? = record[field.text] else { return [] }
        return elements.compactMap(key)
    }

    private func key(_ record: DynamicRecord) -> [Value]? {
        let values = parts.compactMap { record.value($0.text) }
        return values.count == parts.count && values.first != .null ? values : nil
    }

    func put(_ related: [[Value]: DynamicRecord], into record: inout DynamicRecord) {
        guard let place = record.fields.firstIndex(where: { $0.storedName == field }) else { return }
        if isMany {
            guard case .children(let elements?) = record.fields[place].content else { return }
            record.fields[place].content = .children(elements.map { key($0).flatMap { related[$0] } ?? $0 })
        } else if let found = key(record).flatMap({ related[$0] }) {
            record.fields[place].content = .child(found)
        }
    }
}
