import StorageAPI

/// What the records of an input consist of, as a table.
struct SchemaReport {
    private let schema: RecordSchema
    private let count: Int
    private var table = TextTable("Property", "Type", "")

    init(_ schema: RecordSchema, count: Int) {
        self.schema = schema
        self.count = count
        add(schema, indent: "")
    }

    func print() {
        Swift.print("\(schema.name): \(count.grouped) records, whose properties are taken to be".printable)
        Swift.print("")
        for line in table.lines { Swift.print(line) }
        Swift.print("")
    }

    private mutating func add(_ schema: RecordSchema, indent: String) {
        for property in schema.properties {
            var marks: [String] = []
            if property.isKey { marks.append(schema.assignsKeys ? "key, assigned" : "key") }
            if property.isOptional, !property.isKey { marks.append("optional") }
            let (type, owned) = Self.described(property.kind)
            table.add(indent + property.name, type, marks.joined(separator: ", "))
            if let owned { add(owned, indent: indent + "  ") }
        }
    }

    private static func described(_ kind: RecordSchema.Kind) -> (String, RecordSchema?) {
        switch kind {
        case .column(let type): ("\(type)", nil)
        case .child(let schema): ("owned record", schema)
        case .children(let schema): ("owned records", schema)
        case .ancestor(let name, let isMany): (isMany ? "owned records as \(name)" : "owned record as \(name)", nil)
        }
    }
}
