import Foundation
import StorageKit

// AUDIT-BEGIN
/// A line of the audit: a change with its author, time and reason, and the
/// properties that differ.
struct AuditEntry: CustomStringConvertible {
    let commit: Int
    let time: Date
    let author: String
    let reason: String?
    let kind: Store.RecordDelta.Kind
    /// The properties that differ, before and after.
    let changes: [(property: String, before: String, after: String)]

    var description: String {
        let list = changes.map {
            "\($0.property): \($0.before) → \($0.after)"
        }
        let reason = reason.map { " (\($0))" } ?? ""
        return "\(commit) \(author) \(kind.rawValue) "
            + list.joined(separator: ", ") + reason
    }
}

/// The changes of one record, the earliest first.
func audit(
    of model: String, key: [Value], in store: Store
) async throws -> [AuditEntry] {
    var entries: [AuditEntry] = []
    var token: Store.HistoryToken?
    var isLast = false
    while !isLast {
        let page = try await store.commits(since: token, of: [model])
        for commit in page.commits {
            for change in commit.changes where change.key == key {
                let changes = try change.properties().map {
                    (
                        $0.name, $0.before.map(text) ?? "–",
                        $0.after.map(text) ?? "–"
                    )
                }
                entries.append(
                    AuditEntry(
                        commit: commit.number, time: commit.time,
                        author: author(of: change, in: commit),
                        reason: commit.note, kind: change.kind,
                        changes: changes))
            }
        }
        (token, isLast) = (page.next, page.isLast)
    }
    return entries
}

/// The author whom the program has named, or the origin of the commit.
func author(
    of change: Store.RecordDelta, in commit: Store.HistoryCommit
) -> String {
    let author =
        switch commit.origin {
        case .call, .undo: commit.author ?? "unknown"
        case .copy: "a copy"
        case .expiry: "expiry"
        case .taken(let source): source
        }
    return change.byRule ? "\(author), by a rule of a reference," : author
}
// AUDIT-END

// TEXT-BEGIN
/// A property's content for people.
func text(_ content: DynamicRecord.Content) -> String {
    switch content {
    case .value(.null, _), .child(nil), .children(nil): "nil"
    case .value(let value, _): "\(value)"
    case .child(let record?): "\(record)"
    case .children(let records?): "\(records)"
    }
}
// TEXT-END
