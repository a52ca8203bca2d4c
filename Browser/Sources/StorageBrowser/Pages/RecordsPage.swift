import StorageAPI
import StorageDriver
import StorageJSON

/// A page of a model's records, as a table or each vertically.
struct RecordsPage {
    let request: TableRequest
    let schema: RecordSchema
    let page: RecordPage
    let labels: Labels
    let facets: [Facet]
    /// The number of all records that meet the condition, if it is known.
    let total: Int?
    let explanation: QueryExplanation?
    private let columns: [RecordSchema.Property]
    private let references: [String: Relation]
    private let arrays: [String: Relation]
    /// The number of elements of an array of references that a cell shows.
    static let labelledElements = 3

    init(
        _ request: TableRequest, schema: RecordSchema, page: RecordPage, labels: Labels,
        facets: [Facet], total: Int?,
        explanation: QueryExplanation?
    ) {
        (self.request, self.schema, self.page, self.labels) = (request, schema, page, labels)
        (self.facets, self.total, self.explanation) = (facets, total, explanation)
        columns = request.records.shown(schema)
        references = Dictionary(
            Relation.all(of: schema).filter { $0.owners.isEmpty && !$0.isArray && $0.parts.count == 1 }
                .map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
        arrays = Dictionary(
            Relation.all(of: schema).filter { $0.owners.isEmpty && $0.isArray }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    func write(_ html: inout HTML) {
        ModelHeading(schema: schema, page: .records, total: total, request: request).write(&html)
        Toolbar(request: request, schema: schema).write(&html)
        if let explanation { explain(explanation, &html) }
        FacetList(facets: facets, labels: labels, request: request, schema: schema).write(&html)
        if page.rows.isEmpty {
            nothing(&html)
        } else if request.isVertical {
            vertical(&html)
        } else {
            table(&html)
        }
        pager(&html)
    }

    private func explain(_ explanation: QueryExplanation, _ html: inout HTML) {
        html.element("section", .class("explanation")) { html in
            let way =
                switch explanation.access {
                case .key: "by key"
                case .index(let property): "by the index on \(property)"
                case .scan: "by examining all rows"
                }
            html.element("p") { html in
                html.text("Found \(way); about \(explanation.rowsExamined.counted("row")) examined")
                html.text(explanation.sorts ? ", and sorted." : ".")
            }
            if let statement = explanation.statement {
                html.element("pre", .init("tabindex", "0")) { $0.element("code", text: statement) }
            }
        }
    }

    private func nothing(_ html: inout HTML) {
        html.element("div", .class("empty")) { html in
            if request.records.condition != nil {
                html.element("p", text: "No record meets the condition.")
                let all = request.with { $0.records.condition = nil }.starting(.beginning, at: 1)
                html.element("p") { $0.element("a", .href(all.address), text: "Show all records") }
            } else {
                html.element("p", text: "\(schema.name) has no records. This page follows the store.")
            }
        }
    }

    // MARK: Table

    private func table(_ html: inout HTML) {
        html.element("div", .class("scroller"), .id("scroller"), .init("tabindex", "0")) { html in
            html.element("table") { html in
                html.element("thead") { html in
                    html.element("tr") { html in for column in columns { title(column, &html) } }
                }
                html.element("tbody", .id("rows")) { html in
                    for record in page.rows {
                        html.element("tr") { html in
                            for (place, column) in columns.enumerated() {
                                let css = css(column)
                                if css.isEmpty {
                                    html.element("td") { cell(record, column: column, index: place, to: &$0) }
                                } else {
                                    html.element("td", .class(css)) {
                                        cell(record, column: column, index: place, to: &$0)
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Numbers are aligned to the right, but for references, which are links.
    private func css(_ column: RecordSchema.Property) -> String {
        let type = column.columnType
        return references[column.name] != nil ? "" : type.isNumber ? "n" : type.isCode ? "code" : ""
    }

    private func title(_ column: RecordSchema.Property, _ html: inout HTML) {
        let isOrder = request.records.order == column.name
        var attributes = [HTML.Attribute.init("scope", "col")]
        if css(column) == "n" { attributes.append(.class("n")) }
        if isOrder { attributes.append(.init("aria-sort", request.records.isDescending ? "descending" : "ascending")) }
        html.element("th", attributes) { html in
            if column.canBeSorted {
                // Ascending, then descending, then the order of keys again.
                let next = request.with { request in
                    request.records.isDescending = isOrder && !request.records.isDescending
                    request.records.order = isOrder && !request.records.isDescending ? nil : column.name
                }.starting(.beginning, at: 1)
                html.element("a", .href(next.address), text: column.name)
            } else {
                html.element("bdi", text: column.name)
            }
            html.element("small", text: column.typeText)
        }
    }

    private func cell(_ record: DynamicRecord, column: RecordSchema.Property, index place: Int, to html: inout HTML) {
        guard let content = record[column.name] else { return html.note("nil") }
        switch content {
        case .value(let value, let type):
            if place == 0 {
                let address = Address.record(schema, record.key(schema))
                html.element("a", .href(address)) { $0.value(value, type, most: 80) }
            } else if let relation = references[column.name], !value.isNull {
                let key = value.text(as: type) ?? ""
                let address = Address("/record").adding("m", relation.target).adding("k", key)
                html.element("a", .href(address)) { $0.value(value, type, most: 40) }
                if let label = labels.label(relation.target, key) { html.element("small", text: label.shortened(40)) }
            } else if case .blob(let bytes) = value, type == .data {
                let address = ValueAddress(schema, record.key(schema)).adding(column.name)
                html.blob(bytes, at: address.address, isSmall: true)
            } else {
                html.value(value, type, most: 80)
            }
        case .child(let child): html.note(child == nil ? "nil" : summary(child))
        case .children(let children):
            html.note(children.map { $0.count.grouped } ?? "nil")
            if let relation = arrays[column.name] { elements(of: relation, record, to: &html) }
        }
    }

    /// The first elements of an array of references.
    private func elements(of relation: Relation, _ record: DynamicRecord, to html: inout HTML) {
        let elements = record.elements(relation)
        guard !elements.isEmpty else { return }
        let shown = elements.prefix(Self.labelledElements).map { key in
            let texts = zip(relation.parts, key).map { $1.text(as: $0.columnType) ?? "" }
            return labels.label(relation.target, texts[0])?.shortened(30) ?? texts.joined(separator: " ")
        }
        html.element("small") { html in
            for (place, text) in shown.enumerated() {
                if place > 0 { html.text(", ") }
                html.element("bdi", text: text)
            }
            if elements.count > shown.count { html.text(", …") }
        }
    }

    /// The first values of an owned record.
    private func summary(_ child: DynamicRecord?) -> String {
        let values = child?.fields.compactMap { field -> String? in
            guard case .value(let value, let type) = field.content else { return nil }
            return value.text(as: type)?.shortened(40)
        }
        return values?.prefix(3).joined(separator: ", ") ?? ""
    }

    // MARK: Vertical

    private func vertical(_ html: inout HTML) {
        html.element("div", .class("scroller"), .id("scroller"), .init("tabindex", "0")) { html in
            html.element("div", .class("vertical"), .id("rows")) { html in
                for record in page.rows {
                    html.element("section") { html in
                        html.element("dl") { html in
                            for (place, column) in columns.enumerated() {
                                html.element("dt", text: column.name)
                                html.element("dd") { cell(record, column: column, index: place, to: &$0) }
                            }
                        }
                    }
                }
            }
        }
    }

    // MARK: Pages

    private func pager(_ html: inout HTML) {
        let first = page.rows.first.map { request.records.position(of: $0, schema) }
        let last = page.rows.last.map { request.records.position(of: $0, schema) }
        let number = request.number ?? (request.records.start == .end ? total.map { $0 - page.rows.count + 1 } : nil)
        html.element("nav", .class("pager"), .id("pager"), .init("aria-label", "Pages")) { html in
            html.step("first", "First", request: page.hasEarlier ? request.starting(.beginning, at: 1) : nil)
            let before = number.map { max($0 - request.records.size, 1) }
            html.step(
                "prev", "Previous",
                request: page.hasEarlier ? first.map { request.starting(.before($0), at: before) } : nil)
            html.element("span", .class("place")) { html in
                if let number, !page.rows.isEmpty {
                    let end = number + page.rows.count - 1
                    html.text("\(number.grouped)–\(end.grouped)")
                    // Records may have been written after they were counted.
                    if let total { html.text(" of \(max(total, end + (page.hasLater ? 1 : 0)).grouped)") }
                }
                if page.isCut { html.note(" The records are large, so the page is short.") }
            }
            let after = number.map { $0 + page.rows.count }
            html.step(
                "next", "Next", request: page.hasLater ? last.map { request.starting(.after($0), at: after) } : nil)
            html.step("last", "Last", request: page.hasLater ? request.starting(.end) : nil)
        }
    }
}

extension HTML {
    /// A link to another page of records; without one its text alone.
    mutating func step(_ relation: String, _ text: String, request: TableRequest?) {
        if let request {
            element("a", .init("rel", relation), .href(request.address), text: text)
        } else {
            element("span", .class("off"), .init("role", "link"), .init("aria-disabled", "true"), text: text)
        }
    }
}

extension Address {
    /// The page of a record.
    static func record(_ schema: RecordSchema, _ key: [Value]) -> Address {
        Address("/record").adding("m", schema.name).adding("k", schema.texts(key))
    }
}

extension String {
    /// The text, cut after some characters.
    func shortened(_ most: Int) -> String {
        let start = unicodeScalars.prefix(most)
        return start.endIndex == unicodeScalars.endIndex ? self : String(String.UnicodeScalarView(start)) + "…"
    }
}
