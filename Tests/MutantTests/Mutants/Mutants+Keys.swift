import Foundation
import StorageAPI
import StorageConformance

extension Mutant {
    /// K: keys.
    static let keys: [Mutant] = [
        Mutant("deleted-key-again", breaking: [.k2], "The greatest key is given again after its record was deleted.") {
            $0.greatestKey = { _, table, writer, _ throws(StorageError) in
                try writer.values(of: table, table.key).compactMap { $0.first?.number }.max() ?? 0
            }
        },
        Mutant("key-gap", breaking: [.k2], "Assigned keys leave one out.") {
            $0.greatestKey = { key, _, _, _ in key &+ 1 }
        },
        Mutant("key-by-count", breaking: [.k2], "The next key is 1 + the number of records.") {
            $0.greatestKey = { _, table, writer, _ throws(StorageError) in
                Int64(try writer.values(of: table, table.key).count)
            }
        },
        Mutant("keys-from-zero", breaking: [.k2], "The first assigned key is 0.") {
            $0.greatestKey = { key, _, _, _ in key == 0 ? -1 : key }
        },
        Mutant("keys-go-on-after-truncate", breaking: [.w7], "Assigned keys go on after truncate.") {
            $0.greatestKey = { key, table, _, state in
                state.greatest.withLock { known in
                    known[table.name] = max(known[table.name] ?? 0, key)
                    return known[table.name] ?? key
                }
            }
            $0.write = { write, writer throws(StorageError) in
                guard write.operation == .truncate, write.table.assignsKeys else { return }
                // The records go, and the memory of the greatest key stays.
                write.operation = .delete
                write.columns = write.table.key
                write.rows = try writer.values(of: write.table, write.table.key)
            }
        },
        key("key-case-folded", breaking: [.k3], "\"A\" and \"a\" are one key, as on some file systems.") {
            $0.lowercased()
        },
        key("key-composed", breaking: [.k3, .v4], "Composed and decomposed keys are one.") {
            $0.precomposedStringWithCanonicalMapping
        },
        key("key-cut-at-nul", breaking: [.k4], "A key ends at its first NUL.") {
            String($0.unicodeScalars.prefix { $0 != "\0" })
        },
        key("key-trimmed", breaking: [.k4], "White space around a key is lost.") {
            $0.trimmingCharacters(in: .whitespaces)
        },
        key("key-as-path", breaking: [.k4], "\"../\" in a key is resolved, as in a path.") {
            $0.replacingOccurrences(of: "../", with: "")
        },
        key("key-cut-long", breaking: [.k4], "A key is cut after 255 bytes.") { String($0.unicodeScalars.prefix(255)) },
        Mutant("empty-key-refused", breaking: [.k4], "\"\" is refused as a key.") {
            $0.write = { write, _ throws(StorageError) in
                guard write.isPut, write.rows.contains(where: { write.key(of: $0).contains(.text("")) }) else { return }
                throw StorageError(.missingKey, "The key is empty.", model: write.table.path.first)
            }
        },
        Mutant("unsigned-key-wraps", breaking: [.k1], "Keys above Int64.max become negative.") {
            $0.written = { value, _, isKey in
                guard isKey, case .unsigned(let number) = value else { return value }
                return .int(Int64(bitPattern: number))
            }
        },
        Mutant("key-through-double", breaking: [.k3, .v4], "Integer keys beyond 2^53 are rounded as Doubles are.") {
            $0.written = { value, column, isKey in
                guard isKey, column.role == .property, case .int(let number) = value else { return value }
                return .int(Int64(exactly: Double(number)) ?? number)
            }
        },
        Mutant("keys-by-length", breaking: [.k1, .v4, .q5], "Texts as keys come in the order of their lengths.") {
            $0.rows = { rows, question in
                guard question.query.order.isEmpty, case .all = question.query.scope,
                    case .columns(let columns) = question.query.result, let key = question.table.key.first,
                    question.table.columns[key].type == .string, let place = columns.firstIndex(of: key)
                else { return rows }
                return rows.sorted { $0[place].textLength < $1[place].textLength }
            }
        },
        writes("deletes-in-all-models", breaking: [.k3, .w6], "A deleted key is deleted in every model.") {
            write, writer throws(StorageError) in
            guard write.operation == .delete, write.table.isRoot, write.table.key.count == 1 else { return }
            for table in try writer.tables() where table.isRoot && table.name != write.table.name {
                guard table.key.count == 1, table.columns[table.key[0]].type == .int64,
                    table.path.first?.utf8.first != 0
                else { continue }
                var other = Write(deletingFrom: table)
                other.rows = write.rows
                _ = try other.run(on: writer)
            }
        },
        Mutant("small-key", breaking: [.k1], "Integer keys keep 16 bits.") {
            $0.written = { value, column, isKey in
                guard isKey, column.role == .property, case .int(let number) = value else { return value }
                return .int(Int64(Int16(truncatingIfNeeded: number)))
            }
        },
        Mutant("uuid-key-cut", breaking: [.k1], "Keys that are UUIDs keep 8 bytes.") {
            $0.written = { value, _, isKey in
                guard isKey, case .blob(let bytes) = value else { return value }
                return .blob(Array(bytes.prefix(8)) + Array(repeating: 0, count: 8))
            }
        },
        Mutant("composite-key-joined", breaking: [.k3], "(\"ab\", \"c\") and (\"a\", \"bc\") are one key.") {
            $0.write = { write, writer throws(StorageError) in
                guard write.operation == .insert, write.table.isRoot, write.table.key.count > 1 else { return }
                var known = Set(try writer.values(of: write.table, write.table.key).map(\.joined))
                try write.refuseDuplicates { !known.insert($0.joined).inserted }
            }
        },
        Mutant("composite-key-first", breaking: [.k1, .k3], "Of a composite key only the first part counts.") {
            $0.write = { write, writer throws(StorageError) in
                guard write.operation == .insert, write.table.isRoot, write.table.key.count > 1 else { return }
                var known = Set(try writer.values(of: write.table, write.table.key).map { $0.prefix(1) })
                try write.refuseDuplicates { !known.insert($0.prefix(1)).inserted }
            }
        },
        Mutant("negative-key-refused", breaking: [.k1], "Negative keys are refused.") {
            $0.write = { write, _ throws(StorageError) in
                guard write.isPut, write.table.isRoot else { return }
                guard write.rows.contains(where: { (write.key(of: $0).first?.number ?? 0) < 0 }) else { return }
                throw StorageError(.invalidValue, "The key is negative.", model: write.table.path.first)
            }
        },
    ]

    private static func key(
        _ id: String, breaking clauses: [Contract], _ sentence: String, _ change: @escaping @Sendable (String) -> String
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) { fault in
            fault.written = { value, _, isKey in
                guard isKey, case .text(let text) = value else { return value }
                return .text(change(text))
            }
        }
    }
}

extension Value {
    var number: Int64? {
        if case .int(let number) = self { number } else { nil }
    }
}

extension Value {
    fileprivate var textLength: Int {
        if case .text(let text) = self { text.utf8.count } else { 0 }
    }
}

extension [Value] {
    /// The values' text, one after the other.
    var joined: String { map(\.description).joined().replacingOccurrences(of: "\"", with: "") }
}

extension Write {
    /// Throws `duplicateKey` for the first row whose key is taken for a stored one.
    func refuseDuplicates(_ isKnown: (_ key: [Value]) -> Bool) throws(StorageError) {
        for (index, row) in rows.enumerated() where isKnown(key(of: row)) {
            throw StorageError(.duplicateKey, "The key is stored already.", model: table.path.first)
                .row(index, key: key(of: row))
        }
    }
}
