import StorageAPI
import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The knowledge of a replica of itself and of its hub: one row of the annex.
struct ReplicaState: Equatable {
    /// The name by which the hub knows the replica.
    var replica = SyncIdentity.make()
    /// The mark of the user for whom it has its records.
    var user = SyncUser.unknown
    /// The token of the store's history up to which commits have become patches.
    var seen: String
    /// The number of the last patch, and the chain up to it.
    var last = 0
    var chain = PatchChain.beginning
    /// The last patch with an outcome, and the chain up to it.
    var confirmed = 0
    var confirmedChain = PatchChain.beginning
    /// The number of the last outcome that is kept for the program.
    var told = 0
    /// The hub's token of the state that the replica has; nil before the first exchange.
    var token: String?
    /// Earlier tokens of the hub, the latest first: all of the last, and fewer and fewer before.
    var earlier: [String] = []
    /// The models that the replica has as they are at the token, with the names of their properties then.
    var models: [String: Set<String>] = [:]
    /// The time of the last exchange, by this device's clock.
    var lastExchange: Double?

    init(seen: Store.HistoryToken) { self.seen = seen.description }

    /// Takes the hub's next token.
    mutating func move(to next: String) {
        if let token, token != next {
            earlier.insert(token, at: 0)
            // Of the tokens beyond the last ones every second is dropped when there are too many.
            if earlier.count > LostCommitsRequest.limit {
                let half = LostCommitsRequest.limit / 2
                earlier = earlier[..<half] + earlier[half...].enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
            }
        }
        token = next
    }

    /// Takes a new name, which the hub does not know. Its patches must be numbered again.
    mutating func takeNewName() {
        replica = SyncIdentity.make()
        (last, chain) = (0, PatchChain.beginning)
        (confirmed, confirmedChain) = (0, PatchChain.beginning)
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.add(raw: replica)
        writer.add(raw: user)
        writer.add(text: seen)
        writer.add(count: last)
        writer.add(raw: chain)
        writer.add(count: confirmed)
        writer.add(raw: confirmedChain)
        writer.add(count: told)
        writer.add(optional: token)
        writer.add(count: earlier.count)
        for token in earlier { writer.add(text: token) }
        writer.add(count: models.count)
        for (model, properties) in models.sorted(by: { $0.key < $1.key }) {
            writer.add(text: model)
            writer.add(count: properties.count)
            for property in properties.sorted() { writer.add(text: property) }
        }
        writer.add(byte: lastExchange == nil ? 0 : 1)
        if let lastExchange { writer.add(fixed: lastExchange.bitPattern) }
        return writer.bytes
    }

    init(bytes: [UInt8]) throws(StorageError) {
        var reader = ByteReader(bytes)
        replica = try reader.raw(SyncIdentity.count)
        user = try reader.raw(SyncUser.count)
        seen = try reader.text()
        last = try reader.number()
        chain = try reader.raw(PatchChain.count)
        confirmed = try reader.number()
        confirmedChain = try reader.raw(PatchChain.count)
        told = try reader.number()
        token = try reader.optionalText()
        for _ in 0..<(try reader.count()) { earlier.append(try reader.text()) }
        for _ in 0..<(try reader.count()) {
            let model = try reader.text()
            var properties: Set<String> = []
            for _ in 0..<(try reader.count()) { properties.insert(try reader.text()) }
            models[model] = properties
        }
        if try reader.isSet() { lastExchange = Double(bitPattern: try reader.fixed()) }
        try reader.requireEnd()
    }
}
