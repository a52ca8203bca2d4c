package import StorageAPI
package import StorageDriver

/// Writes JSON objects straight into the rows of a recorded model whose records are one row each.
///
/// It reads the values that `RecordBuilder` reads, in the same way, and gives up on everything that this refuses, so that one
/// place names problems. Used by one thread.
package final class JSONFlatRows {
    private enum Kind { case text, integer, double, bool, date, other }

    private struct Column {
        let name: [UInt8]
        let kind: Kind
        let type: ColumnType
        let isOptional: Bool
        let range: ClosedRange<Int64>
    }

    private let columns: [Column]
    private let rules: JSONScalar.Rules
    private let assigned: Int?
    private let scan = JSONObjectScan()
    /// The member that is each column's, in the object that is read.
    private var found: [Int?]

    package init(_ flat: (columns: [FlatColumn], assigned: Int?), rules: JSONScalar.Rules) {
        columns = flat.columns.map { column in
            let kind: Kind =
                switch column.type {
                case .string: .text
                case .double: .double
                case .bool: .bool
                case .date where rules.dates == nil || rules.dates == .iso8601: .date
                case .int64, .int32, .int16, .int8, .uint8, .uint16, .uint32: .integer
                default: .other
                }
            return Column(
                name: Array(column.name.utf8), kind: kind, type: column.type, isOptional: column.isOptional,
                range: column.type == .int64 ? .min ... .max : column.type.range ?? 0...0)
        }
        self.rules = rules
        assigned = flat.assigned
        found = Array(repeating: nil, count: columns.count)
    }

    /// Writes one record.
    ///
    /// - Parameter bytes: an object, and white space around it.
    /// - Throws: `invalidValue` for a record that the builder has to look at.
    package func write(_ bytes: UnsafeRawBufferPointer, to row: inout RowWriter) throws(StorageError) {
        guard scan.read(bytes) else { throw Self.unusual }
        // Local variables, since each access to a property of a class is checked at run time.
        let members = scan.members
        var found: [Int?] = []
        swap(&found, &self.found)
        defer { swap(&found, &self.found) }
        for index in found.indices { found[index] = nil }
        var expected = 0
        for (index, member) in members.enumerated() {
            guard let place = place(of: bytes, member.name, near: expected), found[place] == nil else {
                throw Self.unusual
            }
            found[place] = index
            expected = place + 1
        }
        for (place, column) in columns.enumerated() {
            guard let index = found[place] else {
                // A key that the store assigns is the builder's.
                guard column.isOptional, place != assigned else { throw Self.unusual }
                row.put(.null)
                continue
            }
            try write(members[index], of: bytes, column: column, to: &row)
        }
    }

    /// The column with a name. Members usually come in the order of the columns.
    private func place(of bytes: UnsafeRawBufferPointer, _ name: Range<Int>, near expected: Int) -> Int? {
        func isName(_ column: Column) -> Bool {
            guard column.name.count == name.count else { return false }
            var index = name.lowerBound
            for byte in column.name {
                guard byte == bytes[index] else { return false }
                index += 1
            }
            return true
        }
        if expected < columns.count, isName(columns[expected]) { return expected }
        return columns.firstIndex(where: isName)
    }

    private func write(
        _ member: JSONObjectScan.Member, of bytes: UnsafeRawBufferPointer, column: Column, to row: inout RowWriter
    ) throws(StorageError) {
        let value = UnsafeRawBufferPointer(rebasing: bytes[member.value])
        let first = value[0]
        let isNumber = first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10
        switch column.kind {
        case .text: if let text = member.text(in: bytes) { return row.put(text, as: .text) }
        case .integer where isNumber:
            if case (let number, 0)? = NumberBytes.decimal(value), column.range.contains(number) {
                return row.put(.int(number))
            }
        case .double where isNumber: if let number = NumberBytes.double(value) { return row.put(.double(number)) }
        case .bool where value.count == 4 && first == UInt8(ascii: "t"): return row.put(.int(1))
        case .bool where value.count == 5: if first == UInt8(ascii: "f") { return row.put(.int(0)) }
        case .date:
            if let text = member.text(in: bytes), let seconds = DateText.seconds(text) {
                return row.put(.double(seconds))
            }
        case .integer, .double, .bool, .other: break
        }
        if first == UInt8(ascii: "n") {
            guard column.isOptional else { throw Self.unusual }
            return row.put(.null)
        }
        do {
            let value = try JSONScalar.value(try JSONParser.parse(value), column.type, rules: rules)
            guard let stored = value.stored(as: column.type), !stored.isNull else { throw Self.unusual }
            row.write(stored)
        } catch {
            throw Self.unusual
        }
    }

    private static let unusual = StorageError(.invalidValue, "The builder has to look at the record.")
}
