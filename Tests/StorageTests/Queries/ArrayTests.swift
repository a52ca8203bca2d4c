import Foundation
import StorageKit
import Testing

@Suite("Q3 Arrays and counts of children")
struct ArrayQueryTests {
    @Test(arguments: Backend.allCases)
    func `Q3 contains, count and isEmpty of arrays of every element type`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            for text in Sample.texts {
                let bytes = Array(text.utf8)
                try await check({ $0.tags.contains(text) }, "\(text.debugDescription)") {
                    $0.tags.contains { Array($0.utf8) == bytes }
                }
            }
            try await check({ $0.tags.count == 2 }) { $0.tags.count == 2 }
            try await check({ $0.tags.isEmpty }) { $0.tags.isEmpty }
            try await check({ $0.numbers.contains(.max) }) { $0.numbers?.contains(.max) ?? false }
            try await check({ $0.numbers.count == nil }) { $0.numbers == nil }
            try await check({ $0.numbers.count != 1 }) { $0.numbers?.count != 1 }
            try await check({ $0.numbers.isEmpty }) { $0.numbers?.isEmpty ?? false }
            try await check({ $0.doubles.contains(0) }) { $0.doubles.contains(0) }
            try await check({ $0.doubles.contains(.nan) }) { $0.doubles.contains { $0.isNaN } }
            try await check({ $0.doubles.contains(.infinity) }) { $0.doubles.contains(.infinity) }
            try await check({ $0.colors.contains(.blue) }) { $0.colors.contains(.blue) }
            try await check({ $0.bytes.contains(255) }) { $0.bytes.contains(255) }
            try await check({ $0.bytes.count >= 2 }) { $0.bytes.count >= 2 }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 count over children, with a condition and without`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            try await check({ $0.parts.count == 2 }) { $0.parts.count == 2 }
            try await check({ $0.parts.isEmpty }) { $0.parts.isEmpty }
            try await check({ $0.parts.count { $0.weight == nil } > 0 }) { $0.parts.contains { $0.weight == nil } }
            try await check({ $0.parts.count { $0.name != "a" } == $0.parts.count }) {
                $0.parts.allSatisfy { $0.name != "a" }
            }
            try await check({ $0.spares.count == nil }) { $0.spares == nil }
            try await check({ $0.spares.count == 0 }) { $0.spares?.count == 0 }
            try await check({ $0.spares.isEmpty }) { $0.spares?.isEmpty ?? false }
            try await check({ $0.spares.count { $0.count > 0 } == 0 }) {
                ($0.spares ?? []).allSatisfy { $0.count == 0 }
            }
            let order = check.rows.sorted { ($0.parts.count, $0.id) < ($1.parts.count, $1.id) }.map(\.id)
            #expect(try await check.store.select(Sample.self).order { $0.parts.count }.keys() == order)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q3 a plain value on the left, and plain against Optional`(_ backend: Backend) async throws {
        try await SampleCheck.run(on: backend) { (check) async throws in
            try await check({ 1 == $0.number }) { 1 == $0.number }
            try await check({ 1 <= $0.number }) { 1 <= $0.number }
            try await check({ 1 > $0.number }) { 1 > $0.number }
            try await check({ $0.number == $0.maybe }) { $0.number == $0.maybe }
            try await check({ $0.number != $0.maybe }) { $0.number != $0.maybe }
            try await check({ $0.maybe < $0.number }) { row in row.maybe.map { $0 < row.number } ?? false }
            try await check({ $0.maybe.isIn(0...1) }) { $0.maybe.map((0...1).contains) ?? false }
        }
    }
}
