import StorageAPI
import StorageDriver
import StorageJSON

/// Owned records as a table within the page of their record.
struct OwnedTable {
    /// The most records of one array that a page shows.
    static let most = 200

    let records: [DynamicRecord]
    /// The address of their property.
    let address: ValueAddress

    func write(_ html: inout HTML) {
        let columns = records.first?.fields ?? []
        html.element("div", .class("scroller")) { html in
            html.element("table") { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        html.element("th", .class("n index"), .init("scope", "col"), text: "#")
                        for column in columns {
                            html.element("th", .class(css(column)), .init("scope", "col")) { html in
                                html.element("bdi", text: column.name)
                            }
                        }
                    }
                }
                html.element("tbody") { html in
                    for (place, record) in records.prefix(Self.most).enumerated() {
                        html.element("tr") { html in
                            html.element("td", .class("n index")) { $0.note(place.grouped) }
                            for column in columns {
                                html.element("td", .class(css(column))) { html in
                                    let value = address.adding(String(place)).adding(column.name)
                                    cell(record[column.name], at: value, &html)
                                }
                            }
                        }
                    }
                }
            }
        }
        if records.count > Self.most {
            html.element("p") { $0.note("and \((records.count - Self.most).grouped) more") }
        }
    }

    private func css(_ column: DynamicRecord.Field) -> String {
        guard case .value(_, let type) = column.content else { return "" }
        return type.isNumber ? "n" : type.isCode ? "code" : ""
    }

    private func cell(_ content: DynamicRecord.Content?, at address: ValueAddress, _ html: inout HTML) {
        switch content {
        case .value(.blob(let bytes), .data)?: html.blob(bytes, at: address.address, isSmall: false)
        case .value(let value, let type)?: html.value(value, type, most: 200)
        case .child(let child?)?: html.text(child.summary)
        case .children(let children?)?: html.note(children.count.grouped)
        case nil, .child(nil)?, .children(nil)?: html.note("nil")
        }
    }
}

extension DynamicRecord {
    /// The first values, to tell the record in a cell.
    var summary: String {
        let values = fields.lazy.compactMap { field -> String? in
            guard case .value(let value, let type) = field.content else { return nil }
            return value.text(as: type)?.shortened(40)
        }
        return values.prefix(3).joined(separator: ", ")
    }
}
