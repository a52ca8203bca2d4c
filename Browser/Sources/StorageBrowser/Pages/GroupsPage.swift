import Foundation
import StorageAPI
import StorageDriver
import StorageJSON

/// Groups of a model's records, as bars or as a line over time.
struct GroupsPage {
    let request: GroupRequest
    let schema: RecordSchema
    let result: GroupResult
    let labels: Labels
    let total: Int?
    /// The error that prevented a result; nil if the result exists.
    let problem: StorageError?

    func write(_ html: inout HTML) {
        ModelHeading(schema: schema, page: .groups, total: total, request: nil).write(&html)
        guard request.key != nil else {
            return html.element("div", .class("empty")) { html in
                html.element("p", text: "\(schema.name) has no property to group by.")
            }
        }
        choices(&html)
        if let problem {
            html.element("div", .class("problem"), .init("role", "alert")) { $0.element("p", text: problem.message) }
        } else if result.bars.isEmpty, result.points.isEmpty {
            html.element("div", .class("empty")) { $0.element("p", text: "No records to group.") }
        } else if result.points.isEmpty {
            bars(&html)
        } else {
            LineChart(points: result.points).write(&html)
        }
        if result.isCut { html.element("p") { $0.note("Only the first groups are shown.") } }
    }

    // MARK: Choices

    private func choices(_ html: inout HTML) {
        html.element("form", .class("choices"), .init("action", "/groups")) { html in
            html.void("input", .init("type", "hidden"), .init("name", "m"), .init("value", schema.name))
            choice(
                "f", title: "Show", options: GroupRequest.Function.allCases.map { ($0.rawValue, $0.title) },
                chosen: request.function.rawValue,
                to: &html)
            let terms = GroupRequest.terms(schema)
            if request.function != .count, !terms.isEmpty {
                choice(
                    "p", title: "of", options: terms.map { ($0.name, $0.name) }, chosen: request.term?.name, to: &html)
            }
            choice(
                "g", title: "by", options: GroupRequest.keys(schema).map { ($0.name, $0.name) },
                chosen: request.key?.name, to: &html)
            if result.points.isEmpty {
                choice(
                    "k", title: "sorted by", options: [("", "the number"), ("1", "the group")],
                    chosen: request.isByKey ? "1" : "", to: &html)
            }
            html.element("label") { html in
                html.text("where")
                html.void(
                    "input", .id("condition"), .init("type", "text"), .init("name", "w"),
                    .init("value", request.condition ?? ""), .init("autocomplete", "off"), .init("spellcheck", "false"),
                    .init("data-model", schema.name))
            }
            html.element("button", .init("type", "submit"), text: "Show")
        }
    }

    private func choice(
        _ name: String, title: String, options: [(value: String, text: String)], chosen: String?,
        to html: inout HTML
    ) {
        html.element("label") { html in
            html.text(title)
            html.element("select", .init("name", name), .flag("data-submit")) { html in
                for option in options {
                    if option.value == chosen {
                        html.element("option", .init("value", option.value), .flag("selected"), text: option.text)
                    } else {
                        html.element("option", .init("value", option.value), text: option.text)
                    }
                }
            }
        }
    }

    // MARK: Bars

    private func bars(_ html: inout HTML) {
        let most = result.bars.compactMap(\.amount).map(abs).max() ?? 0
        let digits = result.bars.map { $0.value.shown(result.type, digits: 0).fractionDigits }.max() ?? 0
        let relation = Relation.all(of: schema).first { $0.owners.isEmpty && $0.name == request.key?.name }
        html.element("div", .class("chart")) { html in
            html.element("div", .class("bars")) { html in
                for bar in result.bars {
                    if let records = records(of: bar) {
                        html.element("a", .class("label"), .href(records)) { label(bar, relation: relation, to: &$0) }
                    } else {
                        html.element("span", .class("label")) { label(bar, relation: relation, to: &$0) }
                    }
                    html.element(
                        "svg", .init("viewBox", "0 0 1000 10"), .init("preserveAspectRatio", "none"),
                        .init("aria-hidden", "true")
                    ) { html in
                        let width = most > 0 ? abs(bar.amount ?? 0) / most * 1000 : 0
                        html.element(
                            "rect", .init("width", String(Int(width.rounded()))), .init("height", "10"),
                            .class((bar.amount ?? 0) < 0 ? "rest" : "bar"), text: "")
                    }
                    html.element("span", .class("amount"), text: bar.value.shown(result.type, digits: digits))
                }
            }
        }
    }

    private func label(_ bar: GroupResult.Bar, relation: Relation?, to html: inout HTML) {
        let type = request.key?.columnType ?? .string
        if let relation, let label = labels.label(relation.target, bar.key.text(as: type) ?? "") {
            html.element("bdi", text: label.shortened(60))
        } else {
            html.value(bar.key, type, most: 60)
        }
    }

    /// The records of a group; nil for a value that is too large for an address.
    private func records(of bar: GroupResult.Bar) -> Address? {
        guard bar.key.fitsAddress else { return nil }
        let key = request.key?.name.shownQueryName ?? ""
        let test = "\(key) == \(bar.key.literal(request.key?.columnType ?? .string))"
        return Address("/records").adding("m", schema.name).adding(
            "w", test.added(to: request.condition))
    }
}

extension GroupRequest.Function {
    fileprivate var title: String {
        switch self {
        case .count: "the number of records"
        case .sum: "the sum"
        case .average: "the mean"
        case .min: "the least"
        case .max: "the greatest"
        }
    }
}

extension Value {
    /// A number for a person: at most three digits after the point, and at least as many as are asked for.
    fileprivate func shown(_ type: ColumnType, digits: Int) -> String {
        switch self {
        case .int(let value): Int(value).grouped
        case .double(let value) where value.isFinite: value.formatted(digits)
        case .text(let text) where type == .decimal: Double(text).map { $0.formatted(digits) } ?? text
        default: text(as: type) ?? "–"
        }
    }
}

extension String {
    fileprivate var fractionDigits: Int { split(separator: ".", maxSplits: 1).dropFirst().first?.count ?? 0 }
}

extension Double {
    /// The number with commas between thousands and at most three digits after the point.
    var formatted: String { formatted(0) }

    fileprivate func formatted(_ digits: Int) -> String {
        guard magnitude < 1e12 else { return description }
        let thousandths = Int((magnitude * 1000).rounded())
        var fraction = String(String(thousandths % 1000 + 1000).dropFirst())
        while fraction.last == "0", fraction.count > digits { fraction.removeLast() }
        let whole = (self < 0 && thousandths > 0 ? "−" : "") + (thousandths / 1000).grouped
        return fraction.isEmpty ? whole : whole + "." + fraction
    }
}
