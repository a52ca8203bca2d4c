import Foundation
import StorageKit
import Testing

@Suite("Q9 Queries as text")
struct TextFormTests {
    /// The text chooses the rows that the Swift expression chooses.
    private func expect(
        _ check: SampleCheck, _ text: String, _ arguments: [any ColumnValue] = [],
        sourceLocation: SourceLocation = #_sourceLocation, _ swift: (Sample) -> Bool
    ) async throws {
        let select = check.store.select(Sample.self)
        let query =
            arguments.isEmpty ? select.where(text: text) : select.where(text: text, arguments: arguments.map(\.value))
        #expect(try await query.keys() == check.rows.filter(swift).map(\.id), "\(text)", sourceLocation: sourceLocation)
    }

    @Test(arguments: Backend.allCases)
    func `Q9 operators in every spelling`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            try await expect(check, "number == 1") { $0.number == 1 }
            try await expect(check, "1 = number") { $0.number == 1 }
            try await expect(check, "number <> 1 AND flag") { $0.number != 1 && $0.flag }
            try await expect(check, "number != 1 && !flag") { $0.number != 1 && !$0.flag }
            try await expect(check, "maybe => 1 or not (small =< 1)") {
                $0.maybe.map { $0 >= 1 } ?? false || $0.small > 1
            }
            try await expect(check, "maybe is nil || maybe == NULL") { $0.maybe == nil }
            try await expect(check, "maybe is not nil") { $0.maybe != nil }
            try await expect(check, "maybe in {0, 1, nil}") { [0, 1, nil].contains($0.maybe) }
            try await expect(check, "maybe not in (0, 1)") { ![0, 1].contains($0.maybe) }
            try await expect(check, "number between {-1, 2}") { (-1...2).contains($0.number) }
            try await expect(check, "number between -1 and 2 and flag == true") {
                (-1...2).contains($0.number) && $0.flag
            }
            try await expect(check, "small < 100 and small + 1 > 3 * (2 - 1)") { $0.small < 100 && $0.small + 1 > 3 }
            try await expect(check, "small > -100 and -small < -4") { $0.small > 4 }
            try await expect(check, "small % 2 == 1") { $0.small % 2 == 1 }
            try await expect(check, "price > 0.25 and price < 1e200") { $0.price > 0.25 && $0.price < 1e200 }
            try await expect(check, "exact >= 9.5") { $0.exact >= 9.5 }
            try await expect(check, "wide == 18446744073709551615") { $0.wide == .max }
            try await expect(check, "color == \"blue\"") { $0.color == .blue }
            try await expect(check, "day < '2001-01-01T00:00:00Z'") { $0.day.timeIntervalSinceReferenceDate < 0 }
            try await expect(check, "uuid = '00000000-0000-0000-0000-000000000000'") { _ in true }
            try await expect(check, "`number` == 1") { $0.number == 1 }
            try await expect(check, "TRUEPREDICATE") { _ in true }
            try await expect(check, "false or flag") { $0.flag }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q9 tests of text, arrays and children`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            try await expect(check, "name beginswith 'Cheng'") { $0.name.hasPrefix("Cheng") }
            try await expect(check, "name BEGINSWITH[c] 'CHENG'") { $0.name.lowercased().hasPrefix("cheng") }
            try await expect(check, "name ENDSWITH 'b' or name CONTAINS '%'") {
                $0.name.hasSuffix("b") || $0.name.contains("%")
            }
            try await expect(check, "name ==[cd] 'a'") { ["a", "A", "Ä", "ä"].contains($0.name) }
            try await expect(check, "name like '?_*'") { $0.name == "x_y" }
            try await expect(check, "tags contains 'a'") { $0.tags.contains { Array($0.utf8) == [97] } }
            try await expect(check, "any tags == 'a'") { $0.tags.contains { Array($0.utf8) == [97] } }
            try await expect(check, "'a' in tags") { $0.tags.contains { Array($0.utf8) == [97] } }
            try await expect(check, "numbers contains 9223372036854775807") { $0.numbers?.contains(.max) ?? false }
            try await expect(check, "tags.@count >= 2") { $0.tags.count >= 2 }
            try await expect(check, "count(parts) == 2") { $0.parts.count == 2 }
            try await expect(check, "count(parts where weight > 1 and count > 0) > 0") {
                $0.parts.contains { ($0.weight ?? 0) > 1 && $0.count > 0 }
            }
            try await expect(check, "main.name == 'a'") { $0.main.map { Array($0.name.utf8) == [97] } ?? false }
            try await expect(check, "ANY parts.weight > 1") { $0.parts.contains { ($0.weight ?? 0) > 1 } }
            try await expect(check, "ALL parts.count > 0") { $0.parts.allSatisfy { $0.count > 0 } }
            try await expect(check, "NONE spares.weight is nil") { !($0.spares ?? []).contains { $0.weight == nil } }
            try await expect(check, "any parts (weight > 1 and name != '')") {
                $0.parts.contains { ($0.weight ?? 0) > 1 && !$0.name.isEmpty }
            }
            try await expect(check, "spares == nil") { $0.spares == nil }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q1 arguments are values, whatever they hold`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            try await expect(check, "small >= ? and name beginswith ?", [1, "Cheng"]) {
                $0.small >= 1 && $0.name.hasPrefix("Cheng")
            }
            #expect(
                try await select.where(text: "number in ?", [1, 2]).keys()
                    == check.rows.filter { [1, 2].contains($0.number) }.map(\.id))
            #expect(try await select.where(text: "name == ?", "' or 1 = 1 --").count() == 0)
            #expect(try await select.where(text: "day > ?", Date(timeIntervalSinceReferenceDate: 1)).count() > 0)
            #expect(try await select.where(text: "name == \"\\\" or 1 == 1\"").count() == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q5 orders as text`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            let typed = try await select.order { $0.small.descending }.order { $0.maybe.ascending.nilsLast }
                .order { $0.main.name }.keys()
            #expect(try await select.order(text: "small desc, maybe nils last, main.name ascending").keys() == typed)
            #expect(try await select.order(text: "parts.@count").keys() == select.order { $0.parts.count }.keys())
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q9 what cannot be read is invalidQuery at its character`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let cases: [(String, Int, String)] = [
                ("agee > 3", 1, "agee"), ("name == 'a' and  agee > 3", 18, "agee"), ("main.nam == 'a'", 6, "nam"),
                ("number >", 9, "expected"), ("(number > 1", 12, ")"), ("number > 1)", 11, ")"), ("number ! 1", 8, "!"),
                ("name == 'a", 9, "closed"), ("number == 'a'", 8, "int64"), ("name > 5", 6, "string"),
                ("name contains 5", 6, "string"), ("number like 'a'", 8, "int64"), ("name + 1 > 2", 10, "string"),
                ("number in {1, name}", 15, "plain"), ("number in {1 2}", 14, ","), ("flag > # 2", 8, "#"),
                ("parts.name == 'a'", 12, "any"), ("name.x == 1", 1, "name"), ("number == ?", 11, "argument"),
                ("any number > 1", 5, "array"), ("", 1, "expected"), ("name ==[x] 'a'", 9, "cd"),
                ("number == 1e999", 11, "1e999"), ("parts == 1", 7, "child"),
                ("number", 1, "Bool"),
            ]
            for (text, character, word) in cases {
                let error = await expectError(.invalidQuery, "\(text)") {
                    try await store.select(Sample.self).where(text: text).all()
                }
                let message = error?.message ?? ""
                #expect(message.contains(word), "\(text): \(message)")
                if text != "number" { #expect(message.contains("(character \(character),"), "\(text): \(message)") }
            }
            let select = store.select(Sample.self)
            await expectError(.invalidQuery) { try await select.where(text: "number == 1", 5).all() }
            await expectError(.invalidQuery) { try await select.order(text: "number upwards").all() }
            await expectError(.invalidQuery) { try await select.order(text: "tags").all() }
            await expectError(.invalidQuery) { try await store.delete(Sample.self).where(text: "agee > 3").run() }
            let deep = String(repeating: "(", count: 5000) + "flag" + String(repeating: ")", count: 5000)
            await expectError(.limitExceeded) { try await select.where(text: deep).all() }
            await expectError(.limitExceeded) {
                try await select.where(text: String(repeating: "! ", count: 5000) + "flag").all()
            }
            await expectError(.limitExceeded) {
                try await select.where(text: String(repeating: "- ", count: 5000) + "1 > 0").all()
            }
        }
    }
}
