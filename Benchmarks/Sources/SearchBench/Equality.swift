import ArchiveBackend
import Foundation
import MemoryBackend
import PostgreSQLBackend
import SQLiteBackend
import StorageKit

/// Compares hits and relevances of random queries on all engines; PostgreSQL is one of them where there is a server.
func compareEngines(queries count: Int, seed: UInt64) async throws -> Bool {
    var engines: [(name: String, store: Store)] = [
        ("memory", try await Store(InMemoryBackend(), models: Document.self)),
        ("SQLite", try await Store(SQLiteBackend(path: folder + "/equal.db"), models: Document.self)),
        ("archive", try await Store(ArchiveBackend(path: folder + "/equal.karch"), models: Document.self)),
    ]
    if let address = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL"], !address.isEmpty {
        var backend = try PostgreSQLBackend(address, schema: "search_equal")
        backend.durability = .relaxed
        engines.append(("PostgreSQL", try await Store(backend, models: Document.self)))
    }
    // Parts of other sizes on each engine, and changes between: an index is cut and merged differently on each.
    for (place, engine) in engines.enumerated() {
        let part = [corpus.documents.count, 9000, 20_000, 5000][place % 4]
        for start in stride(from: 0, to: corpus.documents.count, by: part) {
            try await engine.store.insert(Array(corpus.documents[start..<min(start + part, corpus.documents.count)]))
        }
        for document in corpus.documents.prefix(1000 * place) { try await engine.store.save(document) }
        try await engine.store.delete(Document.self, keys: corpus.documents.suffix(500).map(\.id))
    }
    var generator = RandomQueries(seed: seed)
    var (isEqual, hits, found) = (true, 0, 0)
    for _ in 0..<count {
        let text = generator.next(corpus)
        var expected: [(Int64, UInt64)]?
        for engine in engines {
            let result = try await engine.store.select(Document.self).where { $0.matches(text) }
                .order { $0.relevance.descending }.limit(5000).hits()
                .map { ($0.record.id, $0.relevance.bitPattern) }
            let keys = try await engine.store.select(Document.self).where { $0.matches(text) }.count()
            guard let first = expected else {
                expected = result
                hits += keys
                found += keys > 0 ? 1 : 0
                continue
            }
            guard !first.elementsEqual(result, by: ==) else { continue }
            isEqual = false
            print("\(engines[0].name) and \(engine.name) differ: \(text)")
        }
    }
    print(
        "\(corpus.name): \(count) queries from seed \(seed) on \(engines.map(\.name).joined(separator: ", ")): "
            + "\(found) find something, \(hits) hits; " + (isEqual ? "all are equal" : "some differ"))
    for engine in engines { try await engine.store.close() }
    return isEqual
}

/// Makes queries of the words of a corpus.
struct RandomQueries {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func number(_ count: Int) -> Int {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ bits >> 31) % UInt64(max(count, 1)))
    }

    private mutating func words(_ corpus: Corpus, _ count: Int) -> String {
        let text = corpus.documents[number(corpus.documents.count)].body
        if corpus.isChinese {
            let letters = Array(text.filter { !$0.isWhitespace })
            let start = number(letters.count)
            return String(letters[start..<min(start + count + 1, letters.count)])
        }
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let start = number(words.count)
        return words[min(start, words.count)..<min(start + count, words.count)].joined(separator: " ")
    }

    mutating func next(_ corpus: Corpus) -> String {
        var parts: [String] = []
        for _ in 0...number(3) {
            let word = words(corpus, 1)
            switch number(8) {
            case 0: parts.append("\"\(words(corpus, 2 + number(2)))\"")
            case 1: parts.append(String(word.prefix(1 + number(4))) + "*")
            case 2: parts.append("-" + word)
            case 3: parts.append(["title:", "body:"][number(2)] + word)
            case 4: parts += [word, "OR", words(corpus, 1)]
            default: parts.append(word)
            }
        }
        return parts.joined(separator: " ")
    }
}
