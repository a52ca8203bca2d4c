/// The origin of a commit, which the history records.
///
/// Layers that change rows, layers that decide on deletions, and the times of `@Created` and `@Modified` act on ``call``
/// alone: a record that was restored, copied or taken stays as it is. Layers that see records act on every commit, and are
/// told its origin.
public enum CommitOrigin: Hashable, Sendable {
    /// A call of a program, which is the origin of every transaction that names no other.
    case call
    /// The undoing of another commit.
    case undo
    /// A copy of whole models from another store.
    case copy
    /// The removal of expired records.
    case expiry
    /// Changes of another system that were taken over; `undoLast` passes over them.
    ///
    /// - Parameter from: the system's name, of at most 65,536 bytes of UTF-8.
    case taken(from: String)
}

extension CommitOrigin {
    private static let prefix = "taken:"

    /// The text that the history records; nil for ``call``.
    package var recorded: String? {
        switch self {
        case .call: nil
        case .undo: "undo"
        case .copy: "copy"
        case .expiry: "expiry"
        case .taken(let source): Self.prefix + source
        }
    }

    /// The origin of a recorded text; nil for a text that records none.
    package init?(recorded text: String?) {
        switch text {
        case nil: self = .call
        case "undo": self = .undo
        case "copy": self = .copy
        case "expiry": self = .expiry
        case let text?:
            guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
            self = .taken(from: String(Substring(text.utf8.dropFirst(Self.prefix.utf8.count))))
        }
    }

    /// True if it was taken over from another system.
    package var isTaken: Bool { if case .taken = self { true } else { false } }
}
