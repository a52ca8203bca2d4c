import StorageAPI
import StorageCSV
import StorageDriver
import StorageJSON
import TerminalOutput

/// A new type of a property to which the store converts no values, such as numbers of texts: each value is read as one of
/// comma-separated values would be.
struct TypeConversion: Sendable {
    let schema: RecordSchema
    private let place: Int
    private let old: ColumnType
    private let new: ColumnType

    /// Records that are written at once.
    private static let batch = 512

    /// - Returns: nil where the store converts the values itself, and for a property of owned records.
    init?(_ path: String, to new: ColumnType, of schema: RecordSchema) {
        guard let place = schema.properties.firstIndex(where: { $0.storedName == StoredName(path) }),
            case .column(let old) = schema.properties[place].kind, !ValueConversion.exists(from: old, to: new)
        else { return nil }
        (self.schema, self.place, self.old, self.new) = (schema, place, old, new)
    }

    private var property: RecordSchema.Property { schema.properties[place] }

    /// A description of the conversion.
    func line(rows: Int) -> String {
        "\(Terminal.bold(schema.name.printable)): values of \(property.name.printable) converted from \(old) to \(new), "
            + "\(rows.counted("row")) written anew"
    }

    /// The values as they will be, by keys.
    ///
    /// - Throws: for a value that has none.
    func values(in records: Select<DynamicRecord, Store.Session>) throws -> [(key: [Value], value: Value)] {
        let keys = schema.keyProperties.map(\.name)
        var input = RecordBuilder.Input()
        input.isUntyped = true
        input.numericDateHint = "export the records, and import them with --dates"
        var values: [(key: [Value], value: Value)] = []
        var bad: (key: [Value], problem: String)?
        var badCount = 0
        try records.forEach(computing: (keys + [property.name]).map { "`\($0)`" }) { _, row in
            let key = Array(row.dropLast())
            do throws(RecordProblem) {
                values.append((key, try convert(row.last ?? .null, input)))
            } catch {
                if bad == nil { bad = (key, error.message) }
                badCount += 1
            }
            return true
        }
        if let bad {
            let others = badCount > 1 ? " So are \((badCount - 1).counted("other value"))." : ""
            throw ToolError(
                "\(schema.name), key \(bad.key.keyText): \(property.name) \(bad.problem)\(others) "
                    + "Nothing was changed.")
        }
        return values
    }

    private func convert(_ value: Value, _ input: RecordBuilder.Input) throws(RecordProblem) -> Value {
        guard let text = ValueForm.text(value, old) else { return .null }
        return try JSONScalar.value(CSVSource.Field(text: text, isQuoted: true).value, new, rules: input.rules)
    }

    /// Gives the property its new type. Its former values are kept, as those of a property that is dropped.
    func run(in transaction: inout Store.Transaction) throws {
        let values = try values(in: transaction.records(schema.name))
        var (changed, former) = (property, property.name + "_\(old)")
        while schema.properties.contains(where: { $0.storedName == StoredName(former) }) { former += "_" }
        changed.kind = .column(new)
        // Renamed first, so that its name is free.
        var steps = schema
        (steps.properties[place].name, steps.properties[place].renamedFrom) = (former, property.name)
        try transaction.migrate(to: [steps])
        steps.properties[place].renamedFrom = nil
        var added = RecordSchema.Property(name: property.name, kind: .column(new), isOptional: true)
        steps.properties.append(added)
        try transaction.migrate(to: [steps])
        added = changed
        for start in stride(from: 0, to: values.count, by: Self.batch) {
            try write(values[start...].prefix(Self.batch), in: &transaction)
        }
        steps.properties[steps.properties.count - 1] = added
        steps.properties.remove(at: place)
        try transaction.migrate(to: [steps])
    }

    private func write(
        _ values: ArraySlice<(key: [Value], value: Value)>, in transaction: inout Store.Transaction
    ) throws {
        let found = try transaction.records(schema.name).find(keys: values.map(\.key))
        var records: [DynamicRecord] = []
        for (record, value) in zip(found, values) {
            guard var record, let field = record.fields.firstIndex(where: { $0.storedName == property.storedName })
            else {
                continue
            }
            record.fields[field].content = .value(value.value, new)
            records.append(record)
        }
        try transaction.save(records)
    }
}
