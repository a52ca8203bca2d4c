import Foundation
import StorageKit

@Storable
struct Document {
    var id: Int64
    @Searchable var title: String
    @Searchable var body: String
}

/// The same without an index.
@Storable
struct Plain {
    var id: Int64
    var title: String
    var body: String
}

/// Documents of a file: for each, the lengths of its title and body as four bytes each, little-endian, and the two in UTF-8.
struct Corpus {
    let name: String
    let documents: [Document]

    var isChinese: Bool { name.hasPrefix("zh") }
    /// FTS5's tokenizer that finds the most.
    var tokenizer: String { isChinese ? "trigram" : "unicode61 remove_diacritics 2" }

    init(_ path: String) throws {
        let data = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        var documents: [Document] = []
        var at = 0
        func length(_ start: Int) -> Int { (0..<4).reduce(0) { $0 | Int(data[start + $1]) << ($1 * 8) } }
        while at + 8 <= data.count {
            let (title, body) = (length(at), length(at + 4))
            guard at + 8 + title + body <= data.count else { throw Failure("\(path) ends in the middle of a document") }
            at += 8
            documents.append(
                Document(
                    id: Int64(documents.count + 1), title: String(decoding: data[at..<at + title], as: UTF8.self),
                    body: String(decoding: data[at + title..<at + title + body], as: UTF8.self)))
            at += title + body
        }
        self.documents = documents
        name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    /// Writes the names and descriptions of Debian's packages as a corpus.
    static func write(packages: Data, to path: String) throws {
        var data = Data()
        func length(_ text: String) { data += (0..<4).map { UInt8(truncatingIfNeeded: text.utf8.count >> ($0 * 8)) } }
        for paragraph in String(decoding: packages, as: UTF8.self).split(separator: "\n\n") {
            var (title, body, isBody) = ("", "", false)
            for line in paragraph.split(separator: "\n") {
                if line.hasPrefix(" ") {
                    if isBody { body += "\n" + line.dropFirst() }
                    continue
                }
                isBody = line.hasPrefix("Description:") || line.hasPrefix("Description-en:")
                if line.hasPrefix("Package: ") { title = String(line.dropFirst(9)) }
                if isBody { body = line.drop { $0 != ":" }.dropFirst().trimmingCharacters(in: .whitespaces) }
            }
            guard !title.isEmpty else { continue }
            length(title)
            length(body)
            data += Data((title + body).utf8)
        }
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Queries with what they show.
    var queries: [(kind: String, text: String)] {
        if isChinese {
            return [
                ("best ten", "明月"), ("best ten", "不知"), ("one letter", "月"), ("phrase", "\"黃河入海流\""),
                ("phrase", "\"梅花三弄\""), ("two words", "春風 長安"),
            ]
        }
        return [
            ("best ten", "library"), ("best ten", "package"), ("rare word", "sudoku"),
            ("phrase", "\"real time\""), ("phrase", "\"command line interface\""), ("prefix", "compre*"),
            ("prefix", "a*"), ("two words", "python library"), ("two words", "fast parser"),
            ("exclusion", "library -python"), ("alternative", "gtk OR qt"),
        ]
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
