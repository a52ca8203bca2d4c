import ArchiveBackend
import Foundation
import StorageKit

func measureArchive() async throws {
    print("\(corpus.name): \(corpus.documents.count) documents in an archive\n")
    header("without an index")
    let plain = corpus.documents.map { Plain(id: $0.id, title: $0.title, body: $0.body) }
    let (own, other) = (folder + "/own.karch", folder + "/plain.karch")
    do {
        let store = try await Store(ArchiveBackend(path: own, durability: .relaxed), models: Document.self)
        let unsearched = try await Store(ArchiveBackend(path: other, durability: .relaxed), models: Plain.self)
        let time = try await processorSeconds { try await store.insert(corpus.documents) }
        let rows = try await processorSeconds { try await unsearched.insert(plain) }
        row("rows, with the index, one transaction", time, rows, "s")
        try await store.close()
        try await unsearched.close()
    }
    try await opening(own, other, "opening")
    do {
        let store = try await Store(ArchiveBackend(path: own, durability: .relaxed), models: Document.self)
        let unsearched = try await Store(ArchiveBackend(path: other, durability: .relaxed), models: Plain.self)
        var (saves, others) = (Times(), Times())
        for number in 0..<2000 {
            var document = corpus.documents[number * 7 % corpus.documents.count]
            document.id = Int64(corpus.documents.count + 1 + number)
            saves.all.append(try await processorSeconds { try await store.save(document) })
            let other = Plain(id: document.id, title: document.title, body: document.body)
            others.all.append(try await processorSeconds { try await unsearched.save(other) })
        }
        row("a save each, mean of 2000", saves.mean, others.mean, "ms", scale: 1e3)
        try await store.close()
        try await unsearched.close()
    }
    try await opening(own, other, "opening after the saves")
    do {
        let store = try await Store(ArchiveBackend(path: own, durability: .relaxed), models: Document.self)
        let unsearched = try await Store(ArchiveBackend(path: other, durability: .relaxed), models: Plain.self)
        let time = try await processorSeconds { try await store.compact() }
        let others = try await processorSeconds { try await unsearched.compact() }
        row("compaction", time, others, "s")
        try await store.close()
        try await unsearched.close()
    }
    try await opening(own, other, "opening after compaction")
}

private func opening(_ own: String, _ other: String, _ title: String) async throws {
    var (opening, others, first) = (Times(), Times(), Times())
    for _ in 0..<9 {
        var store: Store?
        opening.all.append(
            try await processorSeconds {
                store = try await Store(ArchiveBackend(path: own, durability: .relaxed), models: Document.self)
            })
        first.all.append(
            try await processorSeconds {
                _ = try await store?.select(Document.self).where { $0.matches(corpus.queries[0].text) }
                    .order { $0.relevance.descending }.limit(10).all()
            })
        try await store?.close()
        others.all.append(
            try await processorSeconds {
                store = try await Store(ArchiveBackend(path: other, durability: .relaxed), models: Plain.self)
            })
        try await store?.close()
    }
    row(title, opening.median, others.median, "ms", scale: 1e3, goal: "1.2")
    row("the first search, \(corpus.queries[0].text)", first.median, 0, "ms", scale: 1e3)
    row("size of the file", Double(size(own)), Double(size(other)), "MB", scale: 1e-6)
}
