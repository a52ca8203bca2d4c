// Writes Sources/StorageDriver/Query/LetterTable.swift: the letters that the folding of diacritics takes apart.
//   swift scripts/make-letters.swift >Sources/StorageDriver/Query/LetterTable.swift
import Foundation

func isMark(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .nonspacingMark && scalar.properties.isDiacritic
}

var letters: [String: [Unicode.Scalar]] = [:]
for value in 0...0x10_FFFF {
    guard let scalar = Unicode.Scalar(UInt32(value)), !isMark(scalar) else { continue }
    let parts = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
    guard parts.contains(where: isMark) else { continue }
    letters[String(String.UnicodeScalarView(parts.filter { !isMark($0) })), default: []].append(scalar)
}

func escape(_ text: String) -> String {
    text.unicodeScalars.map {
        $0.value < 0x80 ? String($0) : "\\u{" + String($0.value, radix: 16, uppercase: true) + "}"
    }
    .joined()
}

var lines: [String] = []
for (base, composed) in letters.sorted(by: { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }) {
    var rest = composed[...]
    while !rest.isEmpty {
        let pair = "\(escape(base)) " + rest.prefix(12).map { escape(String($0)) }.joined()
        rest = rest.dropFirst(12)
        if let last = lines.last, last.count + 1 + pair.count <= 108 {
            lines[lines.count - 1] += " " + pair
        } else {
            lines.append(pair)
        }
    }
}
print("// Made by scripts/make-letters.swift; not to be edited.")
print("")
print("enum LetterTable {")
print("    /// Pairs of a letter and those that consist of it and diacritics. From Unicode's canonical decompositions.")
print("    static let pairs = \"\"\"")
for line in lines { print("        " + line) }
print("        \"\"\"")
print("}")
