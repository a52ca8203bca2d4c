import StorageAPI
import StorageDriver

/// A replica's question: its new patches, and the changes at the hub.
struct ExchangeRequest {
    /// The most patches that a message brings.
    static let patchLimit = 1000

    /// The replica's name, 16 bytes.
    var replica: [UInt8]
    /// The mark of the user for whom the replica has its records.
    var user: [UInt8]
    /// The hub's token up to which the replica has everything of some models.
    var known: [(token: String, models: [String])]
    /// The last patch whose outcome the replica has stored, and the chain up to it.
    var confirmed: Int
    var chain: [UInt8]
    /// The patches after it, in their order.
    var patches: [[UInt8]]
    /// True if other patches wait that the message has no room for. Not in the message.
    var hasMore = false

    func message() throws(StorageError) -> [UInt8] {
        var writer = SyncFrame.begin(.exchange)
        writer.add(raw: replica)
        writer.add(raw: user)
        writer.add(count: known.count)
        for (token, models) in known {
            writer.add(text: token)
            writer.add(count: models.count)
            for model in models { writer.add(text: model) }
        }
        writer.add(count: confirmed)
        writer.add(raw: chain)
        writer.add(count: patches.count)
        for patch in patches { writer.add(data: patch) }
        return try SyncFrame.seal(writer)
    }

    init(_ reader: inout ByteReader) throws(StorageError) {
        replica = try reader.raw(SyncIdentity.count)
        user = try reader.raw(SyncUser.count)
        known = []
        let tokens = try reader.count()
        // One for the models that are being read, one for all others, and the one of the latest page.
        guard tokens <= 3 else {
            throw StorageError(.limitExceeded, "A message names \(tokens) positions; 3 is the most.")
        }
        for _ in 0..<tokens {
            let token = try reader.text()
            var models: [String] = []
            for _ in 0..<(try reader.count()) { models.append(try reader.text()) }
            known.append((token, models))
        }
        confirmed = try reader.number()
        chain = try reader.raw(PatchChain.count)
        let count = try reader.count()
        guard count <= Self.patchLimit else {
            throw StorageError(
                .limitExceeded, "A message brings \(count) patches; \(Self.patchLimit) is the most.")
        }
        patches = []
        for _ in 0..<count { patches.append(try reader.data()) }
        try reader.requireEnd()
    }

    init(
        replica: [UInt8], user: [UInt8], known: [(token: String, models: [String])], confirmed: Int, chain: [UInt8],
        patches: [[UInt8]]
    ) {
        (self.replica, self.user, self.known, self.confirmed) = (replica, user, known, confirmed)
        (self.chain, self.patches) = (chain, patches)
    }
}

/// The hub's answer: the outcomes of patches, and the state of changed records at one of its commits.
struct ExchangeAnswer {
    /// The state of a changed record.
    enum State {
        /// The record as the hub has it.
        case stored(DynamicRecord)
        /// The hub has no such record, or the user may not read it.
        case gone
        /// The record that the replica's applied patches make of its earlier one.
        case asPatched
    }

    /// The mark of the question.
    var question: [UInt8]
    /// The mark of the user for whom the hub answers.
    var user: [UInt8]
    /// The hub's commit whose state this is.
    var token: String
    /// The commit's number.
    var commit: Int
    /// False if the hub has later commits, which another question brings.
    var isLast: Bool
    /// The author of all the commits between, if one author made them.
    var author: String?
    /// The last patch with an outcome that this answer tells.
    var last: Int
    var decisions: [Decision]
    /// The models whose changes the hub does not know any more, so that their records must be read again.
    var unknown: [String]
    var changes: [(place: RecordPlace, state: State)]

    func message() throws(StorageError) -> [UInt8] {
        var writer = SyncFrame.begin(.exchangeAnswer)
        writer.add(raw: question)
        writer.add(raw: user)
        writer.add(text: token)
        writer.add(count: commit)
        writer.add(byte: isLast ? 1 : 0)
        writer.add(optional: author)
        writer.add(count: last)
        writer.add(count: decisions.count)
        for decision in decisions {
            writer.add(count: decision.number)
            writer.add(raw: decision.chain)
            decision.result.write(to: &writer)
        }
        writer.add(count: unknown.count)
        for model in unknown { writer.add(text: model) }
        writer.add(count: changes.count)
        var records: [DynamicRecord] = []
        for (place, state) in changes {
            switch state {
            case .stored(let record):
                writer.add(byte: 1)
                records.append(record)
            case .gone: writer.add(byte: 2)
            case .asPatched: writer.add(byte: 3)
            }
            writer.add(place)
        }
        if !records.isEmpty { writer.add(data: records.recordBytes) }
        return try SyncFrame.seal(writer)
    }

    init(_ reader: inout ByteReader) throws(StorageError) {
        question = try reader.raw(SyncFrame.markCount)
        user = try reader.raw(SyncUser.count)
        token = try reader.text()
        commit = try reader.number()
        isLast = try reader.isSet()
        author = try reader.optionalText()
        last = try reader.number()
        decisions = []
        for _ in 0..<(try reader.count()) {
            decisions.append(
                Decision(
                    number: try reader.number(), chain: try reader.raw(PatchChain.count),
                    result: try SyncOutcome.Result(&reader)))
        }
        unknown = []
        for _ in 0..<(try reader.count()) { unknown.append(try reader.text()) }
        var heads: [(kind: UInt8, place: RecordPlace)] = []
        for _ in 0..<(try reader.count()) { heads.append((try reader.byte(), try reader.recordPlace())) }
        var records: IndexingIterator<[DynamicRecord]> = [].makeIterator()
        if heads.contains(where: { $0.kind == 1 }) {
            records = try [DynamicRecord](recordBytes: try reader.data()).makeIterator()
        }
        try reader.requireEnd()
        changes = []
        for (kind, place) in heads {
            switch kind {
            case 1:
                guard let record = records.next(), record.model == place.model else { throw Self.misshapen }
                changes.append((place, .stored(record)))
            case 2: changes.append((place, .gone))
            case 3: changes.append((place, .asPatched))
            default: throw Self.misshapen
            }
        }
        guard records.next() == nil, Set(heads.map(\.place)).count == heads.count else { throw Self.misshapen }
    }

    private static var misshapen: StorageError {
        StorageError(.corrupt, "An answer of the hub is not well formed, so it is refused whole.")
    }

    init(question: [UInt8], user: String?, token: Store.HistoryToken) {
        (self.question, self.user) = (question, SyncUser.mark(of: user))
        (self.token, commit) = (token.description, token.commit)
        (isLast, author, last, decisions, unknown, changes) = (true, nil, 0, [], [], [])
    }
}
