import StorageAPI
import StorageDriver
import StorageJSON

/// A page of the records that a search finds, with the parts of their texts that have the words.
struct SearchResults {
    let request: TableRequest
    let schema: RecordSchema
    let page: SearchHits
    private let titleName: String?

    /// Reads the page.
    init(_ request: TableRequest, schema: RecordSchema, store: Store) async throws {
        (self.request, self.schema) = (request, schema)
        titleName = SearchedTexts(schema).titleName
        page = try await request.records.hits(after: (request.number ?? 1) - 1, of: store, schema)
    }

    func write(_ html: inout HTML) {
        ModelHeading(schema: schema, page: .records, total: page.total, request: request).write(&html)
        Toolbar(request: request, schema: schema).write(&html)
        if page.hits.isEmpty {
            nothing(&html)
        } else {
            html.element("div", .class("scroller"), .id("scroller"), .init("tabindex", "0")) { html in
                html.element("ol", .class("hits"), .id("rows")) { html in
                    for hit in page.hits { html.element("li") { write(hit, &$0) } }
                }
            }
        }
        pager(&html)
    }

    private func nothing(_ html: inout HTML) {
        html.element("div", .class("empty")) { html in
            let isFiltered = request.records.condition != nil
            html.element(
                "p",
                text: isFiltered ? "No record that meets the condition has these words." : "No record has these words.")
            if isFiltered {
                let all = request.with { $0.records.condition = nil }.starting(.beginning, at: 1)
                html.element("p") { $0.element("a", .href(all.address), text: "Search without the condition") }
            }
        }
    }

    private func write(_ hit: SearchHits.Hit, _ html: inout HTML) {
        let key = schema.texts(hit.record.key(schema))
        let title = hit.excerpts.first { $0.property == titleName }
        html.element("h2") { html in
            html.element("a", .href(.record(schema, hit.record.key(schema)))) { html in
                html.element("bdi") { html in
                    if let title { write(title, &html) } else { html.text(key.joined(separator: ", ").shortened(80)) }
                }
            }
            if title != nil {
                html.element("small") { $0.element("bdi", text: key.joined(separator: ", ").shortened(80)) }
            }
        }
        for excerpt in hit.excerpts where excerpt.property != titleName {
            html.element("p", .class("part")) { html in
                html.element("span", text: excerpt.property)
                html.element("bdi") { write(excerpt, &$0) }
            }
        }
    }

    /// The part of a text with its words marked. The text between the marks is escaped like all text of the store.
    private func write(_ excerpt: SearchedTexts.Excerpt, _ html: inout HTML) {
        for piece in excerpt.pieces {
            if piece.isHighlighted {
                html.element("mark", text: String(piece.text))
            } else {
                html.text(String(piece.text))
            }
        }
    }

    // MARK: Pages

    private func pager(_ html: inout HTML) {
        let number = request.number ?? 1
        let size = request.records.size
        let shown = page.hits.count
        html.element("nav", .class("pager"), .id("pager"), .init("aria-label", "Pages")) { html in
            html.step("first", "First", request: number > 1 ? request.starting(.beginning, at: 1) : nil)
            html.step(
                "prev", "Previous", request: number > 1 ? request.starting(.beginning, at: max(number - size, 1)) : nil)
            html.element("span", .class("place")) { html in
                if shown > 0 {
                    html.text("\(number.grouped)–\((number + shown - 1).grouped) of \(page.total.grouped)")
                }
                if page.isCut { html.note(" The records are large, so the page is short.") }
            }
            let next = number + max(shown, 1)
            html.step("next", "Next", request: page.hasLater ? request.starting(.beginning, at: next) : nil)
        }
    }
}
