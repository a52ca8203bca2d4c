import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

/// Groups as bars: a line for each, as long as its last number.
struct RecordChart: RecordWriter {
    private let columns: [RecordSchema.Property]
    /// The number of columns that name a group. Those after them are numbers.
    private let keys: Int
    private var bars: [Bar] = []

    private struct Bar {
        let label: String
        let value: String
        let amount: Double
    }

    /// The most characters of a group's name.
    private static let widest = 30

    init(_ columns: [RecordSchema.Property], keys: Int) { (self.columns, self.keys) = (columns, keys) }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        let texts = columns.enumerated().map { place, column in
            guard case .value(let value, let type) = fields.content(column.name, near: place) else { return "–" }
            return (ValueForm.text(value, type) ?? "–").printable
        }
        // The count comes before what is asked for by name.
        guard texts.count > keys, let value = texts.last else { return }
        bars.append(
            Bar(
                label: texts.prefix(keys).joined(separator: ", ").cut(to: Self.widest), value: value,
                amount: Double(value).flatMap { $0.isFinite ? $0 : nil } ?? 0))
    }

    func finish(_ output: inout Output) throws {
        let width = Terminal.isTerminal(.standardOutput) ? Terminal.columns : 80
        let label = bars.map(\.label.displayWidth).max() ?? 0
        let value = bars.map(\.value.displayWidth).max() ?? 0
        let room = max(width - label - value - 4, 8)
        let most = bars.map(\.amount.magnitude).max() ?? 0
        for bar in bars {
            let length = most > 0 ? bar.amount.magnitude / most * Double(room) : 0
            let drawn = Self.drawn(length, isNegative: bar.amount < 0)
            try output.line("\(bar.label.padded(to: label))  \(bar.value.padded(to: value, .right))  \(drawn)")
        }
    }

    /// A bar in eighths of a cell, which the block characters have. One of a negative number is drawn as a shade.
    private static func drawn(_ length: Double, isNegative: Bool) -> String {
        let eighths = Int((length * 8).rounded())
        guard !isNegative else { return String(repeating: "░", count: max(eighths / 8, 1)) }
        let rest = eighths % 8 == 0 ? "" : String(["▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8 - 1])
        return String(repeating: "█", count: eighths / 8) + rest
    }
}
