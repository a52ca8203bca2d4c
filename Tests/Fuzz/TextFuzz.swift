import ArchiveBackend
import MemoryBackend
import SQLiteBackend
import StorageAPI
import StorageDriver

@testable import storage

/// An address of a store. Nothing is opened.
struct Address: Fuzzed {
    init() {}

    func test(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let url = try allowing([.configuration], { try StorageURL(text) }) else { return }
        _ = try allowing([.configuration]) { try SQLiteBackend(url: url) }
        _ = try allowing([.configuration]) { try ArchiveBackend(url: url) }
    }
}

/// A password in each form of an address. What may be shown of the address has nothing of it.
struct Password: Fuzzed {
    init() {}

    func test(_ bytes: [UInt8]) throws {
        // Two words that no other part of an address has, so that each half of the password is sought.
        let password = "Qz7x" + String(decoding: bytes, as: UTF8.self) + "W9kv"
        let addresses = [
            "postgresql://app:\(password)@host/db", "postgres://app:\(password)@host:5432/db?schema=a",
            "postgresql:app:\(password)@host/db", "app:\(password)@host/db", "//app:\(password)@host/db",
            "host=h password=\(password) dbname=d", "password = '\(password)'",
            "postgresql://host/db?password=\(password)",
            "postgresql://host:5432/db?schema=a&sslpassword=\(password)&x=y",
        ]
        for address in addresses {
            hide(Redaction.redacted(address), address)
            do {
                let url = try StorageURL(address)
                hide(url.description, address)
                hide(url.shownPath, address)
                _ = try SQLiteBackend(url: url)
            } catch let error as StorageError {
                require(error.code == .configuration, "an address is refused as \(error.code)")
                hide(error.sentence, address)
            }
        }
    }

    private func hide(_ text: String, _ address: String) {
        require(!text.contains("Qz7x") && !text.contains("W9kv"), "\(address) is shown as \(text)")
    }
}

/// A condition, an order and assignments in text, one on each line. Engines agree on what comes of them.
struct TextQuery: Fuzzed {
    private let stores: [Store]

    init() throws {
        let folder = try ScratchFolder()
        let backends: [any StorageBackend] = [
            InMemoryBackend(), SQLiteBackend(path: folder.file("a.db"), durability: .relaxed),
            ArchiveBackend(path: folder.file("a.karch"), durability: .relaxed),
        ]
        stores = try backends.map { backend in
            try wait {
                let store = try await Store(backend)
                try await store.prepare([Sample.schema])
                try await store.insert(Sample.records)
                return store
            }
        }
    }

    private enum Outcome: Equatable {
        case records([DynamicRecord])
        case refused(StorageError.Code)
    }

    /// The error that makes a transaction undo its work, with the records before it.
    private struct Undone: Error { let records: [DynamicRecord] }

    func test(_ bytes: [UInt8]) throws {
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let lines = text.split(separator: "\n", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        let outcomes = try stores.map { store in try wait { await Self.outcome(lines, store) } }
        for outcome in outcomes {
            require(outcome == outcomes[0], "engines differ: \(outcomes)")
        }
        if case .refused(let code) = outcomes[0] {
            require(
                [.invalidQuery, .invalidValue, .overflow, .limitExceeded, .constraint].contains(code),
                "a text is refused as \(code)")
        }
    }

    private static func outcome(_ lines: [String], _ store: Store) async -> Outcome {
        do {
            var query = store.records("Sample")
            if !lines[0].isEmpty { query = query.where(text: lines[0]) }
            if lines.count > 1, !lines[1].isEmpty { query = query.order(text: lines[1]) }
            guard lines.count > 2, !lines[2].isEmpty else { return .records(try await query.all()) }
            let (condition, changes) = (lines[0], lines[2])
            try await store.transaction { tx in
                var records = tx.records("Sample")
                if !condition.isEmpty { records = records.where(text: condition) }
                try records.set(text: changes).run()
                throw Undone(records: try tx.records("Sample").all())
            }
            stop("a transaction whose body throws has ended without an error")
        } catch let undone as Undone {
            return .records(undone.records)
        } catch let error as StorageError {
            return .refused(error.code)
        } catch {
            stop("an error of another type: \(error)")
        }
    }
}

/// Records with a property of each kind that a text can name, and with values at the ends of their ranges.
enum Sample {
    static let schema = RecordSchema(
        name: "Sample",
        properties: [
            .init(name: "id", kind: .column(.int64), isKey: true),
            .init(name: "i", kind: .column(.int64), isIndexed: true),
            .init(name: "small", kind: .column(.int8)),
            .init(name: "u", kind: .column(.uint64)),
            .init(name: "d", kind: .column(.double)),
            .init(name: "f", kind: .column(.float)),
            .init(name: "s", kind: .column(.string), isIndexed: true, searchWeight: 2),
            .init(name: "n", kind: .column(.int64), isOptional: true),
            .init(name: "t", kind: .column(.string), isOptional: true, searchWeight: 1),
            .init(name: "b", kind: .column(.bool)),
            .init(name: "date", kind: .column(.date)),
            .init(name: "dec", kind: .column(.decimal)),
            .init(name: "data", kind: .column(.data)),
            .init(
                name: "pens",
                kind: .children(
                    RecordSchema(
                        name: "Pen",
                        properties: [
                            .init(name: "color", kind: .column(.string)),
                            .init(name: "price", kind: .column(.double), isOptional: true),
                        ]))),
        ])

    static let records: [DynamicRecord] = (0..<8).map { record(Int64($0)) }

    private static func record(_ id: Int64) -> DynamicRecord {
        let place = Int(id)
        let columns: [(String, Value, ColumnType)] = [
            ("id", .int(id), .int64),
            ("i", .int([0, 1, -1, 2, .max, .min, 42, 1][place]), .int64),
            ("small", .int([0, 1, -1, 127, -128, 5, 6, 7][place]), .int8),
            (
                "u",
                [.int(0), .int(1), .unsigned(.max), .unsigned(1 << 63), .int(.max), .int(5), .int(6), .int(7)][place],
                .uint64
            ),
            ("d", .double([0, -0.0, .infinity, -.infinity, .nan, 1.5, 1e300, 0x1p-1074][place]), .double),
            ("f", .double([0, 1.5, -2.5, 3, 0.1, 5, 6, 7].map { Double(Float($0)) }[place]), .float),
            ("s", .text(["", "a", "A", "é", "e\u{301}", "a%b_c", "\u{1F600}", "Straße"][place]), .string),
            ("n", place.isMultiple(of: 2) ? .null : .int(id), .int64),
            ("t", place.isMultiple(of: 3) ? .null : .text("t\(place)"), .string),
            ("b", .int(id % 2), .bool),
            ("date", .double([0, 1, -1, 7.5e8, 1e12, -1e12, 0.5, 6][place]), .date),
            ("dec", .text(["0", "1.5", "-1.5", "100", "0.1", "-0.01", "6", "7"][place]), .decimal),
            ("data", .blob([UInt8](repeating: UInt8(place), count: place)), .data),
        ]
        let pens = (0..<place % 3).map { number in
            DynamicRecord(
                model: "Sample.pens",
                fields: [
                    .init(name: "color", content: .value(.text(number == 0 ? "red" : "blue"), .string)),
                    .init(
                        name: "price",
                        content: .value(number == 0 ? .null : .double(Double(place)), .double)),
                ])
        }
        return DynamicRecord(
            model: "Sample",
            fields: columns.map { .init(name: $0.0, content: .value($0.1, $0.2)) }
                + [.init(name: "pens", content: .children(pens))])
    }
}
