import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("Differences between stores")
struct DifferenceTests {
    private func differences(_ first: Store, _ second: Store, models: [String]? = nil) async throws -> [String] {
        var lines: [String] = []
        var told: [StoreDifference] = []
        try await first.differences(from: second, models: models) { difference in
            told.append(difference)
            let key = difference.key.map { $0.map(\.description).joined(separator: "/") } ?? "-"
            lines.append(
                "\(difference.kind) \(difference.model) \(key) \(difference.properties.joined(separator: ","))")
        }
        try await expect(first.differences(from: second, models: models), equals: told)
        return lines
    }

    @Test(arguments: pairsOfBackends)
    func `equal stores have none, and each changed record is one`(_ from: Backend, _ to: Backend) async throws {
        try await withStores((from, to)) { first, second in
            for store in [first, second] {
                try await store.insert((1...4).map { Branchlet.tree($0, 2) })
                try await store.insert(Sampler.all)
            }
            try await expect(differences(first, second).isEmpty)
            var changed = Branchlet.tree(2, 2)
            changed.name = "other"
            changed.children[1].children[0].name = "deep"
            try await second.save(changed)
            try await first.delete(Branchlet.self, key: 1)
            try await second.delete(Branchlet.self, key: 4)
            var sampler = Sampler.all[1]
            sampler.parts[0].bolts = []
            sampler.flag.toggle()
            try await second.save(sampler)
            try await expect(
                differences(first, second),
                equals: [
                    "onlyInSecond Branchlet 1 ", "changed Branchlet 2 name,children", "onlyInFirst Branchlet 4 ",
                    "changed Sampler \"a\\0b\"/0 flag,parts.bolts",
                ])
            try await expect(differences(first, second, models: ["Sampler"]).count, equals: 1)
        }
    }

    @Test
    func `a model or a property that one store alone has is told once`() async throws {
        try await withStores((.memory, .sqlite)) { first, second in
            try await first.insert(Branchlet.tree(1, 1))
            try await second.insert(Ticket(id: nil, title: "", code: ""))
            try await first.insert(Narrow(id: 1, name: "a"))
            try await second.insert(Wide(id: 1, name: "a", more: 7))
            try await expect(
                differences(first, second),
                equals: [
                    "onlyInFirst Branchlet - ", "changed Grown - more", "onlyInSecond Ticket - ",
                ])
            await expectError(.invalidQuery) { try await differences(first, second, models: ["Nothing"]) }
        }
    }

    @Storable("Grown") struct Narrow: Equatable {
        var id: Int
        var name: String
    }
    @Storable("Grown") struct Wide: Equatable {
        var id: Int
        var name: String
        var more: Int
    }
}
