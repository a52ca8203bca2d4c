import StorageAPI
import TerminalOutput

/// Records with a line for each property, and an empty line between two.
struct RecordVertical: RecordWriter {
    private let names: [String]
    private let width: Int
    private var isFirst = true

    init(_ columns: [RecordSchema.Property]) {
        names = columns.map(\.name)
        width = names.map(\.printable.displayWidth).max() ?? 0
    }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        if !isFirst { try output.line("") }
        isFirst = false
        for (place, name) in names.enumerated() {
            let text = RecordTable.text(fields.content(name, near: place)).printable
            try output.line("\(name.printable.padded(to: width, .right)) = \(text)")
        }
    }

    func finish(_ output: inout Output) throws {}
}
