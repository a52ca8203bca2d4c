import Foundation
import TestSupport
import Testing

@Suite("storage select --page") struct PagesTests {
    private let tool: Tool

    init() throws {
        tool = Tool(folder: try TemporaryFolder())
        try FileManager.default.copyItem(atPath: Sample.chinook, toPath: tool.folder.path("chinook.db"))
    }

    private struct Page: Decodable {
        struct Track: Decodable, Equatable {
            let id: Int
            let composer: String?

            enum CodingKeys: String, CodingKey {
                case id = "TrackId"
                case composer = "Composer"
            }
        }

        let next: String?
        let previous: String?
        let records: [Track]
    }

    private func page(_ options: String...) async throws -> Page {
        let arguments = [
            "select", "chinook.db", "Track", "--columns", "TrackId,Composer", "--order", "Composer desc", "--page",
            "900", "--json",
        ]
        let run = try await tool.run(arguments + options)
        expect(run.status == 0 && run.error == "", "\(run.error)")
        return try JSONDecoder().decode(Page.self, from: Data(run.output.utf8))
    }

    @Test func `the pages are the whole list, forwards and backwards, in a table that other software has made`()
        async throws
    {
        let text = try await tool.output(
            "select", "chinook.db", "Track", "--columns", "TrackId,Composer", "--order", "Composer desc", "--json")
        let all = try JSONDecoder().decode([Page.Track].self, from: Data(text.utf8))
        var pages = [try await page()]
        expect(pages[0].previous == nil)
        while let next = pages.last?.next { pages.append(try await page("--after", next)) }
        expect(pages.map(\.records.count), equals: [900, 900, 900, 803])
        expect(pages.flatMap(\.records), equals: all)
        let before = try await page("--before", try #require(pages[2].previous))
        expect(before.records, equals: pages[1].records)
        expect(before.next != nil && before.previous != nil)
        // The condition may be another one.
        let some = try await page("--after", try #require(pages[0].next), "--where", "AlbumId == 1")
        expect(some.records, equals: try await page("--where", "AlbumId == 1").records.filter(all[900...].contains))
        expect(some.next, equals: nil)
    }

    @Test func `tokens stand after a table, beside records in JSON, and elsewhere on the error stream`() async throws {
        func run(_ options: String...) async throws -> Tool.Run {
            try await tool.run(["select", "chinook.db", "Genre", "--page", "2"] + options)
        }
        let table = try await run()
        let lines = table.output.split(separator: "\n").map(String.init)
        expect(lines.count, equals: 5, "\(table.output)")
        let next = try #require(lines.last?.wholeMatch(of: /Next page: --after ([A-Za-z0-9_-]+)/)).1
        let csv = try await run("--format", "csv", "--after", String(next))
        expect(csv.output, equals: "GenreId,Name\n3,Metal\n4,Alternative & Punk\n")
        expect(csv.error.contains(/Next page: --after \S+\nPrevious page: --before \S+\n/), "\(csv.error)")
        let vertical = try await run("--vertical", "--after", String(next))
        expect(vertical.output.contains("Previous page: --before "), "\(vertical.output)")
        // A token is of its model and order.
        let token = try #require(try await page().next)
        let other = try await tool.failure(65, ["select", "chinook.db", "Genre", "--page", "2", "--after", token])
        expect(other.contains("another model or order"), "\(other)")
    }

    @Test func `a page has the records that its records refer to`() async throws {
        let text = try await tool.output(
            "select", "chinook.db", "Album", "--page", "1", "--with", "ArtistId", "--json", "--order", "Title desc",
            "--where", "AlbumId <= 3")
        expect(text.contains(#""ArtistId":{"ArtistId":2,"Name":"Accept"}}"#), "\(text)")
    }

    @Test func `a saved view has pages`() async throws {
        try await tool.output("view", "chinook.db", "genres", "--save", "Genre", "--order", "Name", "--page", "3")
        let first = try await tool.output("view", "chinook.db", "genres")
        let next = try #require(first.firstMatch(of: /--after (\S+)/)).1
        let second = try await tool.output("view", "chinook.db", "genres", "--after", String(next))
        expect(second.contains("Previous page: --before ") && !second.contains("Alternative"), "\(second)")
    }

    @Test func `options that no page can have are refused`() async throws {
        let page = ["select", "chinook.db", "Track", "--page"]
        for options in [
            ["0"], ["-1"], ["2", "--limit", "1"], ["2", "--offset", "1"], ["2", "--after", "x"],
            ["2", "--after", "AQ", "--before", "AQ"], ["2", "--group", "AlbumId"], ["2", "--explain"],
            ["2", "--skip-bad"], ["2", "--columns", "AlbumId.Title"],
        ] { try await tool.failure(64, page + options) }
        try await tool.failure(64, "select", "chinook.db", "Track", "--after", "x")
    }
}
