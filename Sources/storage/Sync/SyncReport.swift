import StorageAPI
import StorageJSON
import StorageSync
import TerminalOutput

/// The result of an exchange.
struct SyncReport {
    let exchange: SyncExchange
    let time: Duration

    private var news: [SyncOutcome] { exchange.outcomes.filter(\.isNews) }

    func print(_ options: ResultOptions) throws {
        if options.quiet { return }
        var output = Output()
        if options.json {
            try output.write { bytes in
                appendObject(to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
        } else {
            for line in lines { try output.line(line.printable) }
        }
        try output.flush()
    }

    // MARK: Text

    private var lines: [String] {
        let counts = [
            "\(exchange.sent.grouped) \(exchange.sent == 1 ? "patch" : "patches") sent",
            "\(exchange.taken.counted("record")) taken", "\(overwritten.counted("value")) overwritten",
            "\(exchange.refused.grouped) refused",
        ]
        let back = "The hub was restored from a backup, and got back what it had lost and this replica had."
        return news.flatMap(lines) + (exchange.hubWentBack ? [back] : []) + [
            "\(counts.joined(separator: ", ")), in \(exchange.roundTrips.counted("round trip")) and \(time.short)."
        ]
    }

    private var overwritten: Int {
        exchange.outcomes.reduce(0) { count, outcome in
            switch outcome.result {
            case .applied(let values), .joined(let values): count + values.count
            case .refused: count
            }
        }
    }

    private func lines(_ outcome: SyncOutcome) -> [String] {
        let patch = outcome.patch.map(Self.name) ?? "A patch"
        switch outcome.result {
        case .applied(let values):
            return ["\(patch) has overwritten what its author had not seen:"] + values.map(Self.line)
        case .joined(let values):
            return ["The hub's values have replaced others that the replica had before it joined:"]
                + values.map(Self.line)
        case .refused(let reason):
            return ["\(patch) is refused: \(reason)"] + (outcome.patch?.changes ?? []).map(Self.line)
        }
    }

    /// `Patch 7 (by Ann: prices)`
    private static func name(_ patch: SyncPatch) -> String {
        let signature = [patch.author.map { "by \($0)" }, patch.note].compactMap(\.self).joined(separator: ": ")
        return "Patch \(patch.number)" + (signature.isEmpty ? "" : " (\(signature))")
    }

    private static func line(_ value: SyncOverwrite) -> String {
        var bytes: [UInt8] = []
        JSONText.append(value.lost, to: &bytes)
        return "  \(value.model) \(value.key.keyText): \(value.property) was \(String(decoding: bytes, as: UTF8.self))"
    }

    private static func line(_ change: SyncPatch.Change) -> String {
        let (mark, properties) =
            switch change.kind {
            case .inserted: ("+", "")
            case .updated(let properties): ("~", ": " + properties.map(\.name).joined(separator: ", "))
            case .deleted: ("-", "")
            }
        return "  \(change.byRule ? "^" : mark) \(change.model) \(change.key.keyText)\(properties)"
    }

    // MARK: JSON

    private func appendObject(to bytes: inout [UInt8]) {
        bytes += "{\"sent\":\(exchange.sent),\"taken\":\(exchange.taken),\"overwritten\":\(overwritten)".utf8
        bytes += ",\"refused\":\(exchange.refused),\"hubWentBack\":\(exchange.hubWentBack)".utf8
        bytes += ",\"roundTrips\":\(exchange.roundTrips),\"seconds\":\(time.seconds),\"outcomes\":".utf8
        JSONText.append(news, open: "[", close: "]", to: &bytes) { SyncJSON.append($0, to: &$1) }
        bytes.append(UInt8(ascii: "}"))
    }
}
