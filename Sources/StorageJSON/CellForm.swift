package import StorageAPI
package import StorageDriver

/// The way in which the cells of a column become text, without a value made of each. ``ValueForm`` writes the same text.
package enum CellForm: Sendable {
    case bool, integer, double, decimal, date, text
    /// ``ValueForm`` writes its values.
    case other

    package init(_ type: ColumnType) {
        self =
            switch type {
            case .bool: .bool
            case .int64, .int32, .int16, .int8, .uint8, .uint16, .uint32: .integer
            case .double: .double
            case .decimal: .decimal
            case .date: .date
            case .string: .text
            default: .other
            }
    }

    /// Appends a truth value or a finite number, which JSON writes without quotes. Returns false, without appending, for any other
    /// cell.
    package func appendPlain(_ cell: Cell, to bytes: inout [UInt8]) -> Bool {
        switch (self, cell.tag) {
        case (.bool, .int): bytes += cell.int == 0 ? "false".utf8 : "true".utf8
        case (.integer, .int): ValueForm.append(cell.int, to: &bytes)
        case (.double, .double):
            guard cell.double.isFinite else { return false }
            bytes += cell.double.description.utf8
        case (.decimal, .text):
            guard SmallDecimal(cell.bytes) != nil else { return false }
            bytes.append(contentsOf: cell.bytes)
        default: return false
        }
        return true
    }

    /// Calls the closure with the text of a date in whole seconds, or of a text; returns nil, without a call, for any other cell.
    package func withText<R>(of cell: Cell, _ body: (UnsafeRawBufferPointer) -> R) -> R? {
        switch (self, cell.tag) {
        case (.text, .text): body(cell.bytes)
        case (.date, .double): DateText.withWholeText(cell.double, body)
        default: nil
        }
    }
}

/// Writes rows that are whole records as JSON objects.
package struct JSONRowWriter: Sendable {
    private struct Column: Sendable {
        /// The index of the cell.
        let place: Int
        /// The brace or comma before the value, and the name.
        let start: [UInt8]
        let type: ColumnType
        let form: CellForm
    }

    private let columns: [Column]

    /// - Parameters:
    ///   - names: the stored names of the properties to write, in order.
    ///   - columns: the columns of the rows. A name that none has is left out.
    package init(_ names: [String], of columns: [FlatColumn]) {
        var found: [Column] = []
        for name in names {
            guard let place = columns.firstIndex(where: { StoredName($0.name) == StoredName(name) }) else { continue }
            var start = [found.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ",")]
            JSONText.append(name, to: &start)
            start.append(UInt8(ascii: ":"))
            let type = columns[place].type
            found.append(Column(place: place, start: start, type: type, form: CellForm(type)))
        }
        self.columns = found
    }

    /// Appends a row.
    package func append(_ cells: UnsafeBufferPointer<Cell>, to bytes: inout [UInt8]) {
        if columns.isEmpty { bytes.append(UInt8(ascii: "{")) }
        for column in columns {
            bytes += column.start
            let cell = cells[column.place]
            if column.form.appendPlain(cell, to: &bytes) { continue }
            let isText: Void? = column.form.withText(of: cell) { text in
                bytes.append(UInt8(ascii: "\""))
                JSONFormat.escape(text, escapesDelete: true) { bytes.append(contentsOf: $0) }
                bytes.append(UInt8(ascii: "\""))
            }
            if isText == nil { ValueForm.append(cell.value, column.type, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
