import StorageDriver

/// The record that closes a store to writers, in a table that versions without fences cannot read.
struct FenceRecord: OwnSettings {
    static let table = OwnTable(
        "place.fence", name: "storage_fence", ["id": .int64, "settings": .string], neededFormat: 4)
    static let subject = "fence"
    static let currentVersion = 1

    var version = currentVersion
    var address: String?
    var move: String

    init(_ fence: Store.Fence) { (address, move) = (fence.address, fence.move) }

    var fence: Store.Fence { Store.Fence(address: address, move: move) }

    /// The record in a session's store; nil for a store that takes writes.
    static func recorded(in session: any StorageSession) throws(StorageError) -> FenceRecord? {
        guard let table = table.find(in: try session.tables()) else { return nil }
        let plan = QueryPlan(id: nil, query: Query(.columns([1])), table: table, tables: [table])
        return try FenceRecord(text: text(plan, in: session))
    }

    /// The error of a write.
    var error: StorageError {
        let text =
            if let address {
                "The store has moved to \(address), and takes no more writes here; open it at the new address."
            } else {
                "The store is being moved, and takes no writes here; try again shortly at the place that the directory names."
            }
        return StorageError(.moved, text).with { $0.address = address }
    }
}
