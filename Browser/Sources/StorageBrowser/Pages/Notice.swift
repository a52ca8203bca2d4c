import StorageAPI
import StorageDriver

/// A page that says one thing.
struct Notice {
    let title: String
    private let text: String
    private let details: String?

    init(_ title: String, _ text: String, details: String?) {
        (self.title, self.text, self.details) = (title, text, details)
    }

    init(_ error: StorageError) {
        let title =
            switch error.code {
            case .busy, .locked: "The store is in use"
            case .corrupt: "The store is damaged"
            case .schemaNewer: "The store is newer than this program"
            case .io, .configuration: "The store cannot be read"
            case .closed: "The store was opened again"
            case .notFound: "Not found"
            case .moved: "The store has moved"
            case .notKept: "The history does not keep that"
            default: "This cannot be shown"
            }
        let place = [
            error.message.contains(error.model ?? "") ? nil : error.model,
            error.key.map { "key \($0.shown)" }, error.property,
        ].compactMap(\.self).joined(separator: ", ")
        let text = place.isEmpty ? error.message : "\(place): \(error.message)"
        self.init(title, text, details: error.underlying.map { "\($0)" })
    }

    func write(_ html: inout HTML) {
        html.element("div", .class("notice")) { html in
            html.element("h1", text: title)
            html.element("p", text: text)
            if let details { html.element("pre", .init("tabindex", "0"), text: details.shortened(2000)) }
        }
    }

    func page(store: String) -> HTML {
        var layout = Layout(store: store, title: title)
        layout.isLive = false
        return layout.page { write(&$0) }
    }

    /// The page that sets the cookie, and leads on. A redirect would not do: where another site has the link, the browser would
    /// count its target as asked for by that site, and not send the cookie.
    static func entrance(store: String) -> HTML {
        var html = HTML()
        html.doctype()
        html.element("html", .init("lang", "en")) { html in
            html.element("head") { html in
                html.void("meta", .init("charset", "utf-8"))
                html.void("meta", .init("http-equiv", "refresh"), .init("content", "0;url=/"))
                html.element("title", text: store)
                html.void("link", .init("rel", "icon"), .href(Address("/icon.svg")))
                html.void("link", .init("rel", "stylesheet"), .href(Address("/style.css")))
            }
            html.element("body") { html in
                html.element("p") { $0.element("a", .href(Address("/")), text: "Go on to the store") }
            }
        }
        return html
    }
}
