import Foundation
import StorageKit
import Testing

@Suite("Q9 Foundation's predicates and sort descriptors")
struct PredicateTests {
    final class Settings: Sendable, Codable {
        let limit: Int
        init(limit: Int) { self.limit = limit }
    }

    /// Children's rows have what an Optional of them hides.
    private func expect(
        _ check: SampleCheck, _ predicate: Predicate<Sample>, sourceLocation: SourceLocation = #_sourceLocation,
        _ swift: (Sample) -> Bool
    ) async throws {
        let select = check.store.select(Sample.self).where(predicate)
        #expect(try await select.keys() == check.rows.filter(swift).map(\.id), sourceLocation: sourceLocation)
    }

    @Test(arguments: Backend.allCases)
    func `Q9 comparisons, logic, arithmetic and captured values`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let (limit, text, color) = (1, "a", Sample.Color.blue)
            let set: Set<Int> = [0, 1]
            let day = Date(timeIntervalSinceReferenceDate: 0)
            try await expect(check, #Predicate { $0.number > limit && $0.flag }) { $0.number > limit && $0.flag }
            try await expect(check, #Predicate { !($0.number <= limit) || $0.small != 5 }) {
                $0.number > limit || $0.small != 5
            }
            try await expect(check, #Predicate { $0.maybe == nil }) { $0.maybe == nil }
            try await expect(check, #Predicate { $0.maybe == limit }) { $0.maybe == limit }
            try await expect(check, #Predicate { ($0.maybe ?? 7) > limit }) { ($0.maybe ?? 7) > limit }
            try await expect(check, #Predicate { $0.color == color }) { $0.color == color }
            try await expect(check, #Predicate { set.contains($0.number) }) { set.contains($0.number) }
            try await expect(check, #Predicate { (0...2).contains($0.number) }) { (0...2).contains($0.number) }
            try await expect(check, #Predicate { (0..<2).contains($0.number) }) { (0..<2).contains($0.number) }
            try await expect(check, #Predicate { $0.day < day }) { $0.day < day }
            try await expect(check, #Predicate { ($0.flag ? $0.small : 0) > 3 }) { ($0.flag ? $0.small : 0) > 3 }
            try await expect(check, #Predicate { $0.small > -9 && $0.small < 9 && -$0.small * 2 + 1 > 3 }) {
                $0.small > -9 && $0.small < 9 && -$0.small * 2 + 1 > 3
            }
            try await expect(check, #Predicate { $0.small / 2 == 63 || $0.small % 2 == 1 }) {
                $0.small / 2 == 63 || $0.small % 2 == 1
            }
            try await expect(check, #Predicate { $0.name == text }) { Array($0.name.utf8) == [97] }
            try await expect(check, #Predicate { if let maybe = $0.maybe { maybe > limit } else { false } }) {
                $0.maybe.map { $0 > limit } ?? false
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q9 text, arrays and children`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            try await expect(check, #Predicate { $0.name.starts(with: "Cheng") }) { $0.name.hasPrefix("Cheng") }
            try await expect(check, #Predicate { $0.name.contains("%") }) { $0.name.contains("%") }
            try await expect(check, #Predicate { $0.name.isEmpty }) { $0.name.isEmpty }
            try await expect(check, #Predicate { $0.nick?.contains("b") == true }) { $0.nick?.contains("b") == true }
            try await expect(check, #Predicate { $0.nick?.contains("b") ?? true }) { $0.nick?.contains("b") ?? true }
            try await expect(check, #Predicate { $0.tags.contains("ab") }) { $0.tags.contains("ab") }
            try await expect(check, #Predicate { $0.tags.count > 1 }) { $0.tags.count > 1 }
            try await expect(check, #Predicate { $0.tags.isEmpty }) { $0.tags.isEmpty }
            try await expect(check, #Predicate { $0.main?.count == 1 }) { $0.main?.count == 1 }
            try await expect(check, #Predicate { $0.main == nil }) { $0.main == nil }
            try await expect(check, #Predicate { $0.parts.contains { $0.count == 2 } }) {
                $0.parts.contains { $0.count == 2 }
            }
            try await expect(check, #Predicate { $0.parts.allSatisfy { $0.count > 0 } }) {
                $0.parts.allSatisfy { $0.count > 0 }
            }
            try await expect(check, #Predicate { $0.parts.filter { $0.count > 0 }.count > 1 }) {
                $0.parts.filter { $0.count > 0 }.count > 1
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q9 what has no counterpart is invalidQuery and names the expression`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            let select = store.select(Sample.self)
            let settings = Settings(limit: 3)
            let captured = await expectError(.invalidQuery) {
                try await select.where(#Predicate { $0.number > settings.limit }).all()
            }
            #expect(captured?.message.contains("Settings") == true)
            let subscripted = await expectError(.invalidQuery) {
                try await select.where(#Predicate { $0.tags[0] == "a" }).all()
            }
            #expect(subscripted?.message.contains("Subscript") == true)
            await expectError(.invalidQuery) { try await select.where(#Predicate { $0.name.count == 1 }).all() }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q5 sort descriptors`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            let select = check.store.select(Sample.self)
            let found = try await select.order(SortDescriptor(\.small, order: .reverse), SortDescriptor(\.number))
                .keys()
            #expect(try await select.order { $0.small.descending }.order { $0.number }.keys() == found)
            let byName = try await select.order(SortDescriptor(\.name, comparator: .lexical)).keys()
            #expect(try await select.order { $0.name }.keys() == byName)
            await expectError(.invalidQuery) { try await select.order(SortDescriptor(\.main?.name)).keys() }
        }
    }
}
