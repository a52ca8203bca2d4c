import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// Records as a table for people. Columns are as wide as the widest of the first thousand needs, and grow with each further
/// thousand.
struct RecordTable: RecordWriter {
    private let columns: [RecordSchema.Property]
    private var table: TextTable
    private var waiting = 0
    private var widths: [Int?]?
    private static let batch = 1000

    init(_ columns: [RecordSchema.Property]) {
        self.columns = columns
        let hasMarkedKey = columns.contains(where: \.isKey)
        table = TextTable(
            columns.map { column in
                let isKey = hasMarkedKey ? column.isKey : column.name == "id"
                return TextTable.Column(
                    column.name.printable, column.isNumber ? .right : .left, isWhole: column.isNumber || isKey)
            })
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        table.add(columns.enumerated().map { Self.text(fields.content($1.name, near: $0)) })
        waiting += 1
        if waiting == Self.batch { try print(&output) }
    }

    mutating func finish(_ output: inout Output) throws {
        if widths == nil || waiting > 0 { try print(&output) }
        let left = zip(columns, widths ?? []).compactMap { $1 == nil ? $0.name.printable : nil }
        if !left.isEmpty {
            try output.line(
                "Left out, as the line has no room: \(left.joined(separator: ", ")). --vertical prints all.")
        }
    }

    private mutating func print(_ output: inout Output) throws {
        let line = Terminal.isTerminal(.standardOutput) ? Terminal.columns : nil
        let wide = table.widths(fitting: line, least: widths)
        for line in table.lines(wide, hasTitles: widths == nil) { try output.line(line) }
        widths = wide
        table.removeAll()
        waiting = 0
    }

    /// A cell of one line.
    static func text(_ content: DynamicRecord.Content) -> String {
        switch content {
        case .value(.null, _), .child(nil), .children(nil): return "–"
        case .value(let value, let type):
            let text = ValueForm.text(value, type) ?? "–"
            return text.utf8.contains(0x0A) ? text.replacing("\r\n", with: "↵").replacing("\n", with: "↵") : text
        case .child(let child?):
            var bytes: [UInt8] = []
            JSONText.append(child, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        case .children(let children?): return children.count.counted("record")
        }
    }
}

extension RecordSchema.Property {
    var isNumber: Bool {
        if case .column(let type) = kind { type.row.computing != nil } else { false }
    }
}
