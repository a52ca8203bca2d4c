import StorageKit

// OUTBOX-BEGIN
/// The place after the last commit that another system has confirmed.
@Storable struct OutboxPosition {
    @Key var system: String
    var token: String
}

/// Sends each commit of a store to another system, in order. One program sends to a system at a time.
struct Outbox {
    let store: Store
    let system: String

    /// Begins after the commits so far, and holds the history from there on.
    func begin() async throws {
        try await move(to: try await store.historyToken())
    }

    /// Sends what was committed since, and returns the number of commits.
    ///
    /// A commit counts as sent when `deliver` returns. If it throws, or the program ends, the next call sends the same commit
    /// again, with the same id.
    func send(_ deliver: (Message) async throws -> Void) async throws -> Int {
        guard let position = try await store.find(OutboxPosition.self, key: system) else {
            throw StorageError(.configuration, "The outbox has no place to send from; call begin() first.")
        }
        var token = Store.HistoryToken(position.token)
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

    /// Records the place, and lets the history go up to it, in one transaction.
    private func move(to token: Store.HistoryToken) async throws {
        let (system, text) = (system, token.description)
        try await store.transaction { transaction in
            try transaction.save(OutboxPosition(system: system, token: text))
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

    /// The commit's token, by which the receiver knows that it comes again.
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
                model: change.model, key: change.key.map(\.description), kind: change.kind.rawValue, values: values)
        }
    }
}
// OUTBOX-END

// RECEIVER-BEGIN
/// The other system: it applies a commit and remembers its id, both or neither.
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
