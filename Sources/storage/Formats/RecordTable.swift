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
    private var widths: [Int]?
    private static let batch = 1000

    init(_ columns: [RecordSchema.Property]) {
        self.columns = columns
        table = TextTable(columns.map { TextTable.Column($0.name.printable, $0.isNumber ? .right : .left) })
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        table.add(columns.enumerated().map { Self.text(fields.content($1.name, near: $0)) })
        waiting += 1
        if waiting == Self.batch { try print(&output) }
    }

    mutating func finish(_ output: inout Output) throws {
        if widths == nil || waiting > 0 { try print(&output) }
    }

    private mutating func print(_ output: inout Output) throws {
        let line = Terminal.isTerminal(.standardOutput) ? Terminal.columns : nil
        let wide = table.widths(fitting: line, least: widths)
        for line in table.lines(wide, hasTitles: widths == nil) { try output.line(line) }
        widths = wide
        table.removeAll()
        waiting = 0
    }

    private static func text(_ content: DynamicRecord.Content) -> String {
        switch content {
        case .value(.null, _), .child(nil), .children(nil): return "–"
        case .value(let value, let type): return ValueForm.text(value, type) ?? "–"
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
