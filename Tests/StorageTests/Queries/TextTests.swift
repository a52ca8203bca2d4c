import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("Q3 Text without regard to case and diacritics, and patterns")
struct FoldedTextTests {
    @Storable struct Line: Equatable {
        var id: Int
        var text: String
        var optional: String?
    }

    private func keys(
        on backend: Backend, _ texts: [String], _ condition: @escaping (Line.Columns) -> QueryExpression<Bool>
    ) async throws -> [Int] {
        try await withStore(backend) { (store) async throws in
            try await store.insert(texts.enumerated().map { Line(id: $0.offset, text: $0.element, optional: nil) })
            return try await store.select(Line.self).where(condition).keys()
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 what case and diacritics are`(_ backend: Backend) async throws {
        let texts = [
            "Ärger", "ärger", "arger", "A\u{308}RGER", "Straße", "STRASSE", "ΣΊΣΥΦΟΣ", "σισυφος", "ı", "I", "Å",
            "\u{212B}",
        ]
        func find(_ text: String, _ folding: TextFolding) async throws -> [Int] {
            try await keys(on: backend, texts) { $0.text.equals(text, ignoring: folding) }
        }
        #expect(try await find("ÄRGER", .case) == [0, 1])
        #expect(try await find("Arger", .diacritics) == [0])
        #expect(try await find("argër", [.case, .diacritics]) == [0, 1, 2, 3])
        #expect(try await find("strasse", .case) == [4, 5])
        #expect(try await find("Σίσυφος", .case) == [6])
        #expect(try await find("Σίσυφος", [.case, .diacritics]) == [6, 7])
        #expect(try await find("i", .case) == [9])
        #expect(try await find("A", .diacritics) == [10, 11])
        #expect(try await keys(on: backend, texts) { $0.text.hasPrefix("STRA", ignoring: .case) } == [4, 5])
        #expect(try await keys(on: backend, texts) { $0.text.hasSuffix("ßE", ignoring: .case) } == [4, 5])
        #expect(try await keys(on: backend, texts) { $0.text.contains("RG", ignoring: .case) } == [0, 1, 2, 3])
        #expect(
            try await keys(on: backend, texts) { $0.text.like("?rg*", ignoring: [.case, .diacritics]) } == [0, 1, 2, 3])
        #expect(try await keys(on: backend, texts) { $0.optional.contains("", ignoring: .case) } == [])
    }

    @Test
    func `Q3 every scalar of Unicode folds, and folding twice changes nothing`() throws {
        let folding: TextFolding = [.case, .diacritics]
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = folding.fold(String(scalar))
            if folded.unicodeScalars.elementsEqual([scalar]) { continue }
            try #require(![.unassigned, .privateUse].contains(scalar.properties.generalCategory), "\(value)")
            try #require(folding.fold(folded).utf8.elementsEqual(folded.utf8), "\(value)")
        }
    }

    /// All scalars that Unicode has given a meaning, in texts of 4,096. The others fold to themselves, see above.
    private static let lines: [Line] = {
        let scalars = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)
            .filter { ![.unassigned, .privateUse].contains($0.properties.generalCategory) }
        return stride(from: 0, to: scalars.count, by: 4096).map { start in
            let part = scalars[start..<min(start + 4096, scalars.count)]
            return Line(id: start, text: String(String.UnicodeScalarView(part)))
        }
    }()

    @Test(arguments: [Backend.memory, .sqlite, .archive])
    func `Q3 every backend folds each scalar as TextFolding does`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let lines = TestExtent.share(Self.lines, oneOf: 5)
            try await store.insert(lines)
            for folding: TextFolding in [.case, .diacritics, [.case, .diacritics]] {
                for line in lines {
                    let folded = folding.fold(line.text)
                    let select = store.select(Line.self).where { $0.id == line.id }
                    let isFound = try await select.where { $0.text.equals(folded, ignoring: folding) }.exists()
                    #expect(isFound, "the scalars from place \(line.id) on")
                }
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 scalars that fold are found by what they fold to`(_ backend: Backend) async throws {
        let folding: TextFolding = [.case, .diacritics]
        let scalars = (0...0x1FFFF).compactMap { Unicode.Scalar(UInt32($0)) }.map { String($0) }
            .filter { folding.fold($0) != $0 }
        try await withStore(backend) { store in
            try await store.insert(scalars.enumerated().map { Line(id: $0.offset, text: $0.element) })
            let groups = Dictionary(grouping: scalars.indices) { Array(folding.fold(scalars[$0]).utf8) }
            for (text, wanted) in groups where wanted.count > 12 {
                let text = String(decoding: text, as: UTF8.self)
                let found = try await store.select(Line.self).where { $0.text.equals(text, ignoring: folding) }.keys()
                #expect(found == wanted, "\(text)")
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 like: a star and a question mark are wildcards, escaped they are not`(_ backend: Backend) async throws {
        let texts = ["", "a", "ab", "abc", "a*c", "a?c", "é", "e\u{301}", "👍🏽", "a\\c", "%", "_", "aXbXc", "\0"]
        let cases: [(String, [Int])] = [
            ("", [0]), ("*", Array(texts.indices)), ("?", [1, 6, 10, 11, 13]), ("a*", [1, 2, 3, 4, 5, 9, 12]),
            ("*c", [3, 4, 5, 9, 12]), ("a?c", [3, 4, 5, 9]), ("a\\*c", [4]), ("a\\?c", [5]), ("a\\\\c", [9]),
            ("??", [2, 7, 8]), ("*b*c", [3, 12]), ("a*X*X*", [12]), ("%", [10]), ("_", [11]),
            ("**", Array(texts.indices)),
            ("a*b", [2]), ("*?", Array(1..<14)), ("?*?", [2, 3, 4, 5, 7, 8, 9, 12]), ("\\", []), ("*\0", [13]),
        ]
        try await withStore(backend) { (store) async throws in
            try await store.insert(texts.enumerated().map { Line(id: $0.offset, text: $0.element) })
            for (pattern, wanted) in cases {
                let found = try await store.select(Line.self).where { $0.text.like(pattern) }.keys()
                #expect(found == wanted, "\(pattern)")
            }
            let long = String(repeating: "a", count: 65_536)
            #expect(try await store.select(Line.self).where { $0.text.like(long) }.count() == 0)
            await expectError(.limitExceeded) {
                try await store.select(Line.self).where { $0.text.like(long + "*") }.count()
            }
            let many = String(repeating: "*a", count: 1000)
            try await store.insert(Line(id: 99, text: long + "b"))
            #expect(try await store.select(Line.self).where { $0.text.like(many) }.count() == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 a text against another property's`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            try await store.insert([
                Line(id: 1, text: "abc", optional: "ab"), Line(id: 2, text: "abc", optional: "bc"),
                Line(id: 3, text: "abc", optional: ""), Line(id: 4, text: "abc", optional: nil),
            ])
            let select = store.select(Line.self)
            #expect(try await select.where { $0.text.hasPrefix($0.optional) }.keys() == [1, 3])
            #expect(try await select.where { $0.text.hasSuffix($0.optional) }.keys() == [2, 3])
            #expect(try await select.where { $0.text.contains($0.optional) }.keys() == [1, 2, 3])
        }
    }
}
