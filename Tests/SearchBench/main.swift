// Measures an index in SQLite against FTS5, contentless and set up by hand.
//   STORAGE_SEARCH_BENCH=1 swift build -c release --product SearchBench
//   SearchBench build|commits|query CORPUS FOLDER [TOKENIZER]
// A corpus has records of two lengths of four bytes, title and body.
import CSQLite
import Foundation
import StorageSearch

let arguments = CommandLine.arguments
guard arguments.count > 3 else {
    print("usage: SearchBench build|commits|query CORPUS FOLDER [TOKENIZER]")
    exit(64)
}
let properties = [SearchProperty("title"), SearchProperty("body")]
let isChinese = arguments[2].contains("zh")
let tokenizer = arguments.count > 4 ? arguments[4] : isChinese ? "trigram" : "unicode61 remove_diacritics 2"
let documents = try corpus(arguments[2])
let folder = URL(fileURLWithPath: arguments[3])
switch arguments[1] {
case "tokenize": tokenize()
case "build": try build()
case "commits": try commits()
case "query": try queries()
default: print("unknown: \(arguments[1])")
}

func corpus(_ path: String) throws -> [(title: String, body: String)] {
    let data = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
    var result: [(title: String, body: String)] = []
    var at = 0
    func length(_ start: Int) -> Int { (0..<4).reduce(0) { $0 | Int(data[start + $1]) << ($1 * 8) } }
    while at + 8 <= data.count {
        let (title, body) = (length(at), length(at + 4))
        at += 8
        result.append(
            (
                String(decoding: data[at..<(at + title)], as: UTF8.self),
                String(decoding: data[(at + title)..<(at + title + body)], as: UTF8.self)
            ))
        at += title + body
    }
    return result
}

func processor() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = processor()
    try body()
    return processor() - start
}

func format(_ value: Double) -> String { String(format: "%.4f", value) }

func path(_ name: String) -> String { folder.appendingPathComponent(name + (isChinese ? "-zh" : "-en") + ".db").path }

func key(_ number: Int) -> [UInt8] { (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

func document(_ number: Int, _ index: Int) -> SearchDocument {
    SearchDocument(key: key(number), texts: [[documents[index].title], [documents[index].body]])
}

func tokenize() {
    var words = 0
    let time = seconds {
        for document in documents {
            words += Analyzer.words.count(document.title) + Analyzer.words.count(document.body)
        }
    }
    print("words", words, "seconds", format(time))
}

func fresh(_ name: String) throws -> Database {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path(name) + suffix) }
    return try Database(path(name))
}

func insertFTS(_ database: Database, _ number: Int, _ index: Int) throws {
    let statement = try database.statement("INSERT INTO f(rowid,title,body) VALUES(?,?,?)")
    defer { sqlite3_reset(statement) }
    var document = documents[index]
    try document.title.withUTF8 { title in
        try document.body.withUTF8 { body in
            sqlite3_bind_int64(statement, 1, Int64(number))
            for (column, text) in [(2, title), (3, body)] as [(Int32, UnsafeBufferPointer<UInt8>)] {
                text.withMemoryRebound(to: CChar.self) {
                    _ = sqlite3_bind_text(statement, column, $0.baseAddress, Int32($0.count), nil)
                }
            }
            guard sqlite3_step(statement) == SQLITE_DONE else { throw database.failure("insert") }
        }
    }
}

func build() throws {
    let ours = try fresh("ours")
    let tables = try SQLiteTables(ours)
    let time = try seconds {
        try ours.run("BEGIN")
        let index = SearchIndex(tables, properties: properties)
        try index.write(documents.indices.map { document($0 + 1, $0) })
        try ours.run("COMMIT")
    }
    let fts = try fresh("fts5")
    try fts.run("CREATE VIRTUAL TABLE f USING fts5(title, body, content='', tokenize='\(tokenizer)')")
    let other = try seconds {
        try fts.run("BEGIN")
        for index in documents.indices { try insertFTS(fts, index + 1, index) }
        try fts.run("COMMIT")
    }
    let optimize = try seconds { try fts.run("INSERT INTO f(f) VALUES('optimize')") }
    for database in [ours, fts] { try database.run("PRAGMA wal_checkpoint(TRUNCATE)") }
    func size(_ database: Database, _ names: String) throws -> Double {
        Double(try database.integer("SELECT sum(pgsize) FROM dbstat WHERE name IN (\(names))")) / 1e6
    }
    print("build", format(time), "FTS5", format(other), "+", format(optimize), "ratio", format(time / other))
    let mine = try size(ours, "'blocks','segments','pending'")
    let keys = try size(ours, "'documents','sqlite_autoindex_documents_1'")
    let theirs = try size(fts, "'f_data','f_idx','f_docsize','f_config'")
    print("size", format(mine), "+ keys", format(keys), "FTS5", format(theirs), "ratio", format((mine + keys) / theirs))
    print("shape", try SearchIndex(tables, properties: properties).shape())
}

