import StorageAPI
import StorageDriver

/// The rows that a hub keeps of its replicas, in an annex of its store.
enum HubRows {
    static let annex = "StorageSync.hub"

    /// A replica, as the hub knows it.
    struct Peer: Equatable {
        /// The last patch with an outcome, and the chain up to it.
        var last = 0
        var chain = PatchChain.beginning
        /// The last patch whose outcome the replica has confirmed.
        var confirmed = 0
    }

    /// An outcome that the replica has not confirmed, or the last that it has.
    struct Answered {
        let number: Int
        /// The chain of the patch.
        let chain: [UInt8]
        let result: SyncOutcome.Result
        /// About how many bytes it takes in a message.
        let size: Int
    }

    private static func key(_ replica: [UInt8]) -> [UInt8] { [1] + replica }

    private static func key(_ replica: [UInt8], _ number: Int) -> [UInt8] {
        var writer = ByteWriter()
        writer.add(byte: 2)
        writer.add(raw: replica)
        writer.add(fixed: UInt64(max(number, 0)))
        return writer.bytes
    }

    static func peer(
        _ replica: [UInt8], in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> Peer? {
        try session.annexValue(annex, key: key(replica)).map(peer)
    }

    /// The replicas with the given names, in their order; nil for names that the hub does not know.
    static func peers(
        _ replicas: [[UInt8]], in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [Peer?] {
        try session.annexValues(annex, keys: replicas.map(key)).map { (bytes) throws(StorageError) in
            try bytes.map(peer)
        }
    }

    private static func peer(_ bytes: [UInt8]) throws(StorageError) -> Peer {
        var reader = ByteReader(bytes)
        let peer = Peer(
            last: try reader.number(), chain: try reader.raw(PatchChain.count), confirmed: try reader.number())
        try reader.requireEnd()
        return peer
    }

    /// The outcomes of patches after a number.
    static func answered(
        _ replica: [UInt8], after number: Int, in session: borrowing some ReadingVerbs & ~Copyable
    ) throws(StorageError) -> [Answered] {
        var found: [Answered] = []
        var last = key(replica, number)
        while true {
            let rows = try session.annexRows(annex, after: last, before: key(replica, .max) + [0], limit: 1000)
            for row in rows {
                var reader = ByteReader(row.value)
                found.append(
                    Answered(
                        number: try reader.number(), chain: try reader.raw(PatchChain.count),
                        result: try SyncOutcome.Result(&reader), size: row.value.count))
                last = row.key
            }
            if rows.count < 1000 { return found }
        }
    }

    /// Records the outcome of a replica's next patch, and forgets all outcomes before the last confirmed one.
    static func add(
        number: Int, chain: [UInt8], _ result: SyncOutcome.Result, confirmed: Int, to peer: Peer, of replica: [UInt8],
        in tx: borrowing Store.Transaction
    ) throws(StorageError) -> Answered {
        var writer = ByteWriter()
        writer.add(count: number)
        writer.add(raw: chain)
        result.write(to: &writer)
        let answered = Answered(number: number, chain: chain, result: result, size: writer.bytes.count)
        var rows: [(key: [UInt8], value: [UInt8]?)] = [(key(replica, number), writer.bytes)]
        var new = Peer(last: number, chain: chain, confirmed: max(peer.confirmed, confirmed))
        if peer.last == 0 { new.confirmed = confirmed }
        for number in max(peer.confirmed, 1)..<max(new.confirmed, peer.confirmed, 1) {
            rows.append((key(replica, number), nil))
        }
        var head = ByteWriter()
        head.add(count: new.last)
        head.add(raw: new.chain)
        head.add(count: new.confirmed)
        rows.append((key(replica), head.bytes))
        try tx.setAnnex(annex, rows: rows)
        return answered
    }
}
