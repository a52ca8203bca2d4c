import StorageDriver

/// The change of a record in a commit, with the record before it. The recorder writes the rows of many at once.
struct HistoryChange: Sendable {
    let commit: Int64
    /// The number of the entry in its commit.
    let place: Int64
    let model: StoredName
    let kind: HistoryKind
    /// True if rules of references alone have made the change.
    let byRule: Bool
    let key: [Value]
    let before: RecordImage?

    static let table = OwnTable(
        "changes", name: "storage_history_changes", keyCount: 2,
        ["commit": .int64, "place": .int64, "model": .string, "kind": .int64, "key": .data, "record": .data],
        optional: ["record"])

    init(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        guard case .text(let model) = cells[2].value, let (kind, byRule) = HistoryKind.decode(cells[3]),
            case .blob(let key) = cells[4].value
        else { throw StorageError(.corrupt, "An entry of the store's history cannot be read; restore a backup.") }
        commit = cells[0].int
        place = cells[1].int
        self.model = StoredName(model)
        (self.kind, self.byRule) = (kind, byRule)
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

    /// Added to the kind of a change that rules of references have made.
    private static let rule: Int64 = 4

    /// The stored number.
    func code(byRule: Bool) -> Int64 { byRule ? rawValue | Self.rule : rawValue }

    /// The kind of a stored number; nil for a number that no entry has.
    fileprivate static func decode(_ cell: Cell) -> (HistoryKind, byRule: Bool)? {
        guard cell.tag == .int, let kind = HistoryKind(rawValue: cell.int & ~rule) else { return nil }
        return (kind, cell.int & rule != 0)
    }
}
