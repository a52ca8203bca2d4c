import StorageAPI
import StorageDriver

// Two stores may know different properties of a model, and of the types that it owns. Neither takes unknown properties of the
// other for a change, nor writes over them.

/// The schema of a record with the schemas of its owners.
struct SchemaPath {
    let schema: RecordSchema
    private let owners: [RecordSchema]

    init(_ schema: RecordSchema) { (self.schema, owners) = (schema, []) }

    private init(_ schema: RecordSchema, _ owners: [RecordSchema]) { (self.schema, self.owners) = (schema, owners) }

    subscript(property: String) -> RecordSchema.Property? { schema.properties.first { $0.name == property } }

    /// The schema of the records that a property owns; nil for another property.
    func owned(by property: String) -> SchemaPath? {
        switch self[property]?.kind {
        case .child(let owned), .children(let owned): return SchemaPath(owned, owners + [schema])
        case .ancestor(let name, _):
            let path = owners + [schema]
            guard let index = path.lastIndex(where: { $0.name == name }) else { return nil }
            return SchemaPath(path[index], Array(path[..<index]))
        case .column, nil: return nil
        }
    }

    /// The properties that tell which owned records of two arrays are the same; empty for none.
    var keys: [String] { schema.properties.filter(\.isKey).map(\.name) }
}

extension DynamicRecord {
    /// Returns whether all properties that both records have are equal, in their owned records too.
    func matches(_ other: DynamicRecord) -> Bool {
        fields.allSatisfy { field in other[field.name].map(field.content.matches) ?? true }
    }

    /// The record, and from another version of it the properties that the record lacks.
    func over(_ other: DynamicRecord?, _ path: SchemaPath) -> DynamicRecord {
        guard let other else { return self }
        var whole = other
        for index in whole.fields.indices {
            let name = whole.fields[index].name
            guard let content = self[name] else { continue }
            whole.fields[index].content = content.over(whole.fields[index].content, path.owned(by: name))
        }
        return whole
    }

    /// The record without the properties that the schema does not have.
    func known(_ path: SchemaPath) -> DynamicRecord {
        if unknownProperty(path) == nil { return self }
        var record = self
        record.fields.removeAll { path[$0.name] == nil }
        for index in record.fields.indices {
            guard let owned = path.owned(by: record.fields[index].name) else { continue }
            switch record.fields[index].content {
            case .child(let child?): record.fields[index].content = .child(child.known(owned))
            case .children(let children?): record.fields[index].content = .children(children.map { $0.known(owned) })
            default: break
            }
        }
        return record
    }

    /// The first property that the schema does not have, with the properties on the way to it; nil if it has all.
    func unknownProperty(_ path: SchemaPath) -> String? {
        for field in fields {
            guard path[field.name] != nil else { return field.name }
            guard let owned = path.owned(by: field.name) else { continue }
            let records: [DynamicRecord] =
                switch field.content {
                case .value, .child(nil), .children(nil): []
                case .child(let child?): [child]
                case .children(let children?): children
                }
            for record in records {
                if let name = record.unknownProperty(owned) { return "\(field.name).\(name)" }
            }
        }
        return nil
    }
}

extension DynamicRecord.Content {
    func matches(_ other: DynamicRecord.Content) -> Bool {
        switch (self, other) {
        case (.child(let record?), .child(let other?)): record.matches(other)
        case (.children(let records?), .children(let others?)):
            records.count == others.count && zip(records, others).allSatisfy { $0.matches($1) }
        default: self == other
        }
    }

    /// The content, and from another version of it the properties that its owned records lack.
    ///
    /// - Parameter path: the schema of the owned records; nil for a content without any.
    func over(_ other: DynamicRecord.Content, _ path: SchemaPath?) -> DynamicRecord.Content {
        guard let path else { return self }
        switch (self, other) {
        case (.child(let record?), .child(let other?)): return .child(record.over(other, path))
        case (.children(let records?), .children(let others?)):
            return .children(Self.laid(records, over: others, path: path))
        default: return self
        }
    }

    /// Lays each owned record over the one of its key. Without keys it is laid over an equal one and, in arrays of one length,
    /// otherwise over the one in its place.
    private static func laid(
        _ records: [DynamicRecord], over others: [DynamicRecord], path: SchemaPath
    ) -> [DynamicRecord] {
        let keys = path.keys
        if !keys.isEmpty {
            func key(_ record: DynamicRecord) -> [Value] { keys.map { record.value($0) ?? .null } }
            let known = Dictionary(others.map { (key($0), $0) }) { first, _ in first }
            return records.map { $0.over(known[key($0)], path) }
        }
        // In time that grows with the arrays: a message may bring long ones.
        let names = records.first?.fields.map(\.name) ?? []
        func content(_ record: DynamicRecord) -> [DynamicRecord.Content?] { names.map { record[$0] } }
        var equal = Dictionary(grouping: others.indices.reversed()) { content(others[$0]) }
        let places = records.map { equal[content($0)]?.popLast() }
        let used = Set(places.compactMap(\.self))
        return records.indices.map { index in
            if let place = places[index] { return records[index].over(others[place], path) }
            return records.count == others.count && !used.contains(index)
                ? records[index].over(others[index], path) : records[index]
        }
    }
}
