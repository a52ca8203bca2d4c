internal import StorageAPI
import StorageDriver
import Synchronization

/// The lines that layers have written down.
final class LayerJournal: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    /// The lines since the last call.
    func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// A row layer that is a closure.
struct EachRow: Store.RowLayer {
    var models: [any Storable.Type]? = nil
    let body: @Sendable (inout Store.PendingRow) throws(StorageError) -> Void

    func willWrite(_ row: inout Store.PendingRow) throws(StorageError) { try body(&row) }
}

/// A record layer that is a closure.
struct EachRecord: Store.RecordLayer {
    var models: [any Storable.Type]? = nil
    var needsFormerRecords = true
    let body: @Sendable (Store.RecordChange, borrowing Store.Transaction) throws(StorageError) -> Void

    func didChange(
        _ change: Store.RecordChange, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try body(change, transaction)
    }
}

/// A layer that decides on deletions by a closure.
struct EachDeletion: Store.DeletionLayer {
    var models: [any Storable.Type]? = nil
    let body: @Sendable (Store.RecordChange, borrowing Store.Transaction) throws(StorageError) -> Store.DeletionDecision

    func willDelete(
        _ record: Store.RecordChange, in transaction: borrowing Store.Transaction
    ) throws(StorageError) -> Store.DeletionDecision {
        try body(record, transaction)
    }
}

/// Writes down commits.
struct EachCommit: Store.CommitLayer {
    var models: [any Storable.Type]? = nil
    let body: @Sendable (Store.Commit<[Store.ModelChanges]>) -> Void

    func didCommit(_ commit: Store.Commit<[Store.ModelChanges]>) { body(commit) }
}

/// Writes a line for each change of a model in the transaction of the change.
struct Audit: Store.RecordLayer {
    var models: [any Storable.Type]? = [Stamped.self]

    func didChange(
        _ change: Store.RecordChange, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        try transaction.insert(AuditLine(text: change.line))
    }
}

/// Keeps a pen for each pen, under a key 1,000 beyond it.
struct PenMirror: Store.RecordLayer {
    var models: [any Storable.Type]? = [Stamped.self]

    func didChange(
        _ change: Store.RecordChange, in transaction: borrowing Store.Transaction
    ) throws(StorageError) {
        guard case .int(let key)? = change.key.first else { return }
        guard change.kind != .deleted else {
            try transaction.delete(Pen.self, keys: [Int(key)])
            return
        }
        guard let record = try change.after(Stamped.self) else { return }
        try transaction.save(PenMirror.pen(of: record))
    }

    /// Returns the part of a record that it keeps.
    static func pen(of record: Stamped) -> Pen {
        let others = record.others.map { "\($0.key)" }.joined(separator: ",")
        let parts = record.parts.map { "\($0.id)\($0.color)" }.joined(separator: ",")
        return Pen(id: record.id, color: "\(record.title) \(record.next?.key ?? 0) \(others) \(parts)")
    }
}

extension Store.RecordChange {
    /// The change in a line.
    var line: String {
        let mark =
            switch kind {
            case .inserted: "+"
            case .updated: "~"
            case .deleted: "-"
            }
        return mark + model + key.map { " \($0)" }.joined()
    }
}

extension Store.Commit<[Store.ModelChanges]> {
    /// The commit in a line.
    var line: String {
        changes.map { model in
            switch model.changes {
            case .everything: return "\(model.model) everything"
            case .keys(let inserted, let updated, let deleted):
                let parts = [("+", inserted), ("~", updated), ("-", deleted)].filter { !$0.1.isEmpty }
                return model.model
                    + parts.map { mark, keys in
                        " " + mark + keys.map { $0.map(\.description).joined() }.joined(separator: ",")
                    }.joined()
            }
        }.joined(separator: "; ") + (author.map { " by \($0)" } ?? "")
    }
}
