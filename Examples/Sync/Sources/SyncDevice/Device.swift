import ShoppingModels
import StorageKit
import StorageSync

/// A command that has no meaning.
struct Misuse: Error {
    let text: String
}

/// The list of one device.
struct Device: Sendable {
    let replica: Replica
    let user: String

    private var store: Store { replica.store }

    /// Performs a command.
    ///
    /// - Returns: the lines to print.
    func perform(_ words: [String]) async throws -> [String] {
        switch (words.first, Array(words.dropFirst())) {
        case ("add", let rest) where rest.count == 1 || rest.count == 2:
            try await store.insert(Item(rest[0], amount: try number(rest.count == 2 ? rest[1] : "1")))
        case ("amount", let rest) where rest.count == 2:
            let amount = try number(rest[1])
            let item = store.update(Item.self).where { $0.name == rest[0] }
            try require(try await item.set(\.amount, to: amount).run(), rest[0])
        case ("check", let rest) where rest.count == 1:
            let item = store.update(Item.self).where { $0.name == rest[0] }
            try require(try await item.set(\.isBought, to: true).run(), rest[0])
        case ("remove", let rest) where rest.count == 1:
            try require(try await store.delete(Item.self).where { $0.name == rest[0] }.run(), rest[0])
        case ("note", let rest) where rest.count == 1: try await store.insert(Note(rest[0], of: user))
        case ("list", []): return try await list()
        case ("sync", []): return try await sync()
        default:
            throw Misuse(
                text: "commands: add NAME [AMOUNT], amount NAME AMOUNT, check NAME, remove NAME, note TEXT, list, "
                    + "sync, run")
        }
        return []
    }

    private func number(_ text: String) throws -> Int {
        guard let number = Int(text) else { throw Misuse(text: "\(text) is no amount.") }
        return number
    }

    private func require(_ count: Int, _ name: String) throws {
        if count == 0 { throw Misuse(text: "There is no \(name) on the list.") }
    }

    private func list() async throws -> [String] {
        let items = try await store.select(Item.self).order { $0.name }.all()
        let notes = try await store.select(Note.self).order { $0.text }.all()
        return items.map { "[\($0.isBought ? "x" : " ")] \($0.amount) \($0.name)" } + notes.map { "note: \($0.text)" }
    }

    private func sync() async throws -> [String] {
        do {
            let exchange = try await replica.sync()
            var lines = ["sent \(exchange.sent), taken \(exchange.taken)"]
            for outcome in exchange.outcomes where outcome.isNews {
                lines += try await told(outcome)
                try await replica.confirm(outcome)
            }
            return lines
        } catch let error as StorageError {
            return ["not synchronised, \(replica.status.waiting) waiting: \(error.message)"]
        }
    }

    // OUTCOMES-BEGIN
    /// The news for the user of the device.
    private func told(_ outcome: SyncOutcome) async throws -> [String] {
        switch outcome.result {
        case .applied(let values), .joined(let values):
            var lines: [String] = []
            for value in values { lines.append(try await told(value)) }
            return lines
        case .refused(let reason):
            return (outcome.patch?.changes ?? []).map { change in
                switch change.kind {
                case .inserted(let record): "not added: \(record.shown("name"))"
                case .deleted(let record): "not removed: \(record.shown("name"))"
                case .updated: "not changed"
                }
            } + ["because \(reason)"]
        }
    }

    private func told(_ value: SyncOverwrite) async throws -> String {
        let item = try await store.records(value.model).find(key: value.key)
        let name = item?.shown("name") ?? "a record"
        guard case .value(let lost, _) = value.lost else { return "\(name): replaced another \(value.property)" }
        return "\(name): replaced the \(value.property) \(lost) of someone else"
    }
    // OUTCOMES-END

    /// Exchanges by itself, prints news and the list after each change, and performs commands until there are no more.
    func run(commands: AsyncStream<String>) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            // RUN-BEGIN
            group.addTask { try await replica.run(every: .milliseconds(200)) }
            group.addTask {
                for try await outcome in replica.outcomes {
                    for line in try await told(outcome) { printLine(line) }
                    try await replica.confirm(outcome)
                }
            }
            // RUN-END
            group.addTask {
                for try await items in store.select(Item.self).order({ $0.name }).values() {
                    printLine("list: " + items.map { "\($0.amount) \($0.name)" }.joined(separator: ", "))
                }
            }
            group.addTask {
                for await command in commands {
                    do {
                        for line in try await perform(command.split(separator: " ").map(String.init)) {
                            printLine(line)
                        }
                    } catch let error as Misuse { printLine(error.text) }
                }
            }
            // The end of the commands, or an error that only a person can resolve.
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

extension DynamicRecord {
    /// The value of a property, as a person would write it.
    fileprivate func shown(_ name: String) -> String {
        if case .text(let text)? = value(name) { text } else { value(name).map { "\($0)" } ?? "a record" }
    }
}
