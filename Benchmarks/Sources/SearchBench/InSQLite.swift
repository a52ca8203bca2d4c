import CBaseline
import Foundation
import SQLiteBackend
import StorageKit

func measureSQLite(saves: Int) async throws {
    print("\(corpus.name): \(corpus.documents.count) documents, FTS5 with \(corpus.tokenizer)\n")
    header("FTS5")
    let (own, other) = (folder + "/own.db", folder + "/fts5.db")
    try await building(own, other)
    let store = try await Store(SQLiteBackend(path: own, durability: .relaxed), models: Document.self)
    let fts5 = try FTS5(other, tokenizer: corpus.tokenizer)
    try await queries(store, fts5)
    try await saving(store, fts5, saves)
    try await queries(store, fts5)
    try await store.close()
}

private func building(_ own: String, _ other: String) async throws {
    var (rows, all, indexing): (Times, Times, Times) = (Times(), Times(), Times())
    var (otherRows, otherAll, otherIndexing): (Times, Times, Times) = (Times(), Times(), Times())
    let plain = corpus.documents.map { Plain(id: $0.id, title: $0.title, body: $0.body) }
    for _ in 0..<3 {
        for path in [own, other, own + "-plain", other + "-plain"] { remove(path) }
        let store = try await Store(SQLiteBackend(path: own, durability: .relaxed), models: Document.self)
        all.all.append(try await processorSeconds { try await store.insert(corpus.documents) })
        indexing.all.append(try await processorSeconds { try await store.rebuildSearch(of: Document.self) })
        try await store.close()
        let unsearched = try await Store(SQLiteBackend(path: own + "-plain", durability: .relaxed), models: Plain.self)
        rows.all.append(try await processorSeconds { try await unsearched.insert(plain) })
        try await unsearched.close()
        for (isSearched, path) in [(true, other), (false, other + "-plain")] {
            let fts5 = try FTS5(path, tokenizer: isSearched ? corpus.tokenizer : nil)
            let time = try await processorSeconds {
                try fts5.run("BEGIN")
                for document in corpus.documents { try fts5.write(document) }
                try fts5.run("COMMIT")
            }
            if isSearched {
                otherAll.all.append(time)
                otherIndexing.all.append(
                    try await processorSeconds { try fts5.run("INSERT INTO f(f) VALUES('rebuild')") })
            } else {
                otherRows.all.append(time)
            }
        }
    }
    row("rows without an index", rows.median, otherRows.median, "s")
    row("rows and index, one transaction", all.median, otherAll.median, "s")
    // The triggers make FTS5 write its words after each row. Who knows that inserts the rows first.
    row("the same, FTS5 by 'rebuild'", all.median, otherRows.median + otherIndexing.median, "s", goal: "1.3")
    row("index of stored rows, beside use", indexing.median, otherIndexing.median, "s")
    let names = { (pattern: String) in
        "SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN "
            + "(SELECT name FROM sqlite_master WHERE tbl_name LIKE '\(pattern)')"
    }
    let mine = try FTS5(own, tokenizer: nil).integer(names("storage_search%"))
    let theirs = try FTS5(other, tokenizer: nil).integer(names("f\\_%' ESCAPE '\\"))
    row("size of the index", Double(mine), Double(theirs), "MB", scale: 1e-6, goal: "0.9")
}

private func queries(_ store: Store, _ fts5: FTS5) async throws {
    for (kind, text) in corpus.queries {
        var (own, other) = (Times(), Times())
        for _ in 0..<30 {
            own.all.append(
                try await processorSeconds {
                    _ = try await store.select(Document.self).where { $0.matches(text) }
                        .order { $0.relevance.descending }.limit(10).all()
                })
            other.all.append(try await processorSeconds { _ = try fts5.best(FTS5.match(text)) })
        }
        let count = try await store.select(Document.self).where { $0.matches(text) }.count()
        let others = try fts5.count(FTS5.match(text))
        row(
            "\(kind): \(text) (\(count), \(others) hits)", own.median, other.median, "ms", scale: 1e3,
            goal: kind == "best ten" ? "0.2" : "0.5")
    }
}

private func saving(_ store: Store, _ fts5: FTS5, _ count: Int) async throws {
    var (own, other) = (Times(), Times())
    for number in 0..<count {
        var document = corpus.documents[number * 7 % corpus.documents.count]
        document.id = Int64(corpus.documents.count + 1 + number)
        own.all.append(try await processorSeconds { try await store.save(document) })
        other.all.append(
            try await processorSeconds {
                try fts5.run("BEGIN IMMEDIATE")
                try fts5.write(document)
                try fts5.run("COMMIT")
            })
    }
    row("a save each, mean of \(count)", own.mean, other.mean, "ms", scale: 1e3, goal: "1.2")
    row("median", own.median, other.median, "ms", scale: 1e3)
    row("99 of 100", own.part(0.99), other.part(0.99), "ms", scale: 1e3)
    row("the worst", own.worst, other.worst, "ms", scale: 1e3, goal: "1")
}
