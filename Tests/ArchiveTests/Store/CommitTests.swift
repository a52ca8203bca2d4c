import ArchiveBackend
import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests that a transaction leaves what its commit says, however many records it wrote to and undid.
@Suite struct CommitTests {
    private struct Undone: Error {}

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.karch")
    }

    private func open(_ access: ArchiveBackend.Access = .readWrite) async throws -> Store {
        try await Store(
            ArchiveBackend(path: path, durability: .relaxed, compaction: .manual, access: access),
            models: Person.self, Note.self, Site.self)
    }

    private var fileSize: Int {
        get throws { try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0 }
    }

    /// Compares what the writing store has in memory with what a reader finds in the file.
    private func expectSame(_ writer: Store, _ reader: Store, step: String) async throws {
        try await expect(reader.select(Person.self).all(), equals: writer.select(Person.self).all(), "\(step)")
        try await expect(reader.select(Note.self).all(), equals: writer.select(Note.self).all(), "\(step)")
        try await expect(reader.select(Site.self).all(), equals: writer.select(Site.self).all(), "\(step)")
    }

    @Test(arguments: [1, 3, 40, 64, 65, 90]) func `a reader finds what the writer has, whatever a transaction did`(
        maximum: Int
    ) async throws {
        let writer = try await open()
        try await writer.insert(Person.samples(100))
        let reader = try await open(.readOnly)
        let noise = noiseBytes(4 * 40 * maximum, seed: UInt64(maximum))
        var rest = (0..<40 * maximum).map { Step($0, Array(noise[4 * $0..<4 * $0 + 4])) }[...]
        while let first = rest.first {
            let steps = rest.prefix(1 + first.number % maximum)
            rest = rest.dropFirst(steps.count)
            try await writer.transaction { tx in
                for step in steps {
                    guard step.isUndone else {
                        try step.run(tx)
                        continue
                    }
                    do {
                        try tx.savepoint {
                            try step.run(tx)
                            throw Undone()
                        }
                    } catch is Undone {}
                }
            }
            try await expectSame(writer, reader, step: "\(steps)")
        }
        try await reader.close()
        try await writer.compact()
        let compacted = try await open(.readOnly)
        try await expectSame(writer, compacted, step: "compacted")
        try await writer.close()
    }

    /// One change among few keys, so that records are changed again and again.
    private struct Step: CustomStringConvertible {
        enum Kind: CaseIterable {
            case save, saveSite, saveNote, deleteKey, deleteSites, update, deleteMany, truncate
        }

        /// The number of this one among all.
        let serial: Int
        let kind: Kind
        let number: Int
        let isUndone: Bool

        init(_ serial: Int, _ noise: [UInt8]) {
            self.serial = serial
            let kind = Kind.allCases[Int(noise[0]) % Kind.allCases.count]
            // All records go now and then only.
            self.kind = kind == .truncate && noise[1] > 25 ? .save : kind
            number = Int(noise[2]) % 120
            isUndone = noise[3] < 64
        }

        var description: String { "\(serial): \(kind) \(number)\(isUndone ? " undone" : "")" }

        func run(_ tx: borrowing Store.Transaction) throws {
            switch kind {
            case .save:
                // Half of them are stored as they are already.
                var person = Person.sample(number)
                if number % 2 == 0 { person.pens.append(Pen(id: number, color: "blue", price: 1)) }
                try tx.save(person)
            case .saveSite: try tx.save(Site(country: "c\(number % 5)", number: number % 7, text: "\(number)"))
            case .saveNote: try tx.save(Note(id: nil, title: "\(serial)"))
            case .deleteKey: try tx.delete(Person.self, key: number)
            case .deleteSites:
                let country = "c\(number % 5)"
                try tx.delete(Site.self).where { $0.country == country }.run()
            case .update:
                let number = number
                try tx.update(Person.self).where { $0.id >= number && $0.id < number + 3 }.set(\.age, to: 1).run()
            case .deleteMany:
                let number = number
                try tx.delete(Person.self).where { $0.id > number && $0.id < number + 2 }.run()
            case .truncate:
                if number % 2 == 0 { try tx.truncate(Person.self) } else { try tx.truncate(Site.self) }
            }
        }
    }

    @Test(arguments: [1, 64, 65, 300]) func `records that are stored as they are already add nothing to the file`(
        count: Int
    ) async throws {
        let people = Person.samples(count)
        let store = try await open()
        try await store.insert(people)
        let size = try fileSize
        try await store.save(people)
        try await store.transaction { tx in
            for person in people { try tx.save(person) }
            try tx.insert(Person.sample(1000))
            _ = try tx.delete(Person.self, key: 1000)
        }
        try expect(fileSize, equals: size)
        var changed = people[0]
        changed.age += 1
        try await store.save([changed] + people.dropFirst())
        try expect(fileSize - size < 2000)
        try await store.close()
        try await expect(open().select(Person.self).all(), equals: [changed] + people.dropFirst())
    }
}
