import Foundation
import StorageAPI
import StorageDriver
import StorageJSON

/// Changes of records, each with its differences.
struct HistoryList {
    let changes: [RecordChange]
    /// The record that all changes are of; nil if each has to say which one it is of.
    var key: (schema: RecordSchema, key: [Value])?
    var schemas: [RecordSchema] = []
    private static let maximum = 200

    func write(_ html: inout HTML) {
        html.element("ol", .class("entries")) { html in
            for change in changes { html.element("li") { entry(change, &$0) } }
        }
    }

    private func entry(_ change: RecordChange, _ html: inout HTML) {
        let entry = change.entry
        html.element("div", .class("when")) { html in
            html.element("span", .class("kind"), text: word(entry.kind))
            if key == nil { subject(change, &html) }
            if let key, entry.kind != .deleted {
                let address = Address.record(key.schema, key.key).adding("at", String(entry.commit))
                html.element(
                    "a", .href(address), .init("title", "The record as it was then"),
                    text: "commit \(entry.commit.grouped)")
            } else {
                html.element("span", text: "commit \(entry.commit.grouped)")
            }
            html.element("time", text: time(entry))
            let signature = [entry.author.map { "by \($0)" }, entry.note].compactMap(\.self).joined(separator: ": ")
            if !signature.isEmpty { html.element("bdi", text: signature.shortened(200)) }
        }
        switch entry.kind {
        case .updated: differences(change, &html)
        case .deleted: if let before = change.before, key == nil { html.element("i", text: "was \(before.summary)") }
        case .inserted, .everything: break
        }
    }

    /// `2026-11-25 04:20:00`, in UTC.
    private func time(_ entry: RecordChange.Entry) -> String {
        let text = Value.double(entry.time.timeIntervalSinceReferenceDate).text(as: .date) ?? ""
        return String(text.prefix(19)).replacing("T", with: " ")
    }

    private func subject(_ change: RecordChange, _ html: inout HTML) {
        let entry = change.entry
        guard let schema = schemas.first(where: { $0.name == entry.model }), let key = entry.key else {
            return html.element("bdi", text: entry.model)
        }
        let label = (change.after ?? change.before)?.label(schema)?.shortened(60)
        html.element("a", .href(.record(schema, key))) { html in
            html.element("bdi", text: "\(entry.model) \(schema.texts(key).joined(separator: ", "))")
        }
        if let label { html.element("bdi", text: label) }
    }

    private func differences(_ change: RecordChange, _ html: inout HTML) {
        let differences = change.differences
        guard !differences.isEmpty else { return }
        html.element("dl", .class("diff")) { html in
            for difference in differences {
                html.element("dt", text: difference.name)
                html.element("dd") { html in
                    html.element("del") { content(difference.before, &$0) }
                    html.element("ins") { content(difference.after, &$0) }
                }
            }
        }
    }

    private func content(_ content: DynamicRecord.Content?, _ html: inout HTML) {
        switch content {
        case .value(let value, let type)?: html.value(value, type, most: Self.maximum)
        case .child(let child?)?: html.text(child.summary)
        case .children(let children?)?:
            let shown = children.prefix(4).map(\.summary).joined(separator: "; ")
            html.text("\(children.count.counted("record")): \(shown)" + (children.count > 4 ? "; …" : ""))
        case nil, .child(nil)?, .children(nil)?: html.note("nil")
        }
    }

    private func word(_ kind: RecordChange.Entry.Kind) -> String {
        switch kind {
        case .inserted: "New"
        case .updated: "Changed"
        case .deleted: "Deleted"
        case .everything: "All records replaced"
        }
    }
}

/// The changes of a store or of one model.
struct HistoryPage {
    let schema: RecordSchema?
    let schemas: [RecordSchema]
    /// Nil if the store keeps none.
    let history: RecordHistory?

    func write(_ html: inout HTML) {
        if let schema {
            ModelHeading(schema: schema, page: .history).write(&html)
        } else {
            html.element("div", .class("heading")) { $0.element("h1", text: "History") }
        }
        guard let history else {
            return html.element("div", .class("empty")) { html in
                html.element("p", text: "The store keeps no history of \(schema.map(\.name) ?? "any model").")
                html.element(
                    "p", text: "A program turns it on where it opens the store: Store(…, options: .init(history: …)).")
            }
        }
        guard !history.changes.isEmpty else {
            return html.element("div", .class("empty")) { $0.element("p", text: "No change is kept.") }
        }
        html.element("section", .class("panel")) { html in
            HistoryList(changes: Array(history.changes.prefix(100)), schemas: schemas).write(&html)
        }
        html.element("nav", .class("pager")) { html in
            html.element("span", .class("place"), text: "")
            if let last = history.changes.prefix(100).last, history.changes.count > 100 || history.hasEarlier {
                let address = Address("/history").adding("m", schema?.name).adding("to", String(last.entry.commit - 1))
                html.element("a", .init("rel", "next"), .href(address), text: "Older")
            }
        }
    }
}
