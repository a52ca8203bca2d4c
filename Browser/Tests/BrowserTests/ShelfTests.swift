import Foundation
import Testing

/// Tests pages of books: pictures, downloads, values with their counts, references, long texts.
@Suite(.serialized)
struct ShelfTests {
    private func shelf() async throws -> String {
        let url = "sqlite:\(try Places.folder())/shelf.db"
        try await Places.makeStore("shelf", url)
        return url
    }

    @Test func `every page of books is drawn in both sizes, light and dark`() async throws {
        try await inBrowser(try await shelf()) { driver, pages in
            for (name, path) in [
                ("models", "/"), ("books", "/records?m=Book"), ("book", "/record?m=Book&k=1"),
                ("arabic", "/record?m=Book&k=4"), ("tag", "/record?m=Tag&k=1"),
                ("gone", "/record?m=Tag&k=99"),
                ("values", "/records?m=Book&y=genre&y=shelf&o=title&d=1"), ("schema", "/schema?m=Tag"),
            ] {
                try await driver.look(at: pages.site + path, as: "shelf-\(name)")
            }
        }
    }

    @Test func `references have labels, and lead to all that refer to a record`() async throws {
        try await inBrowser(try await shelf()) { driver, pages in
            try await driver.open(pages.site + "/record?m=Book&k=1")
            let labels =
                "return [...document.querySelectorAll('.back li a')].map((a) => a.textContent).join('|')"
            #expect(try await driver.text(labels) == "سفر|ink & paper|travel|poetry")
            try await driver.open(pages.site + "/records?m=Book")
            let cell = "return document.querySelector('#rows tr td:nth-child(7)').textContent"
            #expect(try await driver.text(cell) == "4سفر, ink & paper, travel, …")
            try await driver.open(pages.site + "/record?m=Tag&k=2")
            #expect(
                try await driver.text("return document.querySelector('.back .all').textContent")
                    == "Show all 11")
            try await driver.click(".back .all")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 11")
        }
    }

    @Test func `a long text is folded, and stays open when the page follows the store`() async throws {
        let url = try await shelf()
        try await inBrowser(url) { driver, pages in
            try await driver.open(pages.site + "/record?m=Book&k=1")
            try await driver.wait(for: "document.querySelector('#live').dataset.state == 'on'")
            #expect(
                try await driver.number(
                    "return document.querySelector('.fold').innerText.split('\\n').length") <= 10)
            try await driver.click(".fold summary")
            try await driver.wait(for: "document.querySelector('.fold').innerText.includes('Line 120')")
            try await Places.makeStore("shelve", url)
            try await driver.wait(for: "document.querySelector('#models').textContent.includes('22')")
            #expect(
                try await driver.value("return document.querySelector('.fold').open") as? Bool == true)
        }
    }

    @Test func `counts are right just after a change`() async throws {
        let url = try await shelf()
        let pages = try await ShownPages(url)
        let cookie = try await pages.cookie()
        for count in 21...24 {
            let page = try await pages.answer("/records?m=Book", cookie: cookie).text
            #expect(page.contains("1–\(count) of \(count)<") && page.contains("\(count) records"))
            try await Places.makeStore("shelve", url)
        }
        await pages.end()
    }

    @Test func `the address follows the place in an endless list`() async throws {
        let url = "sqlite:\(try Places.folder())/events.db"
        try await Places.makeStore("many", url, "1000")
        try await inBrowser(url) { driver, pages in
            try await driver.open(pages.site + "/records?m=Event&o=name")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 100")
            let down =
                "const done = arguments[0]; loadNext().then(loadNext).then(loadNext).then(() => done(1))"
            _ = try await driver.awaited(down)
            // The row 250 is on the third page, and far from the end of what is loaded.
            let show =
                "document.querySelector('#rows').children[arguments[0]].scrollIntoView({ block: 'start' })"
            _ = try await driver.value(show, [250])
            try await driver.wait(for: "location.search.includes('n=201')")
            _ = try await driver.value(show, [0])
            try await driver.wait(for: "!location.search.includes('n=')")
            _ = try await driver.value(show, [250])
            try await driver.wait(for: "location.search.includes('n=201')")
            _ = try await driver.value("location.reload()")
            try await driver.wait(
                for: "document.querySelector('.place')?.textContent.startsWith('201–300')")
        }
    }

    @Test func `values of a property have counts, and lead to their records`() async throws {
        try await inBrowser(Places.chinook) { driver, pages in
            try await driver.open(pages.site + "/records?m=Customer")
            try await driver.click("details.chooser:nth-of-type(2) summary")
            try await driver.click(".menu a[href*='y=Country']")
            try await driver.wait(for: "document.querySelector('.facet')")
            let first = "return document.querySelector('.facet li').innerText.replace(/\\s+/g, ' ')"
            #expect(try await driver.text(first) == "USA 13")
            try await driver.click(".facet li a")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 13")
            // Another property within these records, with the labels of references.
            try await driver.open(try await driver.text("return location.href") + "&y=SupportRepId")
            #expect(try await driver.number("return document.querySelectorAll('.facet').length") == 2)
            try await driver.click(".facet:nth-child(2) li a")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length < 13")
            let condition = try await driver.text("return document.querySelector('#condition').value")
            #expect(condition.hasPrefix("Country == \"USA\" and SupportRepId == "))
        }
        // nil, texts with quotes and alternatives lead to exactly the records that were counted.
        let pages = try await ShownPages(try await shelf())
        let cookie = try await pages.cookie()
        for condition in ["", "&w=id+%3C+4+or+id+%3E+10"] {
            for property in ["shelf", "notes", "title", "genre"] {
                let page = try await pages.answer(
                    "/records?m=Book&y=\(property)\(condition)", cookie: cookie
                ).text
                let entries = page.matches(of: #/<li><a href="([^"]*)"><bdi>.*?<span class="count">(\d+)</#)
                #expect(!entries.isEmpty)
                for entry in entries {
                    let found = try await pages.answer(
                        String(entry.1).replacing("&amp;", with: "&"), cookie: cookie)
                    #expect(Pages.keys(in: found.text).count == Int(entry.2), "\(property): \(entry.1)")
                }
            }
        }
        await pages.end()
    }

    @Test func `bytes are pictures or downloads, and never pages`() async throws {
        try await inBrowser(try await shelf()) { driver, pages in
            try await driver.open(pages.site + "/record?m=Book&k=7")
            try await driver.wait(for: "document.querySelector('.picture')?.naturalWidth == 48")
            // An address of bytes that are a page saves them: the browser stays where it was.
            let cookie = try await driver.cookies().map { "\($0["name"] ?? "")=\($0["value"] ?? "")" }
                .joined()
            for (key, type) in [
                (7, "image/png"), (1, "application/octet-stream"), (2, "application/octet-stream"),
                (3, "application/pdf"),
            ] {
                let answer = try await pages.answer("/blob?m=Book&k=\(key)&p=cover", cookie: cookie)
                #expect(answer.status == 200 && answer.headers["content-type"] == type)
                #expect(
                    answer.headers["content-disposition"]?.hasPrefix(
                        "attachment; filename=\"Book-\(key)-cover.") == true)
                #expect(answer.headers["content-security-policy"]?.contains("sandbox") == true)
                #expect(answer.headers["x-content-type-options"] == "nosniff")
            }
            let scan = try await pages.answer("/blob?m=Book&k=1&p=scans&p=0&p=bytes", cookie: cookie)
            #expect(scan.body.count == 220)
            let notes = try await pages.answer("/blob?m=Book&k=1&p=notes", cookie: cookie)
            #expect(
                notes.body.count == 2652 && notes.headers["content-type"] == "text/plain; charset=utf-8")
            for path in [
                "k=4&p=cover", "k=99&p=cover", "k=1&p=none", "k=1&p=scans&p=9&p=bytes", "k=1",
                "k=1&p=scans&p=-1&p=x",
            ] {
                #expect(
                    try await pages.answer("/blob?m=Book&\(path)", cookie: cookie).status == 404, "\(path)")
            }
            #expect(try await pages.answer("/blob?m=Book&k=7&p=cover").status == 403)
            #expect(try await driver.console() == [])
        }
    }

    @Test func `records are downloaded as the tool exports them`() async throws {
        let url = try await shelf()
        let pages = try await ShownPages(url)
        let cookie = try await pages.cookie()
        let csv = try await pages.answer(
            "/export?m=Book&f=csv&w=id+%3C+9&o=title&d=1&c=title&c=tags", cookie: cookie)
        #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
        #expect(
            csv.headers["content-disposition"]
                == "attachment; filename=\"Book.csv\"; filename*=UTF-8''Book.csv")
        let selected = try await Places.run(
            Places.tool, "select", url, "Book", "--where", "id < 9", "--order", "title desc", "--columns",
            "id,title,tags",
            "--format", "csv")
        #expect(csv.plainText == selected)
        let json = try await pages.answer("/export?m=Book&f=json", cookie: cookie)
        #expect(
            json.plainText
                == (try await Places.run(Places.tool, "select", url, "Book", "--format", "json")))
        let none = try await pages.answer("/export?m=Book&f=json&w=id+%3C+0", cookie: cookie)
        #expect(none.plainText == "[]\n")
        for path in ["m=Book&f=xml", "m=Book", "m=Nothing&f=csv"] {
            #expect(try await pages.answer("/export?\(path)", cookie: cookie).status == 404, "\(path)")
        }
        #expect(try await pages.answer("/export?m=Book&f=csv&w=Nme", cookie: cookie).status == 400)
        #expect(try await pages.answer("/export?m=Book&f=csv").status == 403)
        await pages.end()
    }

    @Test func `a diagram leads to the models, and names their references`() async throws {
        try await inBrowser(Places.chinook) { driver, pages in
            try await driver.open(pages.site + "/")
            let links =
                "return [...document.querySelectorAll('.diagram a')].map((a) => a.getAttribute('aria-label')).join('|')"
            let names = try await driver.text(links).split(separator: "|")
            #expect(names.count == 22 && names.contains("AlbumId refers to Album"), "\(names)")
            // Each model is after the models that it refers to.
            let (artist, album) = (
                names.firstIndex(of: "Artist") ?? .max, names.firstIndex(of: "Album") ?? -1
            )
            #expect(artist < album)
            try await driver.look(width: 390, height: 844, isDark: false)
            #expect(
                try await driver.number(
                    "return document.querySelector('.diagram svg').getBoundingClientRect().width") < 340)
        }
    }
}

extension PlainHTTP.Answer {
    /// The body of an answer in chunks (RFC 9112), or the body itself.
    fileprivate var plainText: String {
        guard headers["transfer-encoding"] == "chunked" else { return text }
        var (rest, plain) = (body[...], [UInt8]())
        while let end = rest.firstIndex(of: 0x0A) {
            let size = Int(
                String(decoding: rest[..<end], as: UTF8.self).trimmingCharacters(
                    in: .whitespacesAndNewlines), radix: 16)
            guard let size, size > 0, rest.distance(from: end, to: rest.endIndex) > size else { break }
            plain += rest[(end + 1)..<(end + 1 + size)]
            rest = rest[(end + 1 + size)...].dropFirst(2)
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
