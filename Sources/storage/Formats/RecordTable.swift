import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// Records as a table for people. Columns are as wide as the widest of the first thousand needs, and grow with each further
/// thousand.
struct RecordTable: RecordWriter {
    private let columns: [RecordSchema.Property]
    private var table: TextTable
    /// The cells of the rows that are not printed yet.
    private var waiting: [[String]] = []
    private var widths: [Int?]?
    private static let batch = 1000

    init(_ columns: [RecordSchema.Property]) {
        self.columns = columns
        let hasMarkedKey = columns.contains(where: \.isKey)
        table = TextTable(
            columns.map { column in
                let isKey = hasMarkedKey ? column.isKey : column.name == "id"
                return TextTable.Column(
                    column.name.printable, column.isNumber ? .right : .left, isWhole: column.isWhole || isKey)
            })
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        waiting.append(columns.enumerated().map { Self.text(fields.content($1.name, near: $0)) })
        if waiting.count == Self.batch { try print(&output) }
    }

    mutating func finish(_ output: inout Output) throws {
        if widths == nil || !waiting.isEmpty { try print(&output) }
        let left = zip(columns, widths ?? []).compactMap { $1 == nil ? $0.name.printable : nil }
        if !left.isEmpty {
            try output.line(
                "Left out, as the line has no room: \(left.joined(separator: ", ")). --vertical prints all.")
        }
    }

    private mutating func print(_ output: inout Output) throws {
        for (place, column) in columns.enumerated() where column.kind == .column(.date) { shortenDays(place) }
        for row in waiting { table.add(row) }
        let line = Terminal.isTerminal(.standardOutput) ? Terminal.columns : nil
        let wide = table.widths(fitting: line, least: widths)
        for line in table.lines(wide, hasTitles: widths == nil) { try output.line(line) }
        widths = wide
        table.removeAll()
        waiting.removeAll(keepingCapacity: true)
    }

    /// Leaves the times of a column out if all are midnight.
    private mutating func shortenDays(_ place: Int) {
        let midnight = "T00:00:00Z"
        guard waiting.allSatisfy({ $0[place].hasSuffix(midnight) || $0[place] == Self.none }) else { return }
        for row in waiting.indices where waiting[row][place] != Self.none {
            waiting[row][place].removeLast(midnight.count)
        }
    }

    private static let none = "–"

    /// A cell of one line.
    static func text(_ content: DynamicRecord.Content) -> String {
        switch content {
        case .value(.null, _), .child(nil), .children(nil): return none
        case .value(let value, let type):
            let text = ValueForm.text(value, type) ?? none
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

    /// True if a part of a value says something else than the value: a number, a date, a truth value or a UUID.
    fileprivate var isWhole: Bool { isNumber || [.column(.date), .column(.bool), .column(.uuid)].contains(kind) }
}
