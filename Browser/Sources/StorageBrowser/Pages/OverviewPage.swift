import StorageAPI
import StorageDriver
import StorageSync

/// The first page: the store and its models.
struct OverviewPage {
    let info: BackendInfo
    let location: String
    let schemas: [RecordSchema]
    let counts: [String: Int]
    let history: Store.HistoryStatus?
    let replica: SyncStatus?

    func write(_ html: inout HTML) {
        html.element("h1") { $0.element("bdi", text: location) }
        html.element("p", .class("facts")) { html in
            html.text(info.name)
            if let format = info.format { html.text(" · \(format)") }
            html.text(" · \(schemas.count.counted("model"))")
            if let history, let last = history.lastCommit { html.text(" · history to commit \(last.grouped)") }
        }
        if let replica { html.element("p", .class("facts"), text: text(replica)) }
        guard !schemas.isEmpty else {
            return html.element("p", .class("empty"), text: "The store has no models yet. This page follows it.")
        }
        html.element("div", .class("start-page")) { html in
            html.element("ul", .class("cards")) { html in for schema in schemas { card(schema, &html) } }
            ModelDiagram(schemas).write(&html)
        }
    }

    /// `Replica: 3 commits wait for the hub, of which 1 does not fit · last exchange 2026-11-28 12:01:05`
    private func text(_ status: SyncStatus) -> String {
        var text = "Replica: \(status.waiting.counted("commit")) \(status.waiting == 1 ? "waits" : "wait") for the hub"
        if status.aside > 0 {
            text += ", of which \(status.aside.grouped) \(status.aside == 1 ? "does" : "do") not fit"
        }
        if let reading = status.reading {
            text += " · \(reading.records.grouped) of \(reading.total.grouped) records have arrived"
        }
        let time = status.lastExchange.flatMap { Value.double($0.timeIntervalSinceReferenceDate).text(as: .date) }
        return text
            + (time.map { " · last exchange \($0.prefix(19).replacing("T", with: " "))" } ?? " · no exchange yet")
    }

    private func card(_ schema: RecordSchema, _ html: inout HTML) {
        html.element("li") { html in
            html.element("a", .href(Address("/records").adding("m", schema.name))) { html in
                html.element("h2") { $0.element("bdi", text: schema.name) }
                html.element("p", .class("count")) { html in
                    html.element("b", text: counts[schema.name]?.grouped ?? "–")
                    html.text(counts[schema.name] == 1 ? " record" : " records")
                }
                let names = schema.properties.prefix(6).map(\.name).joined(separator: ", ")
                let left = schema.properties.count - 6
                html.element("p", .class("names"), text: names + (left > 0 ? " and \(left) more" : ""))
            }
            let targets = Set(Relation.all(of: schema).map(\.target)).sorted()
            if !targets.isEmpty {
                html.element("p", .class("targets")) { html in
                    html.text("refers to ")
                    for (place, target) in targets.enumerated() {
                        if place > 0 { html.text(", ") }
                        html.element("a", .href(Address("/records").adding("m", target))) { html in
                            html.element("bdi", text: target)
                        }
                    }
                }
            }
        }
    }
}
