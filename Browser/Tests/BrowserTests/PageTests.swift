import Foundation
import Testing

/// The pages in a real browser, one after the other: they share the browser.
@Suite(.serialized)
struct PageTests {
    private func copyOfChinook() throws -> String {
        let path = try Places.folder() + "/chinook.db"
        try FileManager.default.copyItem(atPath: Places.chinook, toPath: path)
        return path
    }

    @Test func `every page of Chinook is drawn in both sizes, light and dark`() async throws {
        try await inBrowser(try copyOfChinook()) { driver, pages in
            let shown = [
                ("models", "/"), ("tracks", "/records?m=Track"), ("customers", "/records?m=Customer"),
                ("vertical", "/records?m=Customer&v=1"), ("artist", "/record?m=Artist&k=1"),
                ("customer", "/record?m=Customer&k=5"), ("bars", "/groups?m=Invoice&g=BillingCountry&f=sum&p=Total"),
                ("line", "/groups?m=Invoice&g=InvoiceDate&f=sum&p=Total"), ("schema", "/schema?m=Track"),
                ("explain", "/records?m=Track&w=AlbumId+%3D%3D+1&x=1"), ("mistake", "/records?m=Track&w=Nme"),
                ("nothing", "/records?m=Track&w=TrackId+%3C+0"), ("no-history", "/history"),
            ]
            for (name, path) in shown { try await driver.look(at: pages.site + path, as: "chinook-\(name)") }
        }
    }

