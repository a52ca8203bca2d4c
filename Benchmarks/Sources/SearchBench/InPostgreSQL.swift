import Foundation
import PostgreSQLBackend
import StorageKit

/// Times on the clock, of the store and of `psql` by `\timing`, which has the server's time and that of the connection.
func measurePostgreSQL() async throws {
    guard let server = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL"], !server.isEmpty else {
        throw Failure("scripts/bench search starts a server for it")
    }
    print("\(corpus.name): \(corpus.documents.count) documents, tsvector with the configuration simple and GIN\n")
    header("tsvector")
    var backend = try PostgreSQLBackend(server, schema: "search_bench")
    backend.durability = .relaxed
    let store = try await Store(backend, models: Document.self)
    let building = try await seconds { try await store.insert(corpus.documents) }
    let psql = { (statements: [String]) in try run(server, statements) }
    _ = try psql(["CREATE SCHEMA other", "CREATE TABLE other.d(id bigint PRIMARY KEY, title text, body text)"])
    let other = try psql([
        "CREATE TABLE other.copy(LIKE other.d)",
        "INSERT INTO other.copy SELECT id, title, body FROM search_bench.\"Document\"",
        "ALTER TABLE other.d ADD t tsvector GENERATED ALWAYS AS "
            + "(to_tsvector('simple', title) || to_tsvector('simple', body)) STORED",
        "CREATE INDEX ON other.d USING gin(t)", "SET synchronous_commit = off",
        "INSERT INTO other.d SELECT * FROM other.copy", "ANALYZE other.d",
    ])
    row("rows and index, one transaction", building, (other.dropLast().last ?? 0) / 1000, "s")
    for (kind, text) in corpus.queries {
        var own = Times()
        let search = "websearch_to_tsquery('simple', '\(text.replacing("'", with: "''"))')"
        let prefix = "to_tsquery('simple', '\(text.dropLast()):*')"
        let query = text.hasSuffix("*") ? prefix : search
        let select =
            "SELECT id, title, body FROM other.d WHERE t @@ \(query) ORDER BY ts_rank(t, \(query)) DESC LIMIT 10"
        let others = try psql(Array(repeating: select, count: 20))
        for _ in 0..<20 {
            own.all.append(
                try await seconds {
                    _ = try await store.select(Document.self).where { $0.matches(text) }
                        .order { $0.relevance.descending }.limit(10).all()
                })
        }
        let count = try await store.select(Document.self).where { $0.matches(text) }.count()
        row(
            "\(kind): \(text) (\(count) hits)", own.median, Times(all: others.map { $0 / 1000 }).median, "ms",
            scale: 1e3,
            goal: "0.5")
    }
    var own = Times()
    for number in 0..<1000 {
        var document = corpus.documents[number * 7 % corpus.documents.count]
        document.id = Int64(corpus.documents.count + 1 + number)
        own.all.append(try await seconds { try await store.save(document) })
    }
    let others = try psql(
        ["SET synchronous_commit = off"]
            + (0..<1000).map { number in
                let id = corpus.documents.count + 1 + number
                return "INSERT INTO other.d(id, title, body) SELECT \(id), title, body FROM other.copy WHERE id = "
                    + "\(number * 7 % corpus.documents.count + 1)"
            })
    row("a save each, median", own.median, Times(all: others.dropFirst().map { $0 / 1000 }).median, "ms", scale: 1e3)
    try await store.close()
}

/// Runs statements in one session of psql and returns the milliseconds of each.
private func run(_ server: String, _ statements: [String]) throws -> [Double] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["psql", server, "-qAt", "-v", "ON_ERROR_STOP=1"]
    let (input, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let script = "\\timing on\n\\o /dev/null\n" + statements.map { $0 + ";\n" }.joined()
    DispatchQueue.global().async {
        input.fileHandleForWriting.write(Data(script.utf8))
        try? input.fileHandleForWriting.close()
    }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure("psql: \(text.suffix(500))") }
    return text.split(separator: "\n").compactMap { line in
        guard line.hasPrefix("Time: ") else { return nil }
        return line.dropFirst(6).split(separator: " ").first.flatMap { Double($0) }
    }
}
