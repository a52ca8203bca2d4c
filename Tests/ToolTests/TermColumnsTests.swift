import Foundation
import TestSupport
import Testing

/// Columns that are no properties of the records, and conditions on groups.
@Suite struct TermColumnsTests {
    private let tool: Tool

    init() throws {
        tool = Tool(folder: try TemporaryFolder())
        try FileManager.default.copyItem(atPath: Sample.chinook, toPath: tool.folder.path("chinook.db"))
    }

    @Test func `a column may be a property of a record that is referred to, or computed`() async throws {
        try await expect(
            tool.output(
                "select", "chinook.db", "Track", "--columns",
                "TrackId, AlbumId.Title, AlbumId.ArtistId.Name as Artist, Milliseconds / 1000 + 1 as seconds",
                "--where",
                "AlbumId.Title beginswith 'Let'", "--order", "Milliseconds desc", "--limit", "2", "--format", "csv")
                    == """
                    TrackId,AlbumId.Title,Artist,seconds
                    20,Let There Be Rock,AC/DC,370
                    17,Let There Be Rock,AC/DC,367

                    """)
        let none = try await tool.output(
            "select", "chinook.db", "Track", "--columns", "UnitPrice * 2 as double", "--where", "TrackId < 0", "--json")
        expect(none, equals: "[]\n")
    }

    @Test func `a column that is neither is refused with what was probably meant`() async throws {
        let wrong = ["select", "chinook.db", "Track", "--columns"]
        try await expect(tool.failure(65, wrong + ["Nam"]).contains("has no property Nam (did you mean Name?)"))
        try await expect(tool.failure(65, wrong + ["AlbumId.Titel"]).contains("did you mean Title?"))
        try await expect(tool.failure(65, wrong + ["Name + 1"]).contains("invalidQuery"))
        try await expect(tool.failure(64, wrong + ["AlbumId.Title", "--skip-bad"]).contains("alone"))
    }

    @Test func `--having chooses groups by their columns`() async throws {
        let options = [
            "select", "chinook.db", "Invoice", "--group", "BillingCountry", "--sum", "Total", "--order", "sum desc",
            "--format",
            "csv",
        ]
        let run = try await tool.run(options + ["--having", "count > 30 and sum > 200"])
        expect(run.output, equals: "BillingCountry,count,sum Total\nUSA,91,523.06\nCanada,56,303.96\n", "\(run.error)")
        let named = try await tool.run(options + ["--having", "`sum Total` < 40 and BillingCountry beginswith 'A'"])
        expect(named.output.split(separator: "\n").count, equals: 3, "\(named.output)\(named.error)")
        let wrong = try await tool.failure(65, options + ["--having", "cont > 30"])
        expect(wrong.contains("groups have no cont (did you mean count?); they have BillingCountry, count, sum"))
        try await tool.failure(64, "select", "chinook.db", "Invoice", "--having", "count > 1")
    }

    @Test func `a view is saved by name, printed with more options, listed and deleted`() async throws {
        let saved = try await tool.output(
            "view", "chinook.db", "long", "--save", "Track", "--where", "Milliseconds > 5000000", "--columns",
            "Name, AlbumId.Title")
        expect(saved, equals: "long: Track --where 'Milliseconds > 5000000' --columns 'Name, AlbumId.Title'\n")
        try await expect(
            tool.output("view", "chinook.db", "long", "--format", "csv", "--limit", "1")
                == "Name,AlbumId.Title\nOccupation / Precipice,\"Battlestar Galactica, Season 3\"\n")
        try await expect(
            tool.output("view", "chinook.db").hasSuffix(
                "\nlong  Track --where 'Milliseconds > 5000000' --columns 'Name, AlbumId.Title'\n"))
        try await expect(tool.failure(1, "view", "chinook.db", "lon").contains("no view lon (did you mean long?)"))
        try await expect(
            tool.failure(65, "view", "chinook.db", "bad", "--save", "Trck").contains("did you mean Track?"))
        try await expect(
            tool.failure(65, "view", "chinook.db", "bad", "--save", "Track", "--where", "x").contains(
                "no property x"))
        try await tool.failure(64, "view", "chinook.db", "bad", "--save", "Track", "--wher", "x")
        try await expect(tool.output("view", "chinook.db", "long", "--delete"), equals: "long deleted.\n")
        try await expect(tool.output("view", "chinook.db"), equals: "The store has no views; --save makes one.\n")
    }
}
