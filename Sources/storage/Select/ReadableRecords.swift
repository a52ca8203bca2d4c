import ArgumentParser
import Foundation
import StorageAPI
import TerminalOutput

/// The option of reading commands to pass over records that cannot be read.
struct SkipOptions: ParsableArguments, Sendable {
    @Flag(help: "Pass over records that cannot be read, as other software has written them, and name them.")
    var skipBad = false
}

/// The records of a query that can be read, and what is wrong with the others.
struct ReadableRecords {
    let store: Store
    let schema: RecordSchema
    let query: QueryOptions

    /// Records that are looked up by one call.
    private static let batch = 256

    /// Passes the records on, in the query's order, and tells of the others on the error stream.
    ///
    /// The keys come from one snapshot. Each record is read when its turn comes, and a record that is gone by then is left out.
    func forEach(_ body: ([DynamicRecord.Field]) throws -> Void) async throws {
        let names = schema.keyProperties.map(\.name)
        var bad = UnreadableRecords()
        var keys: [[Value]] = []
        for try await fields in query.records(schema.name, in: store).only(names).stream() {
            keys.append(names.enumerated().map { fields.value($1, near: $0) })
            guard keys.count == Self.batch else { continue }
            for record in try await readable(keys, &bad) { try body(record.fields) }
            keys.removeAll(keepingCapacity: true)
        }
        for record in try await readable(keys, &bad) { try body(record.fields) }
        try bad.tell()
    }

    private func readable(_ keys: [[Value]], _ bad: inout UnreadableRecords) async throws -> [DynamicRecord] {
        let records = store.records(schema.name)
        do throws(StorageError) {
            let found = try await records.find(keys: keys)
            bad.passed += keys.count
            return found.compactMap(\.self)
        } catch {
            guard error.isOfStoredRecord else { throw error }
        }
        var found: [DynamicRecord] = []
        for key in keys {
            bad.passed += 1
            do throws(StorageError) {
                if let record = try await records.find(key: key) { found.append(record) }
            } catch {
                guard error.isOfStoredRecord else { throw error }
                bad.add(error.with { $0.key = $0.key ?? key })
            }
        }
        return found
    }
}

/// The records that could not be read.
private struct UnreadableRecords {
    /// The number of records so far.
    var passed = 0
    private var count = 0
    private var lines: [String] = []

    mutating func add(_ error: StorageError) {
        count += 1
        if lines.count < BadRecords.maximumTold { lines.append("record \(passed.grouped): \(error.sentence)") }
    }

    func tell() throws {
        guard count > 0 else { return }
        var output = Output(.standardError)
        for line in lines { try output.line("storage: \(line.printable)") }
        let others = count > lines.count ? ", of which \(lines.count) are named" : ""
        try output.line("storage: \(count == 1 ? "1 record is" : "\(count.grouped) records are") left out\(others).")
        try output.flush()
    }
}

extension StorageError {
    /// True if a stored record is at fault, so that others can be read.
    fileprivate var isOfStoredRecord: Bool { code == .typeMismatch || code == .invalidValue }

    /// The error, with the option that leaves a record out which cannot be read.
    var advisingToSkip: StorageError {
        code == .typeMismatch ? with { $0.message += " Add --skip-bad to leave it out." } : self
    }
}

extension [DynamicRecord.Field] {
    /// The value of a property; nil where it has none.
    fileprivate func value(_ name: String, near place: Int) -> Value {
        if case .value(let value, _) = content(name, near: place) { value } else { .null }
    }
}
