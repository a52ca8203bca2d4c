import StorageAPI
import StorageJSON

/// The condition of a page of records, and the choice of columns and order.
struct Toolbar {
    let request: TableRequest
    let schema: RecordSchema

    func write(_ html: inout HTML) {
        let isSearched = !SearchedTexts(schema).isEmpty || request.records.search != nil
        if isSearched { html.element("div", .class("toolbar")) { search(&$0) } }
        html.element("div", .class("toolbar")) { html in
            condition(isSearched, &html)
            if request.records.search != nil {
                return html.element("div", .class("views")) { html in
                    table(&html)
                    files(&html)
                }
            }
            columns(&html)
            values(&html)
            html.element("div", .class("views")) { html in
                let other = request.with { $0.isVertical.toggle() }
                html.element(
                    "a", .href(other.address), .init("title", "Read each record from top to bottom, or all as a table"),
                    text: request.isVertical ? "As a table" : "As a list")
                let explained = request.with { $0.explains.toggle() }
                html.element(
                    "a", .href(explained.address), .init("title", "Show how the store finds these records"),
                    text: request.explains ? "Hide the query plan" : "Explain")
                files(&html)
            }
        }
    }

    private func search(_ html: inout HTML) {
        html.element("form", .class("condition search"), .init("action", "/records"), .init("role", "search")) { html in
            hidden(&html, withColumns: true)
            hidden("w", value: request.records.condition, to: &html)
            html.void(
                "input", .id("search"), .init("name", "q"), .init("type", "search"),
                .init("value", request.records.search ?? ""), .init("placeholder", "Search"),
                .init("aria-label", "Search"), .init("autocomplete", "off"), .init("spellcheck", "false"))
            html.element("button", .init("type", "submit"), text: "Search")
            if request.records.search != nil {
                let all = request.with { $0.records.search = nil }.starting(.beginning, at: 1)
                html.element(
                    "a", .class("clear"), .href(all.address), .init("title", "Show all records"), text: "Clear")
            }
        }
    }

    /// The way to the records of a search as a table, in the order of any property.
    private func table(_ html: inout HTML) {
        let table = request.with { ($0.records.condition, $0.records.search) = ($0.records.wholeCondition, nil) }
            .starting(.beginning, at: 1)
        html.element(
            "a", .href(table.address), .init("title", "Show these records as a table, which can be sorted"),
            text: "As a table")
    }

    private func condition(_ isSearched: Bool, _ html: inout HTML) {
        html.element(
            "form", .class("condition"), .init("action", "/records"), .init("role", isSearched ? "form" : "search"),
            .init("aria-label", "Condition")
        ) { html in
            hidden(&html, withColumns: true)
            hidden("q", value: request.records.search, to: &html)
            html.void(
                "input", .id("condition"), .init("name", "w"), .init("type", "text"),
                .init("value", request.records.condition ?? ""), .init("placeholder", placeholder),
                .init("aria-label", "Condition"), .init("autocomplete", "off"), .init("autocapitalize", "off"),
                .init("spellcheck", "false"), .init("data-model", schema.name))
            html.element("button", .init("type", "submit"), text: "Filter")
            if request.records.condition != nil {
                let all = request.with { $0.records.condition = nil }.starting(.beginning, at: 1)
                html.element(
                    "a", .class("clear"), .href(all.address), .init("title", "Show all records"), text: "Clear")
            }
        }
    }

    /// An example of a condition on the model's properties.
    private var placeholder: String {
        let number = schema.properties.first { $0.columnType.isNumber && $0.reference == nil && !$0.isKey }
        let parts = [
            number.map { "\($0.name.shownQueryName) > 100" },
            schema.label.first.map { "\($0.name.shownQueryName) contains[c] \"love\"" },
        ].compactMap(\.self)
        return parts.isEmpty ? "Condition" : parts.joined(separator: " and ")
    }

    private func columns(_ html: inout HTML) {
        html.element("details", .class("chooser")) { html in
            let shown = request.records.columns
            html.element("summary", text: shown.map { "Columns (\($0.count)) and order" } ?? "Columns and order")
            html.element("form", .init("action", "/records")) { html in
                hidden(&html, withColumns: false)
                hidden("w", value: request.records.condition, to: &html)
                order(&html)
                html.element("div", .class("boxes")) { html in
                    for property in schema.properties {
                        html.element("label") { html in
                            var attributes: [HTML.Attribute] = [
                                .init("type", "checkbox"), .init("name", "c"), .init("value", property.name),
                            ]
                            if shown?.contains(property.name) ?? true { attributes.append(.flag("checked")) }
                            html.void("input", attributes)
                            html.element("bdi", text: property.name)
                        }
                    }
                }
                html.element("button", .init("type", "submit"), text: "Show")
            }
        }
    }

    /// The properties whose values can be shown with their counts.
    private func values(_ html: inout HTML) {
        let properties = GroupRequest.keys(schema)
        guard !properties.isEmpty else { return }
        html.element("details", .class("chooser")) { html in
            html.element(
                "summary", .init("title", "The most frequent values of a property"), text: "Values")
            html.element("div", .class("menu")) { html in
                for property in properties {
                    let isShown = request.facets.contains(property.name)
                    let other = request.with { request in
                        request.facets.removeAll { $0 == property.name }
                        if !isShown { request.facets = [property.name] + request.facets.prefix(Facet.most - 1) }
                    }
                    html.element("a", .href(other.address)) { html in
                        html.element("bdi", text: property.name)
                        if isShown { html.text(" ✓") }
                    }
                }
            }
        }
    }

    /// The ways to files of all records that meet the condition.
    private func files(_ html: inout HTML) {
        for format in ExportFormat.allCases {
            html.element(
                "a", .href(request.export(format)), .flag("download"),
                .init("title", "Download all these records as \(format.title)"), text: format.title)
        }
    }

    /// The order as fields: a narrow page has no titles to click.
    private func order(_ html: inout HTML) {
        html.element("label", .class("order")) { html in
            html.text("Sorted by")
            html.element("select", .init("name", "o")) { html in
                html.element("option", .init("value", ""), text: "the key")
                for property in schema.properties where property.canBeSorted {
                    var attributes = [HTML.Attribute("value", property.name)]
                    if property.name == request.records.order { attributes.append(.flag("selected")) }
                    html.element("option", attributes) { $0.text(property.name) }
                }
            }
        }
        html.element("label", .class("order")) { html in
            var attributes: [HTML.Attribute] = [.init("type", "checkbox"), .init("name", "d"), .init("value", "1")]
            if request.records.isDescending { attributes.append(.flag("checked")) }
            html.void("input", attributes)
            html.text("descending")
        }
    }

    private func hidden(_ name: String, value: String?, to html: inout HTML) {
        guard let value else { return }
        html.void("input", .init("type", "hidden"), .init("name", name), .init("value", value))
    }

    private func hidden(_ html: inout HTML, withColumns: Bool) {
        var fields = [("m", schema.name)]
        if withColumns {
            if let order = request.records.order { fields.append(("o", order)) }
            if request.records.isDescending { fields.append(("d", "1")) }
        }
        if request.isVertical { fields.append(("v", "1")) }
        fields += request.facets.map { ("y", $0) }
        if withColumns { fields += (request.records.columns ?? []).map { ("c", $0) } }
        for (name, value) in fields { hidden(name, value: value, to: &html) }
    }
}
