import StorageKit

// OUTBOX-BEGIN
/// The place after the last commit that another system has confirmed.
@Storable struct OutboxPosition {
    @Key var system: String
    var token: String
}

/// Sends each commit of a store to another system, in order. One program
/// sends to a system at a time.
struct Outbox {
    let store: Store
    let system: String

    /// Begins after the commits so far, and holds the history after them.
    func begin() async throws {
        try await move(to: try await store.historyToken())
    }

    /// Sends what was committed since, and returns the number of commits.
    ///
    /// A commit counts as sent when `deliver` returns. If it throws, or the
    /// program ends, the next call sends the commit again with the same id.
    func send(
        _ deliver: (Message) async throws -> Void
    ) async throws -> Int {
        let last = try await store.find(OutboxPosition.self, key: system)
        guard let last else {
            throw StorageError(
                .configuration, "The outbox has no place; call begin().")
        }
        var token = Store.HistoryToken(last.token)
        var count = 0
        var isLast = false
        while !isLast {
            let page = try await store.commits(since: token, limit: 100)
            for commit in page.commits {
                try await deliver(Message(commit))
                try await move(to: commit.token)
                count += 1
            }
            (token, isLast) = (page.next, page.isLast)
        }
        return count
    }

    /// Records the place, and releases the history before it, both at once.
    private func move(to token: Store.HistoryToken) async throws {
        let (system, text) = (system, token.description)
        try await store.transaction { transaction in
            let position = OutboxPosition(system: system, token: text)
            try transaction.save(position)
            try transaction.holdHistory("outbox to \(system)", after: token)
        }
    }
}

/// A commit as it is sent.
struct Message: Codable, Equatable {
    struct Change: Codable, Equatable {
        let model: String
        let key: [String]
        let kind: String
        /// The properties that differ, as they are after the commit.
        let values: [String: String]
    }

    /// The commit's token, by which the receiver knows a repetition.
    let id: String
    let author: String?
    let changes: [Change]

    init(_ commit: Store.HistoryCommit) throws {
        id = commit.token.description
        author = commit.author
        changes = try commit.changes.map { change in
            var values: [String: String] = [:]
            for property in try change.properties() {
                values[property.name] = property.after.map(text) ?? "gone"
            }
            return Change(
                model: change.model, key: change.key.map(\.description),
                kind: change.kind.rawValue, values: values)
        }
    }
}
// OUTBOX-END

// RECEIVER-BEGIN
/// The other system: it applies a commit and keeps its id, both or neither.
struct Receiver {
    private(set) var messages: [Message] = []
    private var last: String?

    mutating func receive(_ message: Message) {
        guard message.id != last else { return }
        messages.append(message)
        last = message.id
    }
}
// RECEIVER-END
