import Foundation
import Testing

/// Tests the search on a model's page.
@Suite(.serialized)
struct SearchTests {
    private static let script = "return document.querySelectorAll('main script, main img, main b, [onerror]').length"

    @Test func `a search finds the best records first, and marks its words, on each engine`() async throws {
        for (scheme, url) in try Places.newStores() {
            try await Places.makeStore("notes", url)
            try await inBrowser(url) { driver, pages in
                try await driver.open(pages.site + "/records?m=Note")
                try await driver.press("/")
                try await driver.wait(for: "document.activeElement.id == 'search'")
                try await driver.type("storage engine\u{E007}", into: "#search")
                try await driver.wait(for: "document.querySelectorAll('.hits > li').length == 1")
                let marks = "[...document.querySelectorAll('.hits mark')].map((m) => m.textContent).join('|')"
                #expect(try await driver.text("return \(marks)") == "Storage|storage|engine")
                #expect(try await driver.text("return document.querySelector('#total').textContent") == "1 record")
                for (words, found) in [("strasse", "STRASSE"), ("明月", "明月|明月"), ("كلمات OR الكلمات", "الكلمات")] {
                    let escaped = words.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                    try await driver.open(pages.site + "/records?m=Note&q=\(escaped)")
                    #expect(try await driver.text("return \(marks)").hasSuffix(found), "\(words)")
                }
                // A condition is kept beside a search, and a search beside a condition.
                try await driver.open(pages.site + "/records?m=Note&q=engine")
                try await driver.wait(for: "document.querySelector('#total').textContent == '62 records'")
                try await driver.press("f")
                try await driver.wait(for: "document.activeElement.id == 'condition'")
                try await driver.type("year == 2003\u{E007}", into: "#condition")
                try await driver.wait(for: "document.querySelector('#total').textContent == '3 records'")
                #expect(try await driver.text("return document.querySelector('#search').value") == "engine")
                try await driver.click(".views a")
                try await driver.wait(for: "document.querySelectorAll('tbody#rows tr').length == 3")
                try await driver.press("j\u{E007}")
                try await driver.wait(for: "document.querySelector('.panel')")
                #expect(try await driver.console() == [])
                if scheme == "sqlite" {
                    for (name, path) in [
                        ("hits", "q=engine"), ("hits-chinese", "q=%E6%98%8E%E6%9C%88"),
                        ("hits-none", "q=nothing&w=year+%3E+1"),
                        ("searchable", ""), ("hits-arabic", "q=%D8%A7%D9%84%D8%A8%D8%AD%D8%AB"),
                    ] {
                        try await driver.look(at: pages.site + "/records?m=Note&\(path)", as: "search-\(name)")
                    }
                }
            }
        }
    }

    @Test func `pages of a search have every record once, without a script`() async throws {
        for (scheme, url) in try Places.newStores() {
            try await Places.makeStore("notes", url)
            let pages = try await ShownPages(url)
            let cookie = try await pages.cookie()
            var keys: [String] = []
            var next: String? = "/records?m=Note&q=engine"
            var last = ""
            while let path = next {
                let page = try await pages.answer(path, cookie: cookie)
                #expect(page.status == 200 && page.text.contains("62 records"), "\(scheme)")
                keys += page.text.components(separatedBy: "<li><h2><a href=\"").dropFirst().map {
                    String($0.prefix { $0 != "\"" })
                }
                last = page.text
                next = Pages.next(in: page.text)
            }
            #expect(keys.count == 62 && Set(keys).count == 62, "\(scheme)")
            // The best one has the word in its title too, and keys are UUIDs as people write them.
            #expect(keys.first?.hasSuffix("k=00000000-0000-0000-0000-000000000005") == true, "\(keys.first ?? "")")
            #expect(last.contains("51–62 of 62"))
            #expect(Pages.link("prev", in: last)?.hasSuffix("n=26") == true)
            await pages.end()
        }
    }

    @Test func `hostile texts and searches are text`() async throws {
        let url = "sqlite:\(try Places.folder())/store"
        try await Places.makeStore("notes", url)
        try await inBrowser(url) { driver, pages in
            let hostile =
                "\"><script>document.title='hit'</script></mark>".addingPercentEncoding(
                    withAllowedCharacters: .alphanumerics) ?? ""
            for query in ["engine", hostile, "%00", "%22", "-engine", "title:engine", "OR", "%E2%80%AE", "%FF%FE"] {
                try await driver.open(pages.site + "/records?m=Note&q=\(query)")
                try await driver.wait(for: "document.querySelector('#search')")
                #expect(try await driver.number(Self.script) == 0, "\(query)")
                #expect(try await driver.text("return document.title").contains("hit") == false)
                #expect(try await driver.console() == [], "\(query)")
            }
            try await driver.open(pages.site + "/records?m=Note&q=engine")
            let text = try await driver.text("return document.querySelector('#rows').textContent")
            #expect(text.contains("</mark><img src=x onerror=alert(1)> engine \"' & ⟨U+202E⟩enigne␀"))
            #expect(text.contains("<script>document.title='hit'</script> engine"))
        }
    }

    @Test func `a search that cannot be answered is told beside its form`() async throws {
        let url = "sqlite:\(try Places.folder())/store"
        try await Places.makeStore("notes", url)
        let pages = try await ShownPages(url)
        let cookie = try await pages.cookie()
        for (path, text) in [
            ("m=Plain&q=engine", "role=\"alert\""), ("m=Note&q=engine&w=(", "role=\"alert\""),
            ("m=Note&q=engine&n=-5", "1–25 of 62"), ("m=Note&q=engine&n=99999999999999999999", "1–25 of 62"),
            ("m=Note&q=engine&n=9999", "No record has these words"),
            ("m=Note&q=engine&s=0&o=nothing&v=1&x=1", "1–1 of 62"),
            ("m=Note&q=engine&s=10000", "1–62 of 62"), ("m=Note&q=engine&a=vx&b=vx&e=1&c=year&c=x", "1–25 of 62"),
            ("m=Note&q=", "65 records"), ("m=Note&q=engine&w=year+%3C+0", "Search without the condition"),
        ] {
            let page = try await pages.answer("/records?\(path)", cookie: cookie)
            #expect(page.status == 200 && page.text.contains(text), "\(path)")
        }
        let words = try await pages.answer("/complete?m=Note&t=ma", cookie: cookie).text
        #expect(words.contains("matches "))
        #expect(try await pages.answer("/complete?m=Note&t=body+", cookie: cookie).text.contains("matches "))
        #expect(try await pages.answer("/complete?m=Plain&t=text+", cookie: cookie).text.contains("matches") == false)
        #expect(try await pages.answer("/groups?m=Note&w=matches+%22engine%22&g=year", cookie: cookie).status == 200)
        await pages.end()
    }
}
