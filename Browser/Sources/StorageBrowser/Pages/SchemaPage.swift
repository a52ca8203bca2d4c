import StorageAPI

/// The properties of a model and of its owned records.
struct SchemaPage {
    let schema: RecordSchema
    /// All models, some of which may refer to this one.
    let schemas: [RecordSchema]

    func write(_ html: inout HTML) {
        ModelHeading(schema: schema, page: .schema).write(&html)
        if schema.isReadOnly {
            html.element(
                "p", .class("facts"),
                text: "Its records can only be read, and a number is their key: it is a view, or a table without a key."
            )
        }
        if schema.assignsKeys {
            html.element("p", .class("facts"), text: "The store assigns the keys of new records.")
        }
        html.element("div", .class("scroller words"), .init("tabindex", "0")) { html in
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
        back(&html)
    }

    /// The references of other models to this one.
    private func back(_ html: inout HTML) {
        let relations = schemas.flatMap { Relation.all(of: $0) }.filter { $0.target == schema.name }
        guard !relations.isEmpty else { return }
        html.element("p", .class("facts referring")) { html in
            html.text("Referred to by ")
            for (place, relation) in relations.enumerated() {
                if place > 0 { html.text(", ") }
                html.element("a", .href(Address("/schema").adding("m", relation.model))) { html in
                    html.element("bdi", text: "\(relation.model).\(relation.path)")
                }
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
            property.searchWeight.map {
                $0 == 1 ? "searched" : "searched with the weight \($0.formatted)"
            },
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