func commits() throws {
    let ours = try Database(path("ours"))
    let fts = try Database(path("fts5"))
    let tables = try SQLiteTables(ours)
    var cache = SearchCache()
    let count = 4096
    var (mine, theirs): ([Double], [Double]) = ([], [])
    let first = try ours.integer("SELECT max(id) FROM documents") + 1
    let other = try fts.integer("SELECT max(id) FROM f_docsize") + 1
    for number in 0..<count {
        let text = number * 7 % documents.count
        mine.append(
            try seconds {
                try ours.run("BEGIN IMMEDIATE")
                let index = SearchIndex(tables, properties: properties, cache: cache)
                try index.write([document(first + number, text)])
                try ours.run("COMMIT")
                cache = index.cache
            })
        theirs.append(
            try seconds {
                try fts.run("BEGIN IMMEDIATE")
                try insertFTS(fts, other + number, text)
                try fts.run("COMMIT")
            })
    }
    func tell(_ name: String, _ times: [Double]) {
        let sorted = times.sorted().map { $0 * 1e6 }
        print(
            name, "mean", format(sorted.reduce(0, +) / Double(count)), "median", format(sorted[count / 2]), "p99",
            format(sorted[count * 99 / 100]), "worst", format(sorted[count - 1]), "µs")
    }
    tell("ours", mine)
    tell("FTS5", theirs)
    print(
        "ratio", format(mine.reduce(0, +) / theirs.reduce(0, +)), "shape",
        try SearchIndex(tables, properties: properties).shape())
}

func queries() throws {
    let english = [
        "library", "package", "unicode", "germination", "python library", "fast parser", "\"real time\"",
        "\"command line interface\"", "compre*", "a*", "library -python", "gtk OR qt",
    ]
    let chinese = ["明月", "春風", "長安", "\"黃河入海流\"", "\"梅花三弄\"", "不知", "月"]
    let ours = try Database(path("ours"))
    let fts = try Database(path("fts5"))
    let tables = try SQLiteTables(ours)
    for text in isChinese ? chinese : english {
        var (mine, theirs): ([Double], [Double]) = ([], [])
        var (hits, others) = (0, 0)
        var cache = SearchCache()
        let query = SearchQuery(text)
        let match = text.replacing("*", with: " *").replacing(" -", with: " NOT ")
        for _ in 0..<20 {
            mine.append(
                try seconds {
                    try ours.run("BEGIN")
                    let index = SearchIndex(tables, properties: properties, cache: cache)
                    _ = try index.best(10, query)
                    cache = index.cache
                    try ours.run("COMMIT")
                })
            theirs.append(
                try seconds {
                    let statement = try fts.statement(
                        "SELECT rowid, rank FROM f WHERE f MATCH ? ORDER BY rank LIMIT 10")
                    try bound(match, statement) { while sqlite3_step(statement) == SQLITE_ROW {} }
                })
        }
        hits = try SearchIndex(tables, properties: properties, cache: cache).search(query).count
        let statement = try fts.statement("SELECT count(*) FROM f WHERE f MATCH ?")
        try bound(match, statement) {
            if sqlite3_step(statement) == SQLITE_ROW { others = Int(sqlite3_column_int64(statement, 0)) }
        }
        (mine, theirs) = (mine.sorted(), theirs.sorted())
        print(
            text, "hits", hits, others, "ms", format(mine[10] * 1e3), "FTS5", format(theirs[10] * 1e3), "ratio",
            format(mine[10] / theirs[10]))
    }
}

func bound(_ text: String, _ statement: OpaquePointer, _ body: () throws -> Void) throws {
    try text.withCString {
        sqlite3_bind_text(statement, 1, $0, -1, nil)
        try body()
        sqlite3_reset(statement)
    }
}
