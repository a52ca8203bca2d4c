import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit

/// A record of the crash tests: all of its numbers are one, however deep they stand.
@Storable struct Ledger {
    var id: Int
    var number: Int
    var lines: [Line] = []
}

@Storable struct Line {
    var id: Int
    var number: Int
    var text: String
}

/// Writes transactions without end and says the number of each on standard output when it is committed, until it is
/// killed.
///
/// Each transaction saves the three ledgers 1 to 3 with the number and its remainder of lines, inserts a fourth under
/// its number and deletes the one of five numbers ago; so a half transaction shows.
@main struct CrashWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let first = Int(arguments[2]) else {
            print("usage: CrashWriter <storage URL> <first number>")
            exit(64)
        }
        let store = try await Store(
            url: arguments[1], backends: [ArchiveBackend.self, SQLiteBackend.self], models: Ledger.self)
        var number = first
        while true {
            let current = number
            try await store.transaction { tx in
                for id in 1...3 { try tx.save(Self.ledger(id, current)) }
                try tx.insert(Self.ledger(1000 + current, current))
                if current >= 5 { _ = try tx.delete(Ledger.self, key: 1000 + current - 5) }
            }
            FileHandle.standardOutput.write(Data("\(current)\n".utf8))
            number += 1
        }
    }

    static func ledger(_ id: Int, _ number: Int) -> Ledger {
        let lines = (0..<number % 7).map { Line(id: $0, number: number, text: String(repeating: "\(number) ", count: 40)) }
        return Ledger(id: id, number: number, lines: lines)
    }
}
