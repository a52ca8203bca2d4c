import Foundation
import Testing

/// Tests input that must be refused, and stores that cannot be shown.
@Suite(.serialized)
struct BadInputTests {
    @Test func `requests without the ticket, or with a foreign host or origin, are refused`()
        async throws
    {
        let pages = try await ShownPages(Places.chinook)
        let host = String(pages.site.dropFirst("http://".count))
        for path in ["/", "/records?m=Track", "/events", "/complete?m=Track", "/count?m=Track", "/?token=00"] {
            #expect(try await pages.answer(path).status == 403)
        }
        let entrance = String(pages.entrance.dropFirst(pages.site.count))
        #expect(try await pages.answer(entrance, headers: ["Host": "evil.example:80"]).status == 403)
        #expect(try await pages.answer(entrance, headers: ["Origin": "http://evil.example"]).status == 403)
        let cookie = try await pages.cookie()
        #expect(cookie.hasPrefix("storage-browse-"))
        #expect(try await pages.answer("/", cookie: cookie).status == 200)
        // The ticket is good for one visit.
        #expect(try await pages.answer(entrance).status == 403)
        #expect(try await pages.answer("/", cookie: cookie + "0").status == 403)
        #expect(try await pages.answer("/", cookie: cookie, headers: ["Host": "evil.example"]).status == 403)
        #expect(try await pages.answer("/style.css", cookie: cookie, headers: ["Host": "evil.example"]).status == 403)
        #expect(try await pages.answer("/", cookie: cookie, headers: ["Origin": "null"]).status == 403)
        #expect(try await pages.answer("/", cookie: cookie, headers: ["Origin": "http://\(host)"]).status == 200)
        for method in ["POST", "PUT", "DELETE"] {
            #expect(try await pages.answer("/records?m=Track", cookie: cookie, method: method).status == 405)
        }
        let deep =
            String(repeating: "(", count: 1500) + "TrackId%3D%3D1" + String(repeating: ")", count: 1500)
        #expect(try await pages.answer("/count?m=Track&w=\(deep)", cookie: cookie).status == 400)
        await pages.end()
    }