    @Test func `every page of a store with history and owned records is drawn`() async throws {
        for (scheme, url) in try Places.newStores() {
            try await Places.makeStore("make", url)
            try await inBrowser(url) { driver, pages in
                let shown = [
                    ("todos", "/records?m=Todo"), ("todo", "/record?m=Todo&k=7"), ("as-of", "/record?m=Todo&k=7&at=10"),
                    ("project", "/record?m=Project&k=1"), ("history", "/history"), ("gone", "/record?m=Todo&k=13"),
                ]
                for (name, path) in shown { try await driver.look(at: pages.site + path, as: "\(scheme)-\(name)") }
                try await driver.open(pages.site + "/history")
                let current = "return document.querySelector('.models [aria-current=\"true\"]').textContent"
                #expect(try await driver.text(current) == "History")
                try await driver.open(pages.site + "/record?m=Todo&k=7")
                #expect(
                    try await driver.text("return document.querySelector('.diff del').textContent")
                        == "Paint the wall 7")
                try await driver.open(pages.site + "/record?m=Todo&k=7&at=10")
                #expect(
                    try await driver.text("return document.querySelector('h1 bdi').textContent") == "Paint the wall 7")
                let inverse = pages.site + "/record?m=Project&k=2"
                try await driver.open(inverse)
                #expect(try await driver.text("return document.querySelector('.back .count').textContent") == "10")
            }
        }
    }

    @Test func `the first page tells what waits for the hub`() async throws {
        let folder = try Places.folder()
        try await Places.makeStore("replicate", "sqlite:\(folder)/hub.db", "sqlite:\(folder)/replica.db")
        try await inBrowser("sqlite:\(folder)/replica.db") { driver, pages in
            try await driver.look(at: pages.site + "/", as: "replica")
            let facts = "return [...document.querySelectorAll('.facts')].map((facts) => facts.textContent).join()"
            #expect(try await driver.text(facts).contains("Replica: 1 commit waits for the hub · last exchange 20"))
        }
        try await inBrowser("sqlite:\(folder)/hub.db") { driver, pages in
            try await driver.open(pages.site + "/")
            #expect(try await driver.number("return document.querySelectorAll('.facts').length") == 1)
        }
    }

    @Test func `every page of GeoNames is drawn`() async throws {
        try await inBrowser(Places.cities) { driver, pages in
            for (name, path) in [
                ("cities", "/records?m=City"), ("city", "/record?m=City&k=2867714"), ("groups", "/groups?m=City"),
            ] {
                try await driver.look(at: pages.site + path, as: "geonames-\(name)")
            }
        }
    }

    @Test func `links lead through a reference and back`() async throws {
        try await inBrowser(try copyOfChinook()) { driver, _ in
            try await driver.click(".cards a[href='/records?m=Artist']")
            try await driver.wait(for: "document.querySelector('#rows a')")
            try await driver.click("#rows a")
            try await driver.wait(for: "document.querySelector('.back')")
            #expect(try await driver.text("return document.querySelector('h1 bdi').textContent") == "AC/DC")
            #expect(try await driver.text("return document.querySelector('.back .count').textContent") == "2")
            try await driver.click(".back > li > a")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 2")
            try await driver.click("#rows a")
            try await driver.wait(for: "document.querySelector('dl a')")
            try await driver.click("dl a")
            try await driver.wait(for: "document.querySelector('h1 bdi').textContent == 'AC/DC'")
        }
    }

    @Test func `a condition is completed, filters, and a title sorts`() async throws {
        try await inBrowser(try copyOfChinook()) { driver, pages in
            try await driver.open(pages.site + "/records?m=Track")
            try await driver.type("Comp", into: "#condition")
            try await driver.wait(for: "document.querySelector('.completions li')?.textContent.startsWith('Composer')")
            try await driver.type("\u{E004}", into: "#condition")
            try await driver.type("== \"AC", into: "#condition")
            try await driver.wait(for: "document.querySelector('.completions li')?.textContent.includes('AC/DC')")
            try await driver.type("\u{E004}", into: "#condition")
            #expect(
                try await driver.text("return document.querySelector('#condition').value") == "Composer == \"AC/DC\" ")
            try await driver.type("\u{E007}", into: "#condition")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 8")
            try await driver.wait(for: "document.querySelector('#total').textContent == '8 records'")
            let titles = "[...document.querySelectorAll('#rows tr')].map((r) => r.cells[6].textContent)"
            for direction in ["ascending", "descending"] {
                try await driver.click("th:nth-child(7) a")
                try await driver.wait(for: "document.querySelector('th:nth-child(7)').ariaSort == '\(direction)'")
                let shown = try await driver.value("return \(titles)") as? [String] ?? []
                let numbers = shown.compactMap { Int($0) }
                #expect(
                    numbers.count == 8
                        && numbers == (direction == "ascending" ? numbers.sorted() : numbers.sorted(by: >)))
            }
        }
    }

    @Test func `keys move, open and close`() async throws {
        try await inBrowser(try copyOfChinook()) { driver, pages in
            try await driver.open(pages.site + "/records?m=Artist")
            try await driver.press("jj")
            try await driver.wait(for: "document.querySelector('#rows .here')?.rowIndex == 2")
            try await driver.press("n")
            try await driver.wait(for: "document.querySelector('.place').textContent.startsWith('101–200')")
            try await driver.press("p")
            try await driver.wait(for: "document.querySelector('.place').textContent.startsWith('1–100')")
            try await driver.press("/")
            try await driver.wait(for: "document.activeElement.id == 'condition'")
            try await driver.press("\u{E00C}")
            try await driver.press("?")
            try await driver.wait(for: "document.querySelector('#help').open")
            try await driver.press("\u{E00C}")
            try await driver.wait(for: "!document.querySelector('#help').open")
            try await driver.press("j\u{E007}")
            try await driver.wait(for: "document.querySelector('.back')")
            try await driver.press("t")
            try await driver.wait(for: "document.documentElement.dataset.theme == 'dark'")
        }
    }

    @Test func `a page follows what another process writes`() async throws {
        for (_, url) in try Places.newStores() {
            try await Places.makeStore("make", url)
            try await inBrowser(url) { driver, pages in
                try await driver.open(pages.site + "/records?m=Todo&o=id")
                try await driver.wait(for: "document.querySelector('#live').dataset.state == 'on'")
                #expect(try await driver.number("return document.querySelectorAll('#rows tr').length") == 29)
                try await Places.makeStore("change", url)
                try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 30")
                try await driver.wait(
                    for: "document.querySelector('#rows').textContent.includes('Changed from elsewhere')")
                try await driver.wait(for: "document.querySelector('#models').textContent.includes('30')")
            }
        }
    }

    @Test func `a change between two listening tabs reaches the second`() async throws {
        let url = "sqlite:\(try Places.folder())/todos.db"
        try await Places.makeStore("make", url)
        try await inBrowser(url) { driver, pages in
            // Of the two tabs the first one listens for both.
            try await driver.open(pages.site + "/records?m=Todo&o=id")
            try await driver.wait(for: "document.querySelector('#live').dataset.state == 'on'")
            let first = try await driver.tabs()
            try await driver.newTab()
            try await driver.open(pages.site + "/records?m=Todo&o=id")
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 29")
            let second = try await driver.tabs().filter { !first.contains($0) }
            // The second connects some time after its turn has come; the store changes before.
            _ = try await driver.value(
                """
                const Source = EventSource;
                window.EventSource = function (address) {
                  document.title = 'listening';
                  setTimeout(() => {
                    const source = new Source(address);
                    source.onopen = () => this.onopen();
                    source.onmessage = (message) => this.onmessage(message);
                  }, 4000);
                };
                """)
            for tab in first {
                try await driver.show(tab: tab)
                try await driver.closeTab()
            }
            for tab in second { try await driver.show(tab: tab) }
            try await driver.wait(for: "document.title == 'listening'")
            try await Places.makeStore("change", url)
            try await driver.wait(for: "document.querySelectorAll('#rows tr').length == 30")
        }
    }

    @Test func `ten pages stay usable while a program writes at full speed`() async throws {
        let url = "sqlite:\(try Places.folder())/todos.db"
        try await Places.makeStore("make", url)
        try await inBrowser(url) { driver, pages in
            for _ in 1...9 {
                try await driver.newTab()
                try await driver.open(pages.site + "/records?m=Todo&o=id&d=1")
            }
            let before = pages.memory
            async let written = Places.makeStore("write", url, "5")
            for tab in try await driver.tabs() {
                try await driver.show(tab: tab)
                try await driver.open(pages.site + "/records?m=Todo&o=id&d=1")
                try await driver.wait(for: "document.querySelector('#rows tr')", seconds: 5)
            }
            let count = Int(try await written.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
            print("\(count) commits in 5 s beside ten pages; memory \(before) MB before, \(pages.memory) MB after")
            #expect(count > 100)
            // The last record is there in the end, in every tab.
            for tab in try await driver.tabs() {
                try await driver.show(tab: tab)
                try await driver.wait(for: "document.querySelector('#rows a').textContent == '\(100_000 + count)'")
            }
        }
    }
}
