public import StorageAPI
public import StorageDriver

extension DynamicRecord: CustomStringConvertible {
    /// The record as an indented tree: its model and key, then a line for each property; owned records below theirs.
    ///
    /// ```text
    /// Person
    ///   id: 7
    ///   name: "Ann"
    ///   pens: 2
    ///     [0] color: "red"
    ///         price: 1.5
    /// ```
    public var description: String {
        var lines = [model]
        append(to: &lines, "  ")
        return lines.joined(separator: "\n")
    }

    private func append(to lines: inout [String], _ indent: String) {
        for field in fields {
            switch field.content {
            case .value(let value, let type):
                lines.append("\(indent)\(field.name): \(Self.text(value, type))")
            case .child(nil), .children(nil): lines.append("\(indent)\(field.name): nil")
            case .child(let child?):
                lines.append("\(indent)\(field.name):")
                child.append(to: &lines, indent + "  ")
            case .children(let children?):
                lines.append("\(indent)\(field.name): \(children.count)")
                for (index, child) in children.enumerated() {
                    let mark = "\(indent)  [\(index)] "
                    let start = lines.count
                    child.append(to: &lines, String(repeating: " ", count: mark.count))
                    if start < lines.count { lines[start] = mark + lines[start].dropFirst(mark.count) }
                }
            }
        }
    }

    /// Texts in quotes, bytes as their number, everything else as JSON writes it.
    private static func text(_ value: Value, _ type: ColumnType) -> String {
        switch (value, type) {
        case (.null, _): "nil"
        case (.blob(let bytes), .data): "\(bytes.count) bytes"
        default: ValueForm.json(value, type).text
        }
    }
}

extension Storable {
    /// The record as an indented tree, by the schema of its type; see `DynamicRecord/description`. Of a record that
    /// cannot be stored it is the reason.
    public var tree: String {
        do throws(StorageError) {
            return try ModelRows<Self>().records([self]).first?.description ?? ""
        } catch {
            return "\(error)"
        }
    }
}

extension Select where Source == Store {
    /// The records as a table for a debugger or a log, at most 100 of them: a line of names, then a line each. Owned
    /// records are their number. Wider cells than 40 characters are cut.
    ///
    /// ```swift
    /// print(try await store.select(Person.self).where { $0.age > 30 }.table())
    /// ```
    public nonisolated(nonsending) func table() async throws(StorageError) -> String {
        let models = try await limit(Swift.min(selection.limit ?? 100, 100)).all()
        guard !models.isEmpty else { return "No records." }
        let records: [DynamicRecord]
        if let dynamic = models as? [DynamicRecord] {
            records = dynamic
        } else {
            records = try ModelRows<Model>().records(models)
        }
        return Self.table(records)
    }

    private static func table(_ records: [DynamicRecord]) -> String {
        let names = records.first?.fields.map(\.name) ?? []
        let rows = [names] + records.map { record in record.fields.map { cell($0.content) } }
        let widths = names.indices.map { column in
            rows.map { $0.indices.contains(column) ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }.joined(separator: "  ")
        }
        lines.insert(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  "), at: 1)
        return lines.joined(separator: "\n")
    }

    private static func cell(_ content: DynamicRecord.Content) -> String {
        let text =
            switch content {
            case .value(.null, _), .child(nil), .children(nil): "nil"
            case .value(.blob(let bytes), .data): "\(bytes.count) bytes"
            case .value(let value, let type): ValueForm.text(value, type) ?? "nil"
            case .child: "1 record"
            case .children(let children?): children.count == 1 ? "1 record" : "\(children.count) records"
            }
        let line = text.replacing("\n", with: " ")
        return line.count > 40 ? line.prefix(39) + "…" : line
    }
}