    @Test func `a request that is not GET leaves the ticket good`() async throws {
        let pages = try await ShownPages(Places.chinook)
        let entrance = String(pages.entrance.dropFirst(pages.site.count))
        for method in ["POST", "HEAD", "OPTIONS"] {
            let answer = try await pages.answer(entrance, method: method)
            #expect(
                answer.status == 405 && answer.headers["allow"] == "GET"
                    && answer.headers["set-cookie"] == nil)
            #expect(answer.text.contains("hinook") == false)
        }
        #expect(try await pages.answer(entrance).headers["set-cookie"] != nil)
        await pages.end()
    }

    @Test func `every answer forbids foreign content`() async throws {
        let pages = try await ShownPages(Places.chinook)
        let cookie = try await pages.cookie()
        for path in ["/", "/records?m=Track", "/style.css", "/script.js", "/nowhere", "/record?m=Track&k=x"] {
            let headers = try await pages.answer(path, cookie: cookie).headers
            #expect(headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
            #expect(headers["content-security-policy"]?.contains("unsafe") == false)
            #expect(headers["x-content-type-options"] == "nosniff")
            #expect(headers["referrer-policy"] == "no-referrer")
        }
        #expect(try await pages.answer("/records?m=Track", cookie: cookie).headers["cache-control"] == "no-store")
        await pages.end()
    }

    @Test func `the cookie is not for scripts, and not for other sites`() async throws {
        let pages = try await ShownPages(Places.chinook)
        let answer = try await pages.answer(String(pages.entrance.dropFirst(pages.site.count)))
        #expect(answer.headers["set-cookie"]?.contains("HttpOnly") == true)
        #expect(answer.headers["set-cookie"]?.contains("SameSite=Strict") == true)
        await pages.end()
    }

    @Test func `hostile names and values are text`() async throws {
        let path = try Places.folder() + "/hostile.db"
        try await Places.makeStore("hostile", "sqlite:\(path)")
        try await inBrowser(path) { driver, pages in
            try await driver.wait(for: "document.querySelector('.cards a')")
            try await driver.click(".cards a")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 9")
            let script = "return document.querySelectorAll('main script, main img, main i i, [onx], [onerror]').length"
            #expect(try await driver.number(script) == 0)
            let text = try await driver.text("return document.querySelector('#rows').textContent")
            #expect(text.contains("<script>document.title='hit'</script>"))
            #expect(text.contains("⟨U+202E⟩gnp.exe") && text.contains("␀␁␡⟨U+85⟩"))
            // Each record is found again by the address of its link.
            let links =
                try await driver.value("return [...document.querySelectorAll('#rows a')].map((a) => a.href)")
                as? [String] ?? []
            #expect(links.count == 9)
            for link in links {
                try await driver.open(link)
                #expect(try await driver.number("return document.querySelectorAll('#main dl dt').length") == 3)
                #expect(try await driver.number(script) == 0)
            }
            #expect(try await driver.text("return document.title").contains("hit") == false)
            // A condition on such a property, as the groups' links write it.
            try await driver.open(pages.site + "/groups?m=%3Cscript%3Ealert(1)%3C/script%3E")
            try await driver.click(".bars a")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 1")
            #expect(try await driver.console() == [])
        }
    }

    @Test func `pages of large values stay small`() async throws {
        let path = try Places.folder() + "/large.db"
        try await Places.makeStore("large", "sqlite:\(path)")
        let pages = try await ShownPages(path)
        let cookie = try await pages.cookie()
        var next: String? = "/records?m=Page"
        var rows = 0
        while let path = next {
            let page = try await pages.answer(path, cookie: cookie)
            #expect(page.status == 200 && page.text.utf8.count < 60_000)
            rows += page.text.components(separatedBy: "<tr>").count - 2
            next = Pages.next(in: page.text)
        }
        #expect(rows == 40)
        #expect(try await pages.answer("/record?m=Page&k=1", cookie: cookie).text.utf8.count < 60_000)
        print("40 records of 10 MB each: \(pages.memory) MB resident")
        #expect(pages.memory < 400)
        await pages.end()
    }

    @Test func `values of a hundred megabytes are cut`() async throws {
        // An archive takes 48 MiB at most.
        for (scheme, megabytes) in [("sqlite", "100"), ("archive", "45")] {
            let url = "\(scheme):\(try Places.folder())/huge"
            try await Places.makeStore("large", url, megabytes, "3")
            let pages = try await ShownPages(url)
            let cookie = try await pages.cookie()
            let before = pages.memory
            var next: String? = "/records?m=Page"
            var rows = 0
            while let path = next {
                let page = try await pages.answer(path, cookie: cookie)
                #expect(page.status == 200 && page.text.utf8.count < 60_000)
                rows += page.text.components(separatedBy: "<tr>").count - 2
                next = Pages.next(in: page.text)
            }
            #expect(rows == 3)
            // The position in such an order is no part of an address.
            var keys: [String] = []
            next = "/records?m=Page&o=text&d=1&s=1"
            while let path = next {
                let page = try await pages.answer(path, cookie: cookie)
                #expect(page.status == 200 && page.text.utf8.count < 60_000 && path.utf8.count < 200, "\(scheme)")
                keys += Pages.keys(in: page.text)
                next = Pages.next(in: page.text)
            }
            #expect(keys.map { $0.suffix(3) } == ["k=1", "k=2", "k=3"], "\(scheme)")
            #expect(try await pages.answer("/records?m=Page&o=text&a=r&a=v9", cookie: cookie).status == 200)
            #expect(try await pages.answer("/complete?m=Page&t=text+%3D%3D+l", cookie: cookie).text.utf8.count < 10_000)
            for path in ["/record?m=Page&k=2", "/groups?m=Page&g=text", "/records?m=Page&o=text&d=1&v=1"] {
                let page = try await pages.answer(path, cookie: cookie)
                #expect(page.status == 200 && page.text.utf8.count < 60_000, "\(scheme) \(path)")
            }
            print("3 records of \(megabytes) MB on \(scheme): \(before) MB resident before, \(pages.memory) MB after")
            #expect(pages.memory < before + 1000)
            await pages.end()
        }
    }

    @Test func `a tab with an old token is told, and one beside an open page is let in`() async throws {
        let old = try await ShownPages(Places.chinook)
        let stale = String(old.entrance.dropFirst(old.site.count))
        await old.end()
        try await inBrowser(Places.chinook) { driver, pages in
            // The browser has the cookie by now, so the used address leads to the store in every tab.
            try await driver.newTab()
            try await driver.open(pages.entrance)
            try await driver.wait(for: "document.querySelector('.cards')")
            // The same server by another name has no cookie, and neither token is good there.
            let other = pages.site.replacing("127.0.0.1", with: "localhost")
            for address in [other + stale, pages.entrance.replacing("127.0.0.1", with: "localhost")] {
                try await driver.open(address)
                try await driver.wait(for: "document.querySelector('.notice')")
                #expect(try await driver.text("return document.body.textContent").contains("Run storage browse again"))
                #expect(
                    try await driver.number("return document.querySelectorAll('.models a:not(.whole)').length") == 0)
            }
        }
    }

    @Test func `an open page follows where its store is replaced, and says where it is gone`() async throws {
        let folder = try Places.folder()
        let path = folder + "/store.db"
        for (name, isChanged) in [("store.db", false), ("other.db", true)] {
            try await Places.makeStore("make", "sqlite:\(folder)/\(name)")
            if isChanged { try await Places.makeStore("change", "sqlite:\(folder)/\(name)") }
        }
        try await inBrowser(path) { driver, pages in
            try await driver.open(pages.site + "/records?m=Todo&o=id")
            try await driver.wait(for: "document.querySelector('#live').dataset.state == 'on'")
            #expect(try await driver.number("return document.querySelectorAll('#rows tr').length") == 29)
            #expect(rename(folder + "/other.db", path) == 0)
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 30")
            try await driver.wait(for: "document.querySelector('#rows').textContent.includes('Changed from elsewhere')")
            try FileManager.default.removeItem(atPath: path)
            try await driver.wait(for: "document.querySelector('.notice')?.textContent.includes('cannot be read')")
        }
    }

    @Test func `a record that cannot be read is named by its key`() async throws {
        let path = try Places.folder() + "/notes.db"
        try await Places.makeStore("notes", "sqlite:\(path)")
        // A byte that no UTF-8 has, in the title of one record.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.range(of: Data("Straße und".utf8)))
        bytes[place.lowerBound + 4] = 0xFF
        try bytes.write(to: URL(fileURLWithPath: path))
        let pages = try await ShownPages(path)
        let cookie = try await pages.cookie()
        for address in ["/record?m=Note&k=00000000-0000-0000-0000-000000000002", "/records?m=Note"] {
            let page = try await pages.answer(address, cookie: cookie)
            #expect(
                page.status == 500 && page.text.contains("key 00000000-0000-0000-0000-000000000002"), "\(page.text)")
        }
        await pages.end()
    }

    @Test func `a store of a newer format is told`() async throws {
        let path = try Places.folder() + "/notes.db"
        try await Places.makeStore("notes", "sqlite:\(path)")
        // The settings of the search index are of a later version then; SQLite has no checksum of them.
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let name = try #require(bytes.range(of: Data(#""version":"#.utf8)))
        #expect((UInt8(ascii: "1")..<UInt8(ascii: "9")).contains(bytes[name.upperBound]))
        bytes[name.upperBound] = UInt8(ascii: "9")
        let pages = try await ShownPages(path)
        let cookie = try await pages.cookie()
        #expect(try await pages.answer("/records?m=Note&q=engine", cookie: cookie).text.contains("62 records"))
        try bytes.write(to: URL(fileURLWithPath: path + ".new"))
        #expect(rename(path + ".new", path) == 0)
        let page = try await pages.answer("/records?m=Note&q=engine", cookie: cookie)
        #expect(page.status == 500 && page.text.contains("The store is newer than this program"), "\(page.text)")
        await pages.end()
    }

    @Test func `a store that is replaced, removed or damaged is told, and shown again`() async throws {
        let folder = try Places.folder()
        let path = folder + "/store.db"
        let files = FileManager.default
        try files.copyItem(atPath: Places.chinook, toPath: path)
        let pages = try await ShownPages(path)
        let cookie = try await pages.cookie()
        #expect(try await pages.answer("/records?m=Artist", cookie: cookie).text.contains("AC/DC"))
        try await Places.makeStore("make", "sqlite:\(folder)/other.db")
        #expect(rename(folder + "/other.db", path) == 0)
        #expect(try await pages.answer("/records?m=Todo", cookie: cookie).text.contains("Paint the wall"))
        #expect(try await pages.answer("/records?m=Artist", cookie: cookie).status == 404)
        try files.removeItem(atPath: path)
        let gone = try await pages.answer("/", cookie: cookie)
        #expect(gone.status == 500 && gone.text.contains("The store cannot be read"))
        try Data(repeating: 0x5A, count: 9000).write(to: URL(fileURLWithPath: path))
        let damaged = try await pages.answer("/", cookie: cookie)
        #expect(damaged.status == 500 && damaged.text.contains("class=\"notice\""))
        try files.removeItem(atPath: path)
        try files.copyItem(atPath: Places.chinook, toPath: path)
        #expect(try await pages.answer("/records?m=Artist", cookie: cookie).text.contains("AC/DC"))
        await pages.end()
    }

    @Test func `addresses that say nothing are told`() async throws {
        let pages = try await ShownPages(Places.chinook)
        let cookie = try await pages.cookie()
        for path in [
            "/records", "/records?m=Nothing", "/record?m=Track", "/record?m=Track&k=x", "/record?m=Track&k=1&k=2",
            "/record?m=Track&k=1&at=5", "/groups?m=%00", "/schema?m=", "/complete?m=Nothing", "/count?m=Track&w=(",
        ] {
            #expect(
                [400, 404, 500].contains(try await pages.answer(path, cookie: cookie).status), "\(path)")
        }
        for path in [
            "/records?m=Track&a=vx", "/records?m=Track&a=v1&a=v2", "/records?m=Track&o=nothing&d=1",
            "/records?m=Track&c=x",
            "/records?m=Track&s=-5", "/records?m=Track&s=99999999999999999999", "/records?m=Track&n=-1&a=v5",
            "/history?to=-1",
            "/groups?m=Track&g=x&f=y&p=z", "/complete?m=Track&t=%22((&p=99999", "/records?m=Track&%=%ZZ&&=",
        ] {
            #expect(try await pages.answer(path, cookie: cookie).status == 200, "\(path)")
        }
        #expect(try await pages.answer("/nowhere", cookie: cookie).status == 404)
        await pages.end()
    }
}
