import Foundation
import Testing

/// Tests the behaviour of pages that list records.
enum Pages {
    /// The address of a page that another one links to: `next`, `prev`, `first` or `last`.
    static func link(_ relation: String, in page: String) -> String? {
        guard let mark = page.range(of: "rel=\"\(relation)\" href=\"") else { return nil }
        let address = page[mark.upperBound...].prefix { $0 != "\"" }
        return String(address).replacing("&amp;", with: "&")
    }

    static func next(in page: String) -> String? { link("next", in: page) }

    /// The keys of the records of a page, in its order.
    static func keys(in page: String) -> [String] {
        guard let body = page.range(of: "<tbody") else { return [] }
        return page[body.upperBound...].components(separatedBy: "<tr>").dropFirst().map { row in
            String(row.split(separator: "\"").first { $0.hasPrefix("/record") } ?? "")
        }
    }
}

@Suite(.serialized)
struct PagingTests {
    @Test func `pages have every record once, forwards and backwards, in every order`() async throws {
        let pages = try await ShownPages(Places.chinook)
        let cookie = try await pages.cookie()
        let orders = [
            ("Track", 3503, ["", "Composer", "Milliseconds", "UnitPrice", "AlbumId", "Name"]),
            ("Invoice", 412, ["InvoiceDate", "BillingState", "Total"]), ("PlaylistTrack", 8715, ["", "TrackId"]),
        ]
        for (model, count, properties) in orders {
            for order in properties.flatMap({ $0.isEmpty ? [""] : ["&o=\($0)", "&o=\($0)&d=1"] }) {
                let start = "/records?m=\(model)&s=500\(order)"
                let forwards = try await walk(pages, cookie, from: start, by: "next").flatMap(\.self)
                #expect(forwards.count == count && Set(forwards).count == count, "\(start)")
                let backwards = try await walk(pages, cookie, from: start + "&e=1", by: "prev").reversed().flatMap(
                    \.self)
                #expect(backwards == forwards, "\(start) backwards")
            }
        }
        await pages.end()
    }

    /// The keys of each page.
    private func walk(
        _ pages: ShownPages, _ cookie: String, from start: String, by relation: String
    ) async throws -> [[String]] {
        var found: [[String]] = []
        var next: String? = start
        while let path = next {
            let page = try await pages.answer(path, cookie: cookie)
            #expect(page.status == 200)
            found.append(Pages.keys(in: page.text))
            next = Pages.link(relation, in: page.text)
        }
        return found
    }

    @Test func `a page of a hundred records takes 50 kB with all that it loads`() async throws {
        let path = try Places.folder() + "/events.db"
        try await Places.makeStore("many", "sqlite:\(path)", "1000")
        let pages = try await ShownPages(path)
        let cookie = try await pages.cookie()
        var sizes: [Int] = []
        for part in ["/records?m=Event", "/style.css", "/script.js", "/icon.svg"] {
            let answer = try await pages.answer(part, cookie: cookie)
            #expect(answer.status == 200)
            sizes.append(answer.body.count)
        }
        print("bytes of a page, its style, script and icon: \(sizes)")
        #expect(sizes.reduce(0, +) <= 50_000)
        await pages.end()
    }

    @Test func `a hundred thousand records scroll as ten do`() async throws {
        let path = try Places.folder() + "/events.db"
        try await Places.makeStore("many", "sqlite:\(path)", "100000")
        try await inBrowser(path) { driver, pages in
            try await scroll(driver, pages)
            let cookie = try await driver.cookies().map { "\($0["name"] ?? "")=\($0["value"] ?? "")" }.joined(
                separator: "; ")
            let large = try await pages.answer("/records?m=Event&s=10000&o=name", cookie: cookie)
            #expect(large.status == 200 && Pages.keys(in: large.text).count == 10_000)
            #expect(Pages.next(in: large.text)?.contains("s=10000") == true)
        }
    }

    private func scroll(_ driver: WebDriver, _ pages: ShownPages) async throws {
        try await driver.open(pages.site + "/records?m=Event")
        try await driver.wait(for: "document.querySelector('#rows tr')")
        let before = pages.memory
        // Scrolls to the end of the loaded rows a thousand times, and tells the time of each hundred pages.
        let scroll = """
            const done = arguments[arguments.length - 1];
            const times = [];
            (async () => {
              let start = performance.now();
              for (let page = 1; page < 1000; page += 1) {
                await loadNext();
                document.querySelector('#scroller').scrollTop = 1e9;
                if (page % 100 === 0) { times.push(Math.round(performance.now() - start)); start = performance.now(); }
              }
              done({ times, rows: document.querySelectorAll('#rows tr').length,
                     last: document.querySelector('#rows tr:last-child a').textContent,
                     hasNext: !!document.querySelector('#pager a[rel=next]') });
            })();
            """
        let result = try await driver.awaited(scroll) as? [String: Any] ?? [:]
        let times = (result["times"] as? [NSNumber] ?? []).map(\.intValue)
        print("100 pages each in ms: \(times); memory \(before) MB before, \(pages.memory) MB after")
        #expect(result["last"] as? String == "99999")
        #expect(result["hasNext"] as? Bool == false)
        #expect((result["rows"] as? NSNumber)?.intValue ?? 0 <= 600)
        #expect(pages.memory < before + 60)
    }
}
