import StorageAPI
import StorageDriver

/// The most frequent values of some properties. Each value leads to its records.
struct FacetList {
    let facets: [Facet]
    let labels: Labels
    let request: TableRequest
    let schema: RecordSchema

    func write(_ html: inout HTML) {
        guard !facets.isEmpty else { return }
        html.element("div", .class("facets")) { html in
            for facet in facets { write(facet, &html) }
        }
    }

    private func write(_ facet: Facet, _ html: inout HTML) {
        let name = facet.property.name
        html.element("section", .class("facet"), .init("aria-label", "Values of \(name)")) { html in
            html.element("h2") { html in
                html.element("bdi", text: name)
                let without = request.with { $0.facets.removeAll { $0 == name } }
                html.element(
                    "a", .class("close"), .href(without.address),
                    .init("aria-label", "Hide the values of \(name)"),
                    .init("title", "Hide"), text: "×")
            }
            html.element("ul") { html in
                for (value, count) in facet.values {
                    html.element("li") { html in
                        if let records = records(facet, value) {
                            html.element("a", .href(records.address)) { text(facet, value, to: &$0) }
                        } else {
                            html.element("span") { text(facet, value, to: &$0) }
                        }
                        html.element("span", .class("count"), text: count.grouped)
                    }
                }
            }
            if facet.hasMore {
                let groups = Address("/groups").adding("m", schema.name).adding("g", name)
                    .adding("w", request.records.condition)
                html.element("p") { $0.element("a", .href(groups), text: "More values") }
            }
        }
    }

    private func text(_ facet: Facet, _ value: Value, to html: inout HTML) {
        let type = facet.property.columnType
        if let relation = facet.relation(schema),
            let label = labels.label(relation.target, value.text(as: type) ?? "")
        {
            html.element("bdi", text: label.shortened(40))
        } else {
            html.element("bdi") { $0.value(value, type, most: 40) }
        }
    }

    /// The records with the value; nil for a value that is too large for an address.
    private func records(_ facet: Facet, _ value: Value) -> TableRequest? {
        guard value.fitsAddress else { return nil }
        let test =
            "\(facet.property.name.shownQueryName) == \(value.literal(facet.property.columnType))"
        return request.with { $0.records.condition = test.added(to: request.records.condition) }
            .starting(.beginning, at: 1)
    }
}
