import CBaseline
import Foundation

/// All ways, each on a separate file with the same data.
enum Contestants {
    static func all(_ folder: URL, _ sample: Sample) throws -> [any Contestant] {
        cbaseline_prepare(sample.records.count, sample.purchases.count)
        return try [Toolkit(folder, sample), InC(folder, sample), HandWritten(folder, sample)] + peers(folder, sample)
            + Archiver.Format.allCases.map { Archiver($0, folder, sample) }
    }

    private static func peers(_ folder: URL, _ sample: Sample) throws -> [any Contestant] {
        let plain = Set(Work.allCases).subtracting([.insertGraphs, .saveGraphs, .loadGraphs])
        return try [
            GRDBWay<Record, Item>("GRDB, Codable records", folder, sample),
            GRDBWay<PlainRecord, PlainItem>("GRDB, hand-written records", folder, sample, works: plain),
            GRDBCached(folder, sample),
        ]
    }

    /// Compares what every way reads, and what it has stored after every case that writes, with the sample itself.
    ///
    /// - Returns: how many comparisons were made.
    static func check(_ folder: URL) async throws -> Int {
        let sample = Sample(1000)
        var checks = 0
        for way in try all(folder, sample) {
            try await way.fill()
            for (place, work) in Work.allCases.enumerated() where way.works.contains(work) {
                let round = place + 1
                try await way.prepare(work, round: round)
                let expected = Expected(work: work, sample: sample, round: round)
                try await expected.compare(way.run(work), way)
                checks += 1
                // What reading cases expect is the sample as it is.
                try await way.fill()
            }
        }
        return checks
    }
}

/// The result that a case must return, or the state it must leave.
private struct Expected {
    let work: Work
    let sample: Sample
    let round: Int

    func compare(_ outcome: Outcome, _ way: any Contestant) async throws {
        switch outcome {
        case .sum(let sum): try require(sum == self.sum, way)
        case .kept(let checksum): try require(checksum() == models, way)
        case .written:
            let reading: Work = [.insertGraphs, .saveGraphs].contains(work) ? .loadGraphs : .fetch
            guard way.works.contains(reading) else { return }
            way.make(reading, round: round)
            guard case .kept(let checksum) = try await way.run(reading) else { return try require(false, way) }
            try require(checksum() == models, way)
        }
    }

    private func require(_ holds: Bool, _ way: any Contestant) throws {
        guard holds else { throw BenchmarkError("\(way.name): \(work.rawValue) gives other values than the sample") }
    }

    private var sum: Int64 {
        work == .stream || work == .streamAsync
            ? sample.records.reduce(0) { $0 + $1.sum }
            : sample.keys.reduce(0) { $0 + sample.records[Int($1) - 1].sum }
    }

    private var models: UInt64 {
        let records = sample.records
        switch work {
        case .fetchItems: return sample.items.checksum
        case .loadGraphs: return sample.purchases.checksum
        case .insertGraphs, .saveGraphs: return sample.purchases.map { $0.changed(round) }.checksum
        case .page: return sample.pages.flatMap(page).checksum
        case .insert, .update, .upsert: return records.map { $0.changed(round) }.checksum
        case .delete: return records.dropFirst(sample.deleted.count).map { $0.changed(round) }.checksum
        case .saveEach, .saveEachBlocking:
            let saved = Work.saves(sample)
            return (records.prefix(saved).map { $0.changed(round) } + records.dropFirst(saved)).checksum
        default: return records.checksum
        }
    }

    private func page(from age: Int) -> [Record] {
        let records = sample.records.filter { (age..<age + Sample.page.width).contains($0.age) }
        return Array(records.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.prefix(Sample.page.limit))
    }
}
