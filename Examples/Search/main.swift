// Searches the descriptions of Debian's packages while the words are typed.
//   apt-cache dumpavail | swift run -c release SearchExample packages.db import
//   swift run -c release SearchExample packages.db
// The address may be one of another engine: archive:packages.karch. Keys that are piped in are typed too.

import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit

@Storable struct Package {
    var id: String
    @Searchable(weight: 2) var name: String
    @Searchable var description: String
    var section: String
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let place = arguments.first, arguments.dropFirst().allSatisfy({ $0 == "import" }) else {
    print("usage: SearchExample ADDRESS [import]")
    exit(64)
}
let address = place.contains(":") ? place : "sqlite:\(place)"
let store = try await Store(url: address, backends: [SQLiteBackend.self, ArchiveBackend.self], models: Package.self)
if arguments.count > 1 { try await importPackages() } else { try await search() }
try await store.close()

/// Stores what `apt-cache dumpavail` prints: paragraphs of fields, whose further lines begin with a space.
func importPackages() async throws {
    var packages: [Package] = []
    var fields: [String: String] = [:]
    var last = ""
    var count = 0
    func endParagraph() {
        if let name = fields["Package"] {
            packages.append(
                Package(
                    id: "\(name) \(fields["Version"] ?? "") \(fields["Architecture"] ?? "")", name: name,
                    description: fields["Description-en"] ?? fields["Description"] ?? "",
                    section: fields["Section"] ?? ""))
        }
        fields = [:]
    }
    func write() async throws {
        try await store.save(packages)
        count += packages.count
        packages = []
        if isatty(2) == 1 { try FileHandle.standardError.write(contentsOf: Data("\r\(count) packages".utf8)) }
    }
    while let line = readLine() {
        if line.isEmpty {
            endParagraph()
            if packages.count == 5000 { try await write() }
        } else if line.hasPrefix(" ") {
            fields[last, default: ""] += "\n" + line.dropFirst()
        } else if let colon = line.firstIndex(of: ":") {
            last = String(line[..<colon])
            fields[last] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
    }
    endParagraph()
    try await write()
    if isatty(2) == 1 { print() }
    print("\(try await store.select(Package.self).count()) packages are stored.")
}

/// Reads keys and shows the best packages after each, until the end of the input, Escape or Control-C.
func search() async throws {
    let terminal = Terminal()
    defer { terminal.restore() }
    var typed: [UInt8] = []
    try await show("", terminal)
    while let key = terminal.key() {
        switch key {
        case 3, 4, 27: return
        case 8, 127: while let byte = typed.popLast(), byte & 0xC0 == 0x80 {}
        case 21: typed = []
        case 0..<32: continue
        default: typed.append(key)
        }
        // The bytes of one letter may come one after the other.
        if let text = String(validating: typed, as: UTF8.self) { try await show(text, terminal) }
    }
}

func show(_ words: String, _ terminal: Terminal) async throws {
    let began = ContinuousClock.now
    let hits = try await store.select(Package.self)
        .where { $0.matches(words, typing: true) }.order { $0.relevance.descending }.limit(8).hits()
    let time = (ContinuousClock.now - began) / .milliseconds(1)
    var lines = ["Search: \(words)"]
    for hit in hits {
        for (text, space) in [(hit.record.name, "  "), (hit.record.description, "      ")] {
            let excerpt = text.excerpt(for: words, typing: true, around: 80)
            lines.append(space + terminal.marked(excerpt.text, excerpt.highlights).replacing("\n", with: " "))
        }
    }
    let found = hits.isEmpty ? "nothing" : "the best \(hits.count)"
    lines.append(terminal.isThere ? found + String(format: ", in %.1f ms", time) : found)
    terminal.draw(lines)
}
