import Foundation
import SQLiteBackend
import StorageAPI

/// This toolkit through its async interface.
final class Toolkit: Contestant {
    let name = "toolkit"
    let works = Set(Work.allCases)
    private let sample: Sample
    private let store: Store
    private var changed = Changed()

    convenience init(_ folder: URL, _ sample: Sample) throws {
        let path = folder.appendingPathComponent("toolkit.db").path
        try self.init(SQLiteBackend(path: path, durability: .relaxed), sample)
    }

    init(_ backend: some StorageBackend, _ sample: Sample) throws {
        self.sample = sample
        store = try Store.Blocking.open(backend, models: Record.self, Item.self, Purchase.self)
    }

    func clear(_ table: Table) throws {
        switch table {
        case .records: try store.blocking.truncate(Record.self)
        case .items: try store.blocking.truncate(Item.self)
        case .purchases: try store.blocking.truncate(Purchase.self)
        }
    }

    func insertItems() throws { try store.blocking.insert(sample.items) }

    func make(_ work: Work, round: Int) { changed = Changed(work, sample, round) }

    func run(_ work: Work) async throws -> Outcome {
        switch work {
        case .insert: try await store.insert(changed.records)
        case .update: try await store.update(changed.records)
        case .upsert: try await store.save(changed.records)
        case .saveEach: for record in changed.records { try await store.save(record) }
        case .saveEachBlocking: for record in changed.records { try store.blocking.save(record) }
        case .insertGraphs: try await store.insert(changed.purchases)
        case .saveGraphs: try await store.save(changed.purchases)
        case .delete: try await store.delete(Record.self, keys: Array(sample.deleted))
        default: return try await read(work)
        }
        return .written
    }

    private func read(_ work: Work) async throws -> Outcome {
        switch work {
        case .fetch: return .models(try await store.select(Record.self).all())
        case .fetchItems: return .models(try await store.select(Item.self).all())
        case .loadGraphs: return .models(try await store.select(Purchase.self).all())
        case .stream:
            return .sum(
                try await store.read { snapshot in
                    var sum: Int64 = 0
                    try snapshot.select(Record.self).forEach { sum += $0.sum }
                    return sum
                })
        case .streamAsync:
            var sum: Int64 = 0
            for try await record in store.select(Record.self).stream() { sum += record.sum }
            return .sum(sum)
        case .find:
            var sum: Int64 = 0
            for key in sample.keys { sum += try await store.find(Record.self, key: Int(key))?.sum ?? 0 }
            return .sum(sum)
        case .findInBlock:
            return .sum(
                try await store.read { [keys = sample.keys] snapshot in
                    var sum: Int64 = 0
                    for key in keys { sum += try snapshot.find(Record.self, key: Int(key))?.sum ?? 0 }
                    return sum
                })
        case .page:
            var records: [Record] = []
            for age in sample.pages {
                records += try await store.select(Record.self)
                    .where { $0.age >= age && $0.age < age + Sample.page.width }
                    .order { $0.name }.limit(Sample.page.limit).all()
            }
            return .models(records)
        default: throw BenchmarkError("\(work) writes")
        }
    }
}
