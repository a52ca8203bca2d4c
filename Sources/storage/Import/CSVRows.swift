import StorageAPI
import StorageDriver
import StorageJSON

/// Writes records of delimited values straight into the rows of a model, which costs a tenth of making records of them first.
///
/// It reads what `RecordBuilder` reads alike, and gives up on everything that this refuses, so that there is one place that
/// names problems.
struct CSVRows {
    private enum Kind { case text, integer, double, bool, date, other }

    private struct Column {
        let kind: Kind
        let flat: FlatColumn
        let range: ClosedRange<Int64>
        /// The number of its field in a record; nil if none exists.
        let field: Int?
    }

    private let columns: [Column]
    private let input: RecordBuilder.Input
    /// True if the records have no keys, so that the store assigns them.
    let assignsKeys: Bool
    private let key: Int?

    /// - Returns: nil for a header with a name that is no property, and without one that every record must have.
    init?(_ flat: (columns: [FlatColumn], assigned: Int?), header: [String], _ input: RecordBuilder.Input) {
        guard header.allSatisfy({ name in flat.columns.contains { StoredName($0.name) == StoredName(name) } }) else {
            return nil
        }
        self.input = input
        var columns: [Column] = []
        for (place, column) in flat.columns.enumerated() {
            let field = header.firstIndex { StoredName($0) == StoredName(column.name) }
            guard field != nil || column.isOptional || place == flat.assigned else { return nil }
            let kind: Kind =
                switch column.type {
                case .string: .text
                case .double: .double
                case .bool: .bool
                case .date where input.dates == nil || input.dates == .iso8601: .date
                case .int64, .int32, .int16, .int8, .uint8, .uint16, .uint32: .integer
                default: .other
                }
            columns.append(
                Column(
                    kind: kind, flat: column, range: column.type == .int64 ? .min ... .max : column.type.range ?? 0...0,
                    field: field))
        }
        self.columns = columns
        key = flat.assigned.flatMap { columns[$0].field == nil ? $0 : nil }
        // Keys of a narrower type may run out, which the store finds.
        if let key, columns[key].flat.type != .int64 { return nil }
        assignsKeys = key != nil
    }

    /// Writes one record.
    ///
    /// - Parameters:
    ///   - fields: where its fields are, in the header's order.
    ///   - isASCII: whether all of its bytes are.
    /// - Throws: `invalidValue` for what the builder has to look at.
    func write(
        _ fields: ArraySlice<CSVReader.Field>, of reader: CSVReader, isASCII: Bool, key assigned: Int64,
        to row: inout RowWriter
    ) throws(StorageError) {
        for (place, column) in columns.enumerated() {
            guard let index = column.field else {
                row.put(place == key ? .int(assigned) : .null)
                continue
            }
            let field = fields[fields.startIndex + index]
            guard field.count > 0 || field.isQuoted else {
                guard column.flat.isOptional else { throw Self.unusual }
                row.put(.null)
                continue
            }
            try write(reader.bytes(of: field), field, column: column, isASCII: isASCII, to: &row)
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ field: CSVReader.Field, column: Column, isASCII: Bool,
        to row: inout RowWriter
    ) throws(StorageError) {
        switch column.kind {
        case .text where !field.hasEscapes:
            guard isASCII || TextBytes.isText(bytes) else { throw Self.unusual }
            return row.put(bytes, as: .text)
        case .integer:
            if case .integer = NumberBytes.form(bytes), case (let number, 0)? = NumberBytes.decimal(bytes),
                column.range.contains(number)
            {
                return row.put(.int(number))
            }
        case .double:
            switch NumberBytes.form(bytes) {
            case .integer, .fraction: if let number = NumberBytes.double(bytes) { return row.put(.double(number)) }
            case .other: break
            }
        case .bool:
            if bytes.elementsEqual("true".utf8) { return row.put(.int(1)) }
            if bytes.elementsEqual("false".utf8) { return row.put(.int(0)) }
        case .date: if let seconds = DateText.seconds(bytes) { return row.put(.double(seconds)) }
        case .text, .other: break
        }
        try writeOther(bytes, field, column: column, to: &row)
    }

    /// Writes a value as the builder reads it.
    private func writeOther(
        _ bytes: UnsafeRawBufferPointer, _ field: CSVReader.Field, column: Column, to row: inout RowWriter
    ) throws(StorageError) {
        guard var text = String(validating: bytes, as: UTF8.self) else { throw Self.unusual }
        if field.hasEscapes { text = text.replacing("\"\"", with: "\"") }
        do {
            let json = CSVSource.Field(text: text, isQuoted: field.isQuoted).value
            let value = try JSONScalar.value(json, column.flat.type, rules: input.rules)
            guard let stored = value.stored(as: column.flat.type), !stored.isNull else { throw Self.unusual }
            row.write(stored)
        } catch {
            throw Self.unusual
        }
    }

    private static let unusual = StorageError(.invalidValue, "The builder has to look at the record.")
}
