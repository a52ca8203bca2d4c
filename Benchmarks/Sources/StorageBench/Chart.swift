import Foundation

/// The table as bars: for each case the time of every way as a multiple of the toolkit's, on a logarithmic scale.
struct Chart {
    private let report: Report
    private let records: Int
    private let ways: [String]
    private let works: [Work]

    private static let colors = [
        "#4c78a8", "#9ecae9", "#b5473c", "#e08a3c", "#f2cf6b", "#6a9f58", "#8cb369", "#b6c9a6",
    ]
    private static let (left, right, top, bar, gap) = (230.0, 120.0, 60.0, 9.0, 10.0)
    private static let width = 960.0

    init(_ report: Report) {
        self.report = report
        // Of several sizes the one that all ways were measured at.
        let sizes = report.measurements.map(\.records).uniqued
        records =
            sizes.max { left, right in
                let count = { size in Set(report.measurements.filter { $0.records == size }.map(\.way)).count }
                return (count(left), left) < (count(right), right)
            } ?? 0
        let shown = report.measurements.filter { [records] in $0.records == records }
        ways = shown.map(\.way).uniqued.filter { $0 != "toolkit" }
        works = Work.allCases.filter { work in shown.contains { $0.work == work } }
    }

    private struct Bar {
        let way: String
        let ratio: Double
    }

    private func bars(_ work: Work) -> [Bar] {
        guard let own = report.measurement(work, records, "toolkit") else { return [] }
        return ways.compactMap { way in
            report.measurement(work, records, way).map { Bar(way: way, ratio: $0.median / own.median) }
        }
    }

    private var minimumRatio: Double { min(0.4, works.flatMap(bars).map(\.ratio).min() ?? 0.4) }
    private var maximumRatio: Double { max(10, works.flatMap(bars).map(\.ratio).max() ?? 10) }

    private func x(_ ratio: Double) -> Double {
        let (low, high) = (log(minimumRatio), log(maximumRatio))
        return Self.left + (log(ratio) - low) / (high - low) * (Self.width - Self.left - Self.right)
    }

    var svg: String {
        var y = Self.top
        var body: [String] = []
        for work in works {
            let bars = bars(work)
            let middle = y + Double(bars.count) * Self.bar / 2 + 4
            body.append(text(work.title, Self.left - 10, middle, anchor: "end"))
            for item in bars {
                body.append(rectangle(item, y))
                y += Self.bar
            }
            y += Self.gap
        }
        let size = "width=\"\(Int(Self.width))\" height=\"\(Int(y + 20))\""
        let open = "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) font-family=\"sans-serif\" font-size=\"11\">"
        let ground = "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
        return ([open, ground] + legend + grid(to: y) + body + ["</svg>", ""]).joined(separator: "\n")
    }

    private func rectangle(_ bar: Bar, _ y: Double) -> String {
        let (from, to) = (min(x(1), x(bar.ratio)), max(x(1), x(bar.ratio)))
        let color = Self.colors[(ways.firstIndex(of: bar.way) ?? 0) % Self.colors.count]
        let box = String(
            format: "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%@\"/>", from, y,
            max(to - from, 1), Self.bar - 1, color)
        return box + text(String(format: "%.2f", bar.ratio), to + 4, y + Self.bar - 1, size: 8)
    }

    private var legend: [String] {
        let title = "Time as a multiple of the toolkit's, \(records) records (left of 1: less time)"
        var lines = [text(title, Self.left, 16, size: 13)]
        var x = 10.0
        for (index, way) in ways.enumerated() {
            let color = Self.colors[index % Self.colors.count]
            lines.append("<rect x=\"\(x)\" y=\"28\" width=\"9\" height=\"9\" fill=\"\(color)\"/>")
            lines.append(text(way, x + 12, 36, size: 9))
            x += 24 + Double(way.count) * 5
        }
        return lines
    }

    private func grid(to bottom: Double) -> [String] {
        [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100].filter { $0 >= minimumRatio && $0 <= maximumRatio }.flatMap { ratio in
            let color = ratio == 1 ? "#333333" : "#dddddd"
            let line = String(
                format: "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"%@\"/>", x(ratio), x(ratio),
                Self.top - 6, bottom, color)
            return [line, text(String(format: "%g", ratio), x(ratio), bottom + 12, anchor: "middle", size: 9)]
        }
    }

    private func text(
        _ content: String, _ x: Double, _ y: Double, anchor: String = "start", size: Int = 11
    ) -> String {
        let escaped = content.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
        return String(
            format: "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%@\" font-size=\"%d\">%@</text>", x, y, anchor, size,
            escaped)
    }
}
