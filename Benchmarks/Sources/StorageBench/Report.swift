import CBaseline
import Foundation

/// All that one run has measured.
struct Report: Codable {
    var machine = Machine()
    var measurements: [Measurement] = []
    var concurrency: [ConcurrencyMeasurement] = []
    var memory: [MemoryMeasurement] = []

    /// Times of the toolkit, and of every other way as a multiple of the toolkit's.
    func table() -> String {
        let ways = measurements.map(\.way).uniqued.filter { $0 != "toolkit" }
        var lines = ["| records | case | toolkit, ns (min–max) | " + ways.joined(separator: " | ") + " |"]
        lines.append("|" + String(repeating: "---|", count: ways.count + 3))
        for records in measurements.map(\.records).uniqued {
            for work in Work.allCases {
                guard let own = measurement(work, records, "toolkit") else { continue }
                let others = ways.map { way in
                    measurement(work, records, way).map { String(format: "%.2f", $0.median / own.median) } ?? "–"
                }
                let time = String(format: "%.0f (%.0f–%.0f)", own.nanoseconds, own.least, own.most)
                lines.append("| \(records) | \(work.title) | \(time) | \(others.joined(separator: " | ")) |")
            }
        }
        return lines.joined(separator: "\n")
    }

    func measurement(_ work: Work, _ records: Int, _ way: String) -> Measurement? {
        measurements.first { $0.work == work && $0.records == records && $0.way == way }
    }

    func write(_ options: Options) throws {
        if let file = options.json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(self).write(to: file)
        }
        if let file = options.chart { try Data(Chart(self).svg.utf8).write(to: file) }
    }

    func show() {
        print(machine.description, "", table(), separator: "\n")
        if !concurrency.isEmpty { print("", ConcurrencyMeasurement.table(concurrency), separator: "\n") }
        if !memory.isEmpty { print("", MemoryMeasurement.table(memory), separator: "\n") }
        print("", Goal.table(self), separator: "\n")
    }
}

extension Array where Element: Hashable {
    /// Each element once, in the order of its first occurrence.
    var uniqued: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// The machine on which a run took place.
struct Machine: Codable, CustomStringConvertible {
    var system = ProcessInfo.processInfo.operatingSystemVersionString
    var processor = Machine.processorName()
    var cores = ProcessInfo.processInfo.activeProcessorCount
    var memory = ProcessInfo.processInfo.physicalMemory
    var sqlite = String(cString: sqlite3_libversion())

    var description: String {
        "\(processor), \(cores) cores, \(memory >> 30) GiB, \(system), SQLite \(sqlite). Median times for each record or "
            + "call of the toolkit; the other ways as multiples of it, measured in turn in the same run."
    }

    private static func processorName() -> String {
        let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
        let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
        return name.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown processor"
    }
}
