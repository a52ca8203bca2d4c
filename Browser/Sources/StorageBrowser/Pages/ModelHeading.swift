import StorageAPI

/// The top of each page of a model, with the ways to its other pages.
struct ModelHeading {
    enum Page: CaseIterable {
        case records, groups, schema, history
    }

    let schema: RecordSchema
    let page: Page
    /// The number of the records that meet the condition, if it is known.
    var total: Int?
    var request: TableRequest?

    func write(_ html: inout HTML) {
        html.element("div", .class("heading")) { html in
            html.element("h1") { $0.element("bdi", text: schema.name) }
            if let total {
                html.element("span", .class("total"), .id("total"), text: total.counted("record"))
            } else if let request {
                let count = request.parameters(Address("/count")).text
                html.element("span", .class("total"), .id("total"), .init("data-count", count), text: "")
            }
            if page == .records, let request { order(request, &html) }
            html.element("nav", .class("tabs"), .init("aria-label", "Views")) { html in
                for other in Page.allCases {
                    if other == page {
                        html.element("span", .init("aria-current", "page"), text: other.title)
                    } else {
                        html.element("a", .href(address(other)), text: other.title)
                    }
                }
            }
        }
    }

    /// The order of the records, which a table shows only while its column is in sight.
    private func order(_ request: TableRequest, _ html: inout HTML) {
        guard request.records.search == nil, let name = request.records.order,
            schema.property(name)?.canBeSorted == true
        else { return }
        let byKey = request.with { ($0.records.order, $0.records.isDescending) = (nil, false) }
            .starting(.beginning, at: 1)
        html.element("span", .class("total"), .id("order")) { html in
            html.text("sorted by ")
            html.element("bdi", text: name)
            html.text(request.records.isDescending ? ", descending · " : " · ")
            html.element("a", .href(byKey.address), text: "Sort by key")
        }
    }

    private func address(_ page: Page) -> Address {
        let model = schema.name
        return switch page {
        case .records: Address("/records").adding("m", model).adding("w", request?.records.condition)
        case .groups: Address("/groups").adding("m", model).adding("w", request?.records.wholeCondition)
        case .schema: Address("/schema").adding("m", model)
        case .history: Address("/history").adding("m", model)
        }
    }
}

extension ModelHeading.Page {
    fileprivate var title: String {
        switch self {
        case .records: "Records"
        case .groups: "Groups"
        case .schema: "Schema"
        case .history: "History"
        }
    }
}
