import StorageAPI
import StorageDriver
import StorageJSON

/// The page of one record.
struct RecordPageView {
    let view: RecordView
    private var schema: RecordSchema { view.schema }
    private var keyText: String { schema.texts(view.key).joined(separator: ", ") }

    private var address: ValueAddress { ValueAddress(schema, view.key, asOf: view.commit) }

    /// The title of the record.
    var title: String { view.record?.label(schema) ?? keyText }

    func write(_ html: inout HTML) {
        html.element("div", .class("heading")) { html in
            html.element("h1") { html in
                html.element("bdi", text: title.shortened(200))
                html.element("small") { html in
                    html.element("a", .href(Address("/records").adding("m", schema.name))) { html in
                        html.element("bdi", text: schema.name)
                    }
                    html.text(" ")
                    html.element("bdi", text: keyText.shortened(200))
                }
            }
        }
        if let commit = view.commit { banner(commit, &html) }
        html.element("div", .class("columns")) { html in
            html.element("div") { html in
                if let record = view.record { values(record, &html) } else { nothing(&html) }
            }
            html.element("div") { html in
                if !view.referring.isEmpty { back(&html) }
                if let history = view.history { changes(history, &html) }
            }
        }
    }

    private func banner(_ commit: Int, _ html: inout HTML) {
        html.element("p", .class("banner"), .init("role", "status")) { html in
            html.text("As it was after commit \(commit.grouped). ")
            html.element("a", .href(.record(schema, view.key)), text: "Show it as it is now")
        }
    }

    private func nothing(_ html: inout HTML) {
        html.element("div", .class("panel empty")) { html in
            html.element(
                "p", text: view.commit == nil ? "No record has this key now." : "No record had this key then.")
        }
    }

    // MARK: Values

    private func values(_ record: DynamicRecord, _ html: inout HTML) {
        let relations = Relation.all(of: schema).filter(\.owners.isEmpty)
        let direct = Dictionary(
            relations.filter { !$0.isArray }.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let isLarge: (DynamicRecord.Field) -> Bool = { field in
            if case .children(let children?) = field.content { !children.isEmpty } else { false }
        }
        html.element("section", .class("panel")) { html in
            html.element("dl") { html in
                for field in record.fields where !isLarge(field) {
                    html.element("dt", text: field.name)
                    html.element("dd") { html in
                        if let relation = direct[field.name], case .value(let value, let type) = field.content,
                            !value.isNull
                        {
                            reference(relation, of: record, value: value, type: type, to: &html)
                        } else {
                            content(field.content, at: address.adding(field.name), &html)
                        }
                    }
                }
            }
        }
        for field in record.fields where isLarge(field) {
            guard case .children(let children?) = field.content else { continue }
            html.element("section", .class("panel")) { html in
                html.element("h2") { html in
                    html.element("bdi", text: field.name)
                    html.element("small", text: children.count.grouped)
                }
                if let relation = relations.first(where: { $0.isArray && $0.name == field.name }) {
                    elements(of: relation, children, to: &html)
                } else {
                    OwnedTable(records: children, address: address.adding(field.name)).write(&html)
                }
            }
        }
    }

    private func reference(
        _ relation: Relation, of record: DynamicRecord, value: Value, type: ColumnType, to html: inout HTML
    ) {
        let key = relation.parts.map { record.value($0.name)?.text(as: $0.columnType) ?? "" }
        html.element("a", .href(Address("/record").adding("m", relation.target).adding("k", key))) { html in
            html.value(value, type, most: 200)
        }
        if let label = view.labels.label(relation.target, key[0]) {
            html.element("small") { $0.element("bdi", text: label.shortened(100)) }
        }
    }

    /// The elements of an array of references, as links.
    private func elements(of relation: Relation, _ elements: [DynamicRecord], to html: inout HTML) {
        html.element("ul", .class("back")) { html in
            for element in elements.prefix(OwnedTable.most) {
                let key = relation.parts.map { element.value($0.name)?.text(as: $0.columnType) ?? "" }
                html.element("li") { html in
                    html.element("a", .href(Address("/record").adding("m", relation.target).adding("k", key))) { html in
                        html.element(
                            "bdi", text: view.labels.label(relation.target, key[0]) ?? key.joined(separator: ", "))
                    }
                }
            }
            if elements.count > OwnedTable.most {
                html.element("li") { $0.note("and \((elements.count - OwnedTable.most).grouped) more") }
            }
        }
    }

    private func content(_ content: DynamicRecord.Content, at address: ValueAddress, _ html: inout HTML) {
        switch content {
        case .value(let value, let type): html.folded(value, type, most: 4000, at: address.address)
        case .child(nil), .children(nil): html.note("nil")
        case .children: html.note("none")
        case .child(let child?):
            html.element("dl") { html in
                for field in child.fields {
                    html.element("dt", text: field.name)
                    html.element("dd") { html in
                        if case .children(let children?) = field.content, !children.isEmpty {
                            OwnedTable(records: children, address: address.adding(field.name)).write(&html)
                        } else {
                            self.content(field.content, at: address.adding(field.name), &html)
                        }
                    }
                }
            }
        }
    }

    // MARK: References to it

    private func back(_ html: inout HTML) {
        html.element("section", .class("panel")) { html in
            html.element("h2", text: "Referred to by")
            html.element("ul", .class("back")) { html in
                for referring in view.referring {
                    html.element("li") { html in
                        if let count = referring.count {
                            html.element("span", .class("count"), text: count.grouped)
                        }
                        let model = referring.relation.model
                        let records = Address("/records").adding("m", model).adding("w", referring.condition)
                        html.element("a", .href(records)) { $0.element("bdi", text: model) }
                        html.element("i", text: " by \(referring.relation.path)")
                        first(referring, &html)
                        if let count = referring.count, count > referring.first.count {
                            html.element("a", .class("all"), .href(records), text: "Show all \(count.grouped)")
                        }
                    }
                }
            }
        }
    }

    private func first(_ referring: RecordView.Referring, _ html: inout HTML) {
        guard !referring.first.isEmpty else { return }
        html.element("ul") { html in
            for entry in referring.first {
                let address = Address("/record").adding("m", referring.schema.name).adding("k", entry.key)
                html.element("li") { html in
                    html.element("a", .href(address)) { html in
                        html.element("bdi", text: (entry.label ?? entry.key.joined(separator: ", ")).shortened(60))
                    }
                }
            }
        }
    }

    // MARK: History

    private func changes(_ history: RecordHistory, _ html: inout HTML) {
        html.element("section", .class("panel")) { html in
            html.element("h2", text: "History")
            guard !history.changes.isEmpty else {
                return html.element("p", .class("facts"), text: "No change of this record is kept.")
            }
            HistoryList(changes: Array(history.changes.prefix(50)), key: (schema, view.key)).write(&html)
            if history.changes.count > 50 || history.hasEarlier {
                html.element("p") { $0.note("Earlier changes are not shown.") }
            }
        }
    }
}
