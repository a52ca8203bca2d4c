/// Numbers over time as a line. The numbers at its sides are text beside the drawing, so that they stay readable on a phone.
struct LineChart {
    let points: [GroupResult.Point]
    private static let size = (width: 1000.0, height: 260.0)

    func write(_ html: inout HTML) {
        let amounts = points.compactMap(\.amount)
        let low = min(amounts.min() ?? 0, 0)
        let high = max(amounts.max() ?? 0, low + 1)
        html.element("div", .class("chart over-time")) { html in
            html.element("div", .class("scale-y")) { html in
                for part in [1, 0.5, 0] { html.element("span", text: (low + (high - low) * part).formatted) }
            }
            html.element(
                "svg", .init("viewBox", "0 0 1000 260"), .init("preserveAspectRatio", "none"), .init("role", "img"),
                .init("aria-label", "\(points.count) numbers over time")
            ) { html in drawing(low: low, high: high, to: &html) }
            html.element("div", .class("scale-x")) { html in
                for place in marks { html.element("span", text: points[place].title) }
            }
        }
        numbers(&html)
    }

    /// The marks of the time axis: its ends and the points between them.
    private var marks: [Int] {
        guard points.count > 2 else { return Array(points.indices) }
        return [0, points.count / 4, points.count / 2, points.count * 3 / 4, points.count - 1].reduce(into: []) {
            if $0.last != $1 { $0.append($1) }
        }
    }

    private func drawing(low: Double, high: Double, to html: inout HTML) {
        for part in [0, 0.5, 1] {
            let y = String(Int(Self.size.height * part))
            html.element(
                "line", .class("axis"), .init("x1", "0"), .init("x2", "1000"), .init("y1", y), .init("y2", y),
                .init("vector-effect", "non-scaling-stroke"), text: "")
        }
        let step = Self.size.width / Double(max(points.count - 1, 1))
        // A time without a number interrupts the line.
        for run in runs {
            let path = run.map { place, amount in
                let y = Self.size.height * (1 - (amount - low) / (high - low))
                return "\(tenths(Double(place) * step)),\(tenths(y))"
            }
            guard let first = run.first, let last = run.last else { continue }
            let base = tenths(Self.size.height * (1 - (0 - low) / (high - low)))
            let area =
                ["\(tenths(Double(first.0) * step)),\(base)"] + path + ["\(tenths(Double(last.0) * step)),\(base)"]
            html.element("polygon", .class("area"), .init("points", area.joined(separator: " ")), text: "")
            html.element(
                "polyline", .class("line"), .init("points", path.joined(separator: " ")),
                .init("vector-effect", "non-scaling-stroke"), text: "")
        }
    }

    private var runs: [[(Int, Double)]] {
        var runs: [[(Int, Double)]] = [[]]
        for (place, point) in points.enumerated() {
            if let amount = point.amount {
                runs[runs.count - 1].append((place, amount))
            } else if runs.last?.isEmpty == false {
                runs.append([])
            }
        }
        return runs
    }

    private func tenths(_ number: Double) -> String { String((number * 10).rounded() / 10) }

    private func numbers(_ html: inout HTML) {
        html.element("details", .class("numbers")) { html in
            html.element("summary", text: "Numbers")
            html.element("dl") { html in
                for point in points {
                    html.element("dt", text: point.title)
                    html.element("dd", text: point.amount?.formatted ?? "–")
                }
            }
        }
    }
}
