import StorageAPI
import StorageDriver
import StorageJSON
import TerminalOutput

extension PropertyStatistics {
    /// Longer texts are cut; numbers and dates never are.
    private static let width = 60
    /// The longest bar of a histogram.
    private static let bar = 32

    /// The statistics for a person.
    var lines: [String] {
        let kind = property.type.map(\.description) ?? "owned records"
        let title = Terminal.bold(property.title.printable) + "  \(kind)"
        return [title, counts] + [extremes, length].compactMap(\.self) + histogramLines + frequentLines
    }

    private var counts: String {
        let numbers = [
            "\(values.grouped) \(values == 1 ? "value" : "values")", "\(nils.grouped) nil",
            distinct.map { "\($0.grouped) distinct" },
        ]
        return "  " + numbers.compactMap(\.self).joined(separator: ", ")
    }

    private var extremes: String? {
        let numbers = [("min", least), ("max", greatest), ("mean", mean), ("sum", sum)].compactMap { name, number in
            number.map { "\(name) \(Self.text($0.value, $0.type))" }
        }
        guard !numbers.isEmpty else { return nil }
        let missing = mean != nil && sum == nil ? "  sum beyond \(type)" : ""
        return "  " + numbers.joined(separator: "  ") + missing
    }

    private var length: String? {
        lengths.map { lengths in
            let noun = type == .string || type == .url ? "character" : "element"
            return lengths.lowerBound == lengths.upperBound
                ? "  \(lengths.lowerBound.counted(noun))"
                : "  \(lengths.lowerBound.grouped) to \(lengths.upperBound.counted(noun))"
        }
    }

    private var histogramLines: [String] {
        guard let histogram else { return [] }
        let titles = histogram.titles
        let widths = (from: titles.map(\.count).max() ?? 0, count: histogram.counts.map(\.grouped.count).max() ?? 0)
        let most = Double(max(histogram.counts.max() ?? 1, 1))
        return histogram.counts.indices.map { part in
            let count = histogram.counts[part]
            let length = Int((Double(count) / most * Double(Self.bar)).rounded(.up))
            let bounds =
                "\(titles[part].padded(to: widths.from, .right)) – \(titles[part + 1].padded(to: widths.from, .right))"
            let bar = length > 0 ? "  " + String(repeating: "█", count: length) : ""
            return "  \(bounds)  \(count.grouped.padded(to: widths.count, .right))\(bar)"
        }
    }

    private var frequentLines: [String] {
        let shown = histogram == nil || frequent.contains { $0.count > 1 } ? frequent : []
        guard !property.isDistinct, shown.contains(where: { $0.count > 1 }) else { return [] }
        let width = shown.map(\.count.grouped.count).max() ?? 0
        return shown.map { value, count in
            "  \(count.grouped.padded(to: width, .right)) × \(Self.text(value, type))"
        }
    }

    private static func text(_ value: Value, _ type: ColumnType) -> String {
        let text = ValueForm.text(value, type) ?? "–"
        return type == .string || type == .url ? text.printable.cut(to: width) : text
    }

    // MARK: JSON

    func appendObject(to bytes: inout [UInt8]) {
        bytes += "{\"name\":".utf8
        JSONText.append(property.title, to: &bytes)
        bytes += ",\"type\":".utf8
        JSONText.append(property.type.map(\.description) ?? "records", to: &bytes)
        bytes += ",\"values\":\(values),\"nil\":\(nils)".utf8
        if let distinct { bytes += ",\"distinct\":\(distinct)".utf8 }
        for (name, number) in [("min", least), ("max", greatest), ("mean", mean), ("sum", sum)] {
            guard let number else { continue }
            bytes += ",\"\(name)\":".utf8
            ValueForm.append(number.value, number.type, to: &bytes)
        }
        if let lengths { bytes += ",\"length\":[\(lengths.lowerBound),\(lengths.upperBound)]".utf8 }
        if distinct != nil, !property.isDistinct {
            bytes += ",\"frequent\":".utf8
            JSONText.append(frequent, open: "[", close: "]", to: &bytes) { entry, bytes in
                bytes += "{\"value\":".utf8
                ValueForm.append(entry.value, type, to: &bytes)
                bytes += ",\"count\":\(entry.count)}".utf8
            }
        }
        if let histogram {
            bytes += ",\"histogram\":".utf8
            JSONText.append(histogram.counts.indices, open: "[", close: "]", to: &bytes) { part, bytes in
                bytes.append(UInt8(ascii: "{"))
                histogram.appendBounds(part, to: &bytes)
                bytes += ",\"count\":\(histogram.counts[part])}".utf8
            }
        }
        bytes.append(UInt8(ascii: "}"))
    }
}
