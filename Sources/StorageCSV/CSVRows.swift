package import StorageAPI
package import StorageDriver
package import StorageJSON

/// Writes records of delimited values straight into the rows of a model, which costs a tenth of making records of them first.
///
/// It reads the values that `RecordBuilder` reads, in the same way, and gives up on everything that this refuses, so that one
/// place names problems.
package struct CSVRows {
    private enum Kind { case text, integer, double, bool, date, other }

    /// A column of the model, and the rules of its values.
    package struct Target {
        let name: StoredName
        let type: ColumnType
        let isOptional: Bool
        let rules: JSONScalar.Rules
        /// The value in a record without the column; nil if it must not lack it.
        let initial: (@Sendable () throws -> Value)?

        package init(
            name: StoredName, type: ColumnType, isOptional: Bool, rules: JSONScalar.Rules,
            initial: (@Sendable () throws -> Value)? = nil
        ) {
            (self.name, self.type, self.isOptional, self.rules) = (name, type, isOptional, rules)
            self.initial = initial
        }
    }

    private struct Column {
        let kind: Kind
        let target: Target
        let range: ClosedRange<Int64>
        /// The number of its field in a record; nil if none exists.
        let field: Int?
    }

    private let columns: [Column]
    /// True if the records have no keys, so that the store assigns them.
    package let assignsKeys: Bool
    private let key: Int?

    /// Rows of a recorded model, whose key the store may assign.
    ///
    /// - Returns: nil for a header with a name that is no property, and for a header without a name that every record must have.
    package init?(
        _ flat: (columns: [FlatColumn], assigned: Int?), header: [String], rules: JSONScalar.Rules
    ) {
        let names = Set(flat.columns.map { StoredName($0.name) })
        guard header.allSatisfy({ names.contains(StoredName($0)) }) else { return nil }
        let targets = flat.columns.map {
            Target(name: StoredName($0.name), type: $0.type, isOptional: $0.isOptional, rules: rules)
        }
        self.init(targets, header: header, assigned: flat.assigned)
    }

    /// - Parameters:
    ///   - targets: the columns in the order of the row. Other columns of the header are passed over.
    ///   - assigned: the index of the column whose integers the caller assigns to records without it.
    package init?(_ targets: [Target], header: [String], assigned: Int? = nil) {
        var fields: [StoredName: Int] = [:]
        for (place, name) in header.enumerated() where fields[StoredName(name)] == nil {
            fields[StoredName(name)] = place
        }
        var columns: [Column] = []
        for (place, target) in targets.enumerated() {
            let field = fields[target.name]
            guard field != nil || target.isOptional || target.initial != nil || place == assigned else { return nil }
            let kind: Kind =
                switch target.type {
                case .string: .text
                case .double: .double
                case .bool: .bool
                case .date where target.rules.dates == nil || target.rules.dates == .iso8601: .date
                case .int64, .int32, .int16, .int8, .uint8, .uint16, .uint32: .integer
                default: .other
                }
            columns.append(
                Column(
                    kind: kind, target: target,
                    range: target.type == .int64 ? .min ... .max : target.type.range ?? 0...0, field: field))
        }
        self.columns = columns
        key = assigned.flatMap { columns[$0].field == nil ? $0 : nil }
        // Keys of a narrower type may run out, which the store finds.
        if let key, columns[key].target.type != .int64 { return nil }
        assignsKeys = key != nil
    }

    /// Writes one record.
    ///
    /// - Parameters:
    ///   - fields: where its fields are, in the header's order.
    ///   - isASCII: whether all of its bytes are.
    ///   - assigned: the key of a record without one.
    /// - Throws: `invalidValue` for a record that the builder has to look at.
    package func write(
        _ fields: ArraySlice<CSVReader.Field>, of reader: CSVReader, isASCII: Bool, key assigned: Int64,
        to row: inout RowWriter
    ) throws(StorageError) {
        for (place, column) in columns.enumerated() {
            guard let index = column.field else {
                if place == key { row.put(.int(assigned)) } else { try writeMissing(column.target, to: &row) }
                continue
            }
            let field = fields[fields.startIndex + index]
            guard field.count > 0 || field.isQuoted else {
                guard column.target.isOptional else { throw Self.unusual }
                row.put(.null)
                continue
            }
            try write(reader.bytes(of: field), field, column: column, isASCII: isASCII, to: &row)
        }
    }

    private func writeMissing(_ target: Target, to row: inout RowWriter) throws(StorageError) {
        guard let initial = target.initial else { return row.put(.null) }
        guard let value = try? initial(), let stored = value.stored(as: target.type),
            !stored.isNull || target.isOptional
        else { throw Self.unusual }
        row.write(stored)
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, _ field: CSVReader.Field, column: Column, isASCII: Bool,
        to row: inout RowWriter
    ) throws(StorageError) {
        switch column.kind {
        case .text where !field.hasEscapes:
            guard isASCII || String.isUTF8(bytes) else { throw Self.unusual }
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
        try writeOther(bytes, field, target: column.target, to: &row)
    }

    /// Writes a value as the builder reads it.
    private func writeOther(
        _ bytes: UnsafeRawBufferPointer, _ field: CSVReader.Field, target: Target, to row: inout RowWriter
    ) throws(StorageError) {
        guard var text = String(validating: bytes, as: UTF8.self) else { throw Self.unusual }
        if field.hasEscapes { text = text.replacing("\"\"", with: "\"") }
        do {
            let json = CSVSource.Field(text: text, isQuoted: field.isQuoted).value
            let value = try JSONScalar.value(json, target.type, rules: target.rules)
            guard let stored = value.stored(as: target.type), !stored.isNull else { throw Self.unusual }
            row.write(stored)
        } catch {
            throw Self.unusual
        }
    }

    private static let unusual = StorageError(.invalidValue, "The builder has to look at the record.")
}
