import StorageAPI
import StorageDriver
import StorageJSON
import StorageSearch
import TerminalOutput

/// The records of a search for people: the key and the relevance of each, and below them the parts of its texts.
struct SearchList {
    let schema: RecordSchema
    /// The properties to print besides.
    let columns: [RecordSchema.Property]

    func write(_ hits: [SearchedRecord], to output: inout Output) throws {
        if hits.isEmpty { try output.line("No record has these words.") }
        let names = columns.map(\.name) + hits.flatMap { $0.excerpts.map(\.property) }
        let width = names.map(\.printable.displayWidth).max() ?? 0
        for (place, hit) in hits.enumerated() {
            if place > 0 { try output.line("") }
            let key = schema.keyProperties.enumerated().map {
                RecordTable.text(hit.key.fields.content($1.name, near: $0))
            }
            let title = Terminal.bold(key.joined(separator: ", ").printable)
            try output.line("\(title)  \(Terminal.dim(hit.relevance.fixed(2)))")
            for (number, column) in columns.enumerated() {
                let text = RecordTable.text(hit.record.fields.content(column.name, near: number)).printable
                try output.line("  \(column.name.printable.padded(to: width))  \(text)")
            }
            for excerpt in hit.excerpts {
                try output.line(
                    "  \(Terminal.dim(excerpt.property.printable.padded(to: width)))  \(excerpt.highlighted)")
            }
        }
    }
}

extension SearchedTexts.Excerpt {
    /// The text on one line, without control characters, and with its words highlighted on a terminal.
    fileprivate var highlighted: String {
        pieces.map { piece in
            let lines = piece.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            let text = lines.joined(separator: " ").printable
            return piece.isHighlighted ? Terminal.highlighted(text) : text
        }.joined()
    }
}

/// The records of a search as an array of JSON objects.
struct SearchJSON {
    /// The properties of each record; nil for all.
    let columns: [RecordSchema.Property]?

    func write(_ hits: [SearchedRecord], to output: inout Output) throws {
        for (place, hit) in hits.enumerated() {
            try output.write { bytes in
                bytes += (place == 0 ? "[\n" : ",\n").utf8
                append(hit, to: &bytes)
            }
        }
        try output.line(hits.isEmpty ? "[]" : "\n]")
    }

    private func append(_ hit: SearchedRecord, to bytes: inout [UInt8]) {
        bytes += "{\"relevance\":\(hit.relevance),\"excerpts\":".utf8
        JSONText.append(hit.excerpts, open: "[", close: "]", to: &bytes) { excerpt, bytes in
            bytes += "{\"property\":".utf8
            JSONText.append(excerpt.property, to: &bytes)
            bytes += ",\"text\":".utf8
            JSONText.append(excerpt.content.text, to: &bytes)
            bytes += ",\"highlights\":".utf8
            let scalars = excerpt.content.text.unicodeScalars
            JSONText.append(excerpt.content.highlights, open: "[", close: "]", to: &bytes) { range, bytes in
                let start = scalars.distance(from: scalars.startIndex, to: range.lowerBound)
                bytes += "[\(start),\(start + scalars.distance(from: range.lowerBound, to: range.upperBound))]".utf8
            }
            bytes.append(UInt8(ascii: "}"))
        }
        bytes += ",\"record\":".utf8
        let record = hit.record
        if let columns {
            let fields = columns.enumerated().map {
                DynamicRecord.Field(name: $1.name, content: record.fields.content($1.name, near: $0))
            }
            JSONText.append(DynamicRecord(model: record.model, fields: fields), to: &bytes)
        } else {
            JSONText.append(record, to: &bytes)
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
