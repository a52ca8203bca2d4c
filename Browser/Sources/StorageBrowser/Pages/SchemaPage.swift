import StorageAPI

/// The properties of a model and of its owned records.
struct SchemaPage {
    let schema: RecordSchema

    func write(_ html: inout HTML) {
        ModelHeading(schema: schema, page: .schema).write(&html)
        html.element("div", .class("scroller words")) { html in
            html.element("table") { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        for title in ["Property", "Type", "Marks"] {
                            html.element("th", .init("scope", "col"), text: title)
                        }
                    }
                }
                html.element("tbody") { rows(schema, level: 0, &$0) }
            }
        }
    }

    private func rows(_ schema: RecordSchema, level: Int, _ html: inout HTML) {
        for property in schema.properties {
            html.element("tr") { html in
                html.element("td") { html in
                    html.text(String(repeating: "\u{2003}", count: level))
                    html.element("bdi", text: property.name)
                }
                html.element("td", .class("code"), text: property.typeText)
                html.element("td") { marks(property, &$0) }
            }
            switch property.kind {
            case .child(let child), .children(let child): rows(child, level: level + 1, &html)
            case .column, .ancestor: break
            }
        }
    }

    private func marks(_ property: RecordSchema.Property, _ html: inout HTML) {
        var words = [
            property.isKey ? "key" : nil, property.isUnique ? "unique" : nil, property.isIndexed ? "indexed" : nil,
            property.isExpiry ? "expires" : nil,
        ].compactMap(\.self)
        if let reference = property.reference {
            html.text("refers to ")
            html.element("a", .href(Address("/schema").adding("m", reference.model))) { html in
                html.element("bdi", text: reference.model)
            }
            words.insert("on delete \(reference.onDelete.rawValue)", at: 0)
            html.text(", ")
        }
        html.text(words.joined(separator: ", "))
    }
}
