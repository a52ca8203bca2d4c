import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable struct Reading: Equatable {
    var id: Int
    var t: String?
    var n: Int?
    var d: Double?
    var at: Date?
    var f: Bool?
    var m: Decimal?
}

/// The library reads and writes the files that the tool does, in the same way.
@Suite struct CSVLibraryTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private static let files = [
        "id,t,n,d,at,f,m\n1,\"say \"\"x\"\"\",-0,1e3,2026-01-02,YES,1.10\n2,,,,,,\n3,\"two\nlines\",3.0,NaN,1e300,n,007\n",
        "sep=;\r\nm;id;f;t\r\n12345678901234567890.5;1;true;\"a;b\"\r\n;2;;\"\"\r\n",
        "id\tt\tn\n1\tmid\"mark\t5\n2\t\" space \"\t6\n", "\n\nid|t|d\n1|x|0.1\n\n2|y|4.9e-324",
        "id,t\n1,x\n2,\"y\n3,z\n", "id,n\n1,2\n2,seven\n", "id,t\n1,a,b\n2,c\n",
    ]

    @Test(arguments: files.indices)
    func `one file, read by the tool and by the library, is the same records or the same refusal`(_ place: Int)
        async throws
    {
        let file = tool.folder.url.appending(path: "x.csv")
        try Data(Self.files[place].utf8).write(to: file)
        let store = try await Store(
            SQLiteBackend(path: tool.folder.url.appending(path: "tool.db").path), models: [Reading.self])
        try await store.close()
        let run = try await tool.run(["import", "tool.db", "--model", "Reading", "x.csv", "--quiet"])
        let stored = try await Store(SQLiteBackend(path: tool.folder.url.appending(path: "tool.db").path))
        let expected = try await stored.select(Reading.self).order { $0.id }.all()
        do {
            let found = try Reading.models(csv: Data(Self.files[place].utf8))
            expect(run.status, equals: 0, "\(run.error)")
            expect(found.map { "\($0)" }, equals: expected.map { "\($0)" })
            let written = tool.folder.url.appending(path: "library.csv")
            try await stored.select(Reading.self).order { $0.id }.export(csvFile: written)
            try await expect(
                tool.output("export", "tool.db", "Reading", "--format", "csv"),
                equals: String(contentsOf: written, encoding: .utf8))
        } catch let error as StorageError {
            expect(run.status, equals: 65)
            let problem = try #require(error.underlying as? Store.CSVProblem)
            expect(run.error.contains("line \(problem.line): "), "\(run.error) \(error)")
        }
        try await stored.close()
    }
}
