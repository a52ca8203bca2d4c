import StorageAPI
import StorageJSON

/// Records as a table of Markdown, as GitHub has them. Owned records are JSON in their cell.
struct RecordMarkdown: RecordWriter {
    private let columns: [RecordSchema.Property]
    private var isFirst = true

    init(_ columns: [RecordSchema.Property]) { self.columns = columns }

    mutating func write(_ fields: [DynamicRecord.Field], to output: inout Output) throws {
        try writeHeader(&output)
        try line(columns.enumerated().map { RecordText.text(fields.content($1.name, near: $0)) ?? "" }, &output)
    }

    mutating func finish(_ output: inout Output) throws { try writeHeader(&output) }

    private mutating func writeHeader(_ output: inout Output) throws {
        guard isFirst else { return }
        isFirst = false
        try line(columns.map(\.name), &output)
        try output.line("|" + columns.map { $0.isNumber ? "---:|" : "---|" }.joined())
    }

    private func line(_ cells: [String], _ output: inout Output) throws {
        let escaped = cells.map { text in
            text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("\r\n", with: "<br>")
                .replacing("\n", with: "<br>").replacing("\r", with: "<br>")
        }
        try output.line("| " + escaped.joined(separator: " | ") + " |")
    }
}
