import StorageDriver

/// A commit of a store's history.
struct HistoryCommit: OwnRow, Equatable {
    let number: Int64
    /// The time in seconds since the reference date.
    let time: Double
    var author: String?
    var note: String?

    static let table = OwnTable(
        "commits", name: "storage_history_commits",
        ["number": .int64, "time": .date, "author": .string, "note": .string], optional: ["author", "note"])

    /// Numbers are stored as negative ones: the first in key order is the last commit, which every write asks for.
    var values: [Value] { [.int(-number), .double(time), .value(author), .value(note)] }
}

extension HistoryCommit {
    init(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        guard cells[0].tag == .int, cells[0].int < 0, cells[0].int > Int64.min, cells[1].tag == .double else {
            throw StorageError(.corrupt, "A commit of the store's history cannot be read; restore a backup.")
        }
        self.init(number: -cells[0].int, time: cells[1].double, author: cells[2].value.text, note: cells[3].value.text)
    }
}

/// The change of a record in a commit, with the record before it. The recorder writes the rows of many at once.
struct HistoryChange: Sendable {
    let commit: Int64
    /// The number of the entry in its commit.
    let place: Int64
    let model: StoredName
    let kind: HistoryKind
    let key: [Value]
    let before: RecordImage?

    static let table = OwnTable(
        "changes", name: "storage_history_changes", keyCount: 2,
        ["commit": .int64, "place": .int64, "model": .string, "kind": .int64, "key": .data, "record": .data],
        optional: ["record"])

    init(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        guard case .text(let model) = cells[2].value, let kind = HistoryKind(rawValue: cells[3].int),
            case .blob(let key) = cells[4].value
        else { throw StorageError(.corrupt, "An entry of the store's history cannot be read; restore a backup.") }
        commit = cells[0].int
        place = cells[1].int
        self.model = StoredName(model)
        self.kind = kind
        self.key = try RecordImage.key(of: key)
        if case .blob(let bytes) = cells[5].value { before = RecordImage(bytes: bytes) } else { before = nil }
    }
}

/// The kind of change that an entry records, as it is stored.
enum HistoryKind: Int64 {
    case inserted = 0
    case updated = 1
    case deleted = 2
    /// Any record of the model may have changed.
    case everything = 3

    init(_ kind: ChangeKind) {
        switch kind {
        case .insert: self = .inserted
        case .update: self = .updated
        case .delete: self = .deleted
        }
    }
}

extension Value {
    fileprivate static func value(_ text: String?) -> Value { text.map(Value.text) ?? .null }

    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
