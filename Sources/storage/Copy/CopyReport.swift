import Foundation
import StorageAPI
import TerminalOutput

/// What a copy came to, model by model.
struct CopyReport {
    private let time: Duration
    private var models: [(read: ModelDigest, stored: ModelDigest)] = []

    init(time: Duration) { self.time = time }

    mutating func add(_ read: ModelDigest, stored: ModelDigest) { models.append((read, stored)) }

    var isVerified: Bool { models.allSatisfy { $0.read == $0.stored } }

    func print(asJSON: Bool) {
        if asJSON { return printJSON() }
        var table = TextTable("Model", .number("Records"), .number("Rows"), "SHA-256 begins", "Copy")
        for model in models {
            table.add(
                model.read.model, model.read.records.grouped, model.read.rows.grouped,
                String(model.read.hexadecimal.prefix(16)), model.read == model.stored ? "verified" : "DIFFERS")
        }
        for line in table.lines { Swift.print(line) }
        Swift.print("")
        Swift.print("\(records.counted("record")) in \(time.short), \(rate.grouped) records/s.")
    }

    private var records: Int { models.reduce(0) { $0 + $1.read.records } }
    private var rate: Int { Int(Double(records) / max(time.seconds, 0.001)) }

    private func printJSON() {
        let models = models.map { model in
            [
                "model": .string(model.read.model), "records": .number("\(model.read.records)"),
                "rows": .number("\(model.read.rows)"), "sha256": .string(model.read.hexadecimal),
                "verified": .bool(model.read == model.stored),
            ] as KeyValuePairs<String, JSONValue>
        }
        let report: KeyValuePairs<String, JSONValue> = [
            "models": .array(models.map(JSONValue.object)), "seconds": .number("\(time.seconds)"),
            "recordsPerSecond": .number("\(rate)"),
        ]
        Swift.print(JSONValue.object(report).text)
    }
}
