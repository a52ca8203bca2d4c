public import StorageAPI
public import StorageDriver
internal import StorageJSON

/// Appends records without types as comma-separated values (RFC 4180, with line feeds), or with another delimiter, to bytes: in the
/// form of the tool's exports, which its imports read again.
///
/// ```swift
/// let writer = CSVWriter()
/// var bytes: [UInt8] = []
/// writer.appendHeader(["id", "name"], to: &bytes)
/// for try await fields in store.records("Person").only(["id", "name"]).stream() {
///     writer.append(fields.map(\.content), to: &bytes)
/// }
/// ```
///
/// Nil is an empty field, and empty text is a pair of quotes. Owned records are JSON in their field.
public struct CSVWriter: Sendable {
    private let delimiter: UInt8
    /// The bytes that make quotes necessary wherever they stand.
    private let special: [Bool]
    /// True if numbers and truth values never need quotes.
    private let isOutsideNumbers: Bool

    /// A writer of comma-separated values.
    public init() { self.init(checked: CSVDialect.comma) }

    /// - Parameter delimiter: the byte between two values, one of ASCII: no quotation mark, and no line end.
    /// - Throws: `configuration` for any other byte, whose lines no reader would take apart as they were written.
    public init(delimiter: UInt8) throws(StorageError) { self.init(checked: try CSVDialect.checked(delimiter)) }

    /// - Parameter delimiter: a byte that ``CSVDialect`` has checked.
    package init(checked delimiter: UInt8) {
        self.delimiter = delimiter
        let isLetterOrDigit = Character(Unicode.Scalar(delimiter)).isLetter || (0x30...0x39).contains(delimiter)
        isOutsideNumbers = !isLetterOrDigit && !"+-.".utf8.contains(delimiter)
        special = (0...UInt8.max).map { [CSVDialect.mark, delimiter, 0x0A, 0x0D].contains($0) }
    }

    /// Appends a line of names.
    public func appendHeader(_ names: [String], to bytes: inout [UInt8]) {
        for (place, name) in names.enumerated() {
            if place > 0 { bytes.append(delimiter) }
            append(name, to: &bytes)
        }
        bytes.append(0x0A)
    }

    /// Appends a line of contents.
    public func append(_ contents: some Sequence<DynamicRecord.Content>, to bytes: inout [UInt8]) {
        let contents = Array(contents)
        append(contents.count, to: &bytes) { contents[$0] }
    }

    /// Appends a line of so many contents. Not generic: generic code of another module is slow.
    package func append(_ count: Int, to bytes: inout [UInt8], content: (Int) -> DynamicRecord.Content) {
        for place in 0..<count {
            if place > 0 { bytes.append(delimiter) }
            append(content(place), to: &bytes)
        }
        bytes.append(0x0A)
    }

    /// Appends a line of some cells of a row.
    package func append(
        _ cells: UnsafeBufferPointer<Cell>, _ columns: [CSVColumn], to bytes: inout [UInt8]
    ) {
        for (index, column) in columns.enumerated() {
            if index > 0 { bytes.append(delimiter) }
            let cell = cells[column.place]
            if cell.isNull || isOutsideNumbers && column.form.appendPlain(cell, to: &bytes) { continue }
            let isText: Void? = column.form.withText(of: cell) { append($0, to: &bytes) }
            if isText == nil { append(.value(cell.value, column.type), to: &bytes) }
        }
        bytes.append(0x0A)
    }

    private func append(_ content: DynamicRecord.Content, to bytes: inout [UInt8]) {
        if isOutsideNumbers, case .value(let value, let type) = content,
            ValueForm.append(value, type, to: &bytes, text: { append($0, to: &$1) })
        {
            return
        }
        if let text = RecordText.text(content) { append(text, to: &bytes) }
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0), to: &bytes) }
    }

    private func append(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        let needsQuotes = special.withUnsafeBufferPointer { special in
            var isSpecial = false
            for byte in text { isSpecial = isSpecial || special[Int(byte)] }
            return isSpecial
        }
        guard needsQuotes || text.isEmpty || text.first == 0x20 || text.last == 0x20 else {
            return bytes.append(contentsOf: text)
        }
        bytes.append(CSVDialect.mark)
        for byte in text {
            if byte == CSVDialect.mark { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(CSVDialect.mark)
    }
}

/// A column of rows that are whole records, as ``CSVWriter`` writes it.
package struct CSVColumn: Sendable {
    /// The index of the cell.
    let place: Int
    let type: ColumnType
    let form: CellForm

    /// The columns of properties, by their stored names.
    package static func named(_ names: [String], of columns: [FlatColumn]) -> [CSVColumn] {
        names.compactMap { name in
            columns.firstIndex { StoredName($0.name) == StoredName(name) }.map { place in
                CSVColumn(place: place, type: columns[place].type, form: CellForm(columns[place].type))
            }
        }
    }
}
