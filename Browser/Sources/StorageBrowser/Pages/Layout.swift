import StorageAPI

/// The parts of a page that surround its content.
struct Layout {
    let store: String
    let title: String
    var models: [ModelCount] = []
    /// The model that the page is about.
    var model: String?
    /// True if the page is the history of all models.
    var isWholeHistory = false
    /// The way from the list of models to this page.
    var trail: [(text: String, address: Address?)] = []
    /// True if the browser requests the page again when the store changes.
    var isLive = true

    func page(_ content: (inout HTML) throws -> Void) rethrows -> HTML {
        var html = HTML()
        html.doctype()
        try html.element("html", .init("lang", "en")) { html in
            head(&html)
            try html.element("body") { html in
                html.element("a", .class("skip"), .init("href", "#main"), text: "Skip to the content")
                bar(&html)
                sidebar(&html)
                try html.element("main", .id("main")) { html in try content(&html) }
                help(&html)
            }
        }
        return html
    }

    private func head(_ html: inout HTML) {
        html.element("head") { html in
            html.void("meta", .init("charset", "utf-8"))
            html.void("meta", .init("name", "viewport"), .init("content", "width=device-width, initial-scale=1"))
            html.void("meta", .init("name", "color-scheme"), .init("content", "light dark"))
            html.element("title", text: "\(title) · \(store)")
            html.void("link", .init("rel", "icon"), .href(Address("/icon.svg")))
            html.void("link", .init("rel", "stylesheet"), .href(Address("/style.css")))
            html.element("script", .init("src", "/script.js"), .flag("defer"), text: "")
        }
    }

    private func bar(_ html: inout HTML) {
        html.element("header", .class("bar")) { html in
            html.element("a", .class("store"), .href(Address("/"))) { html in
                html.void(
                    "img", .init("src", "/icon.svg"), .init("alt", ""), .init("width", "20"), .init("height", "20"))
                html.element("bdi", text: store)
            }
            html.element("nav", .class("trail"), .init("aria-label", "Where this page is")) { html in
                for step in trail {
                    if let address = step.address {
                        html.element("a", .href(address)) { $0.element("bdi", text: step.text) }
                    } else {
                        // The separator is in the page's direction, whatever the text's direction is.
                        html.element("span", .init("aria-current", "page")) { $0.element("bdi", text: step.text) }
                    }
                }
            }
            if isLive {
                html.element(
                    "span", .class("live"), .id("live"), .init("role", "status"),
                    .init("title", "This page follows the store"), text: "live")
            }
            html.element(
                "button", .id("theme"), .init("type", "button"), .init("title", "Light or dark"),
                .init("aria-label", "Light or dark"), text: "◐")
        }
    }

    private func sidebar(_ html: inout HTML) {
        html.element("nav", .class("models"), .id("models"), .init("aria-label", "Models")) { html in
            for entry in models {
                let address = Address("/records").adding("m", entry.name)
                let current = entry.name == model ? "true" : "false"
                html.element("a", .href(address), .init("aria-current", current)) { html in
                    html.element("bdi", text: entry.name)
                    html.element("span", text: entry.count?.grouped ?? "–")
                }
            }
            let current = isWholeHistory ? "true" : "false"
            html.element("a", .class("whole"), .href(Address("/history")), .init("aria-current", current)) { html in
                html.element("span", text: "History")
            }
        }
    }

    private func help(_ html: inout HTML) {
        let keys: [(String, String)] = [
            ("/", "search, otherwise the condition"), ("f", "condition"), ("j k", "next, previous record"),
            ("Enter", "open the record"),
            ("n p", "next, previous page"), ("h", "models"), ("t", "light or dark"), ("?", "this list"),
            ("Esc", "close"),
        ]
        html.element("dialog", .id("help")) { html in
            html.element("h2", text: "Keys")
            html.element("dl") { html in
                for (key, meaning) in keys {
                    html.element("dt") { $0.element("kbd", text: key) }
                    html.element("dd", text: meaning)
                }
            }
        }
    }
}

/// A model with the number of its records, if that is known.
struct ModelCount: Hashable, Sendable {
    let name: String
    var count: Int?
}
