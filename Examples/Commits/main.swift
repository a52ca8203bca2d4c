// The examples of the articles on outboxes and audits, with what they say checked. Run it with:
// swift run CommitsExample

import Foundation
import SQLiteBackend
import StorageKit

@Storable struct Owner {
    var id: Int
    var name: String
}

@Storable struct Account {
    var id: Int
    var balance: Int
    @Reference(onDelete: .nullify) var owner: Ref<Owner>?
}

struct ConnectionLost: Error {}

/// Stops the example where a line does not do what it says.
func expect(_ condition: Bool, _ fact: String) {
    print(condition ? "ok      \(fact)" : "WRONG   \(fact)")
    if !condition { exit(1) }
}

let folder = FileManager.default.temporaryDirectory.appending(path: "commits-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }
let path = folder.appending(path: "bank.db").path

// OPENING-BEGIN
let store = try await Store(
    SQLiteBackend(path: path), models: Account.self, OutboxPosition.self,
    options: .init(
        history: .init(
            records: [Account.self, Owner.self], keeping: .commits(5))))
// OPENING-END

let outbox = Outbox(store: store, system: "billing")
var receiver = Receiver()
try await store.insert(Owner(id: 7, name: "Mei"))
try await outbox.begin()

// COMMITS-BEGIN
try await store.transaction { transaction in
    transaction.author = "Ann"
    transaction.note = "opened"
    try transaction.insert([Account(id: 1, balance: 0, owner: 7), Account(id: 2, balance: 50)])
}
for amount in 1...60 {
    try await store.transaction { transaction in
        transaction.author = "Ben"
        try transaction.update(Account.self).where { $0.id == 1 }.set(\.balance, to: amount * 10).run()
        try transaction.update(Account.self).where { $0.id == 2 }.set(\.balance, to: 50 - amount).run()
    }
}
try await store.transaction { transaction in
    transaction.author = "Ann"
    try transaction.delete(Owner.self, key: 7)
}
// COMMITS-END

// Each third message arrives, and the answer is lost.
var count = 0
while true {
    do {
        // SENDING-BEGIN
        let sent = try await outbox.send { message in
            receiver.receive(message)
            count += 1
            if count % 3 == 0 { throw ConnectionLost() }
        }
        // SENDING-END
        print("the last call sent \(sent) commits")
        break
    } catch is ConnectionLost {
        continue
    }
}
expect(count > 62, "some commits were sent more than once")
expect(receiver.messages.count == 62, "each commit was received once, and none was pruned before")
let authors = ["Ann"] + Array(repeating: "Ben", count: 60) + ["Ann"]
expect(receiver.messages.map { $0.author ?? "" } == authors, "in their order")
expect(receiver.messages[1].changes.map(\.values) == [["balance": "10"], ["balance": "49"]], "with what they changed")
let again = try await outbox.send { message in receiver.receive(message) }
expect(again == 0, "nothing is left to be sent")

// ASKING-BEGIN
let entries = try await audit(of: "Account", key: [.int(1)], in: store)
for entry in entries.suffix(3) {
    print(entry.time.formatted(.iso8601), entry)
}
// ASKING-END
expect(entries.count == 62, "the audit has each change of the account")
expect(
    entries.suffix(2).map(\.description) == [
        "62 Ben updated balance: 590 → 600", "63 Ann, by a rule of a reference, updated owner: 7 → nil",
    ], "and says who has made it, and from what to what")
try await store.close()
