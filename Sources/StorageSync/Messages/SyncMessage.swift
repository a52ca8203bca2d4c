public import StorageAPI
public import StorageDriver

/// A message between a replica and its hub, in a form that a program or a person reads: for logs, and for tests of transports.
///
/// Properties that a kind of message does not use are nil or empty.
public struct SyncMessage: Sendable {
    /// The kinds of message: questions of a replica, and the answers of a hub.
    public enum Kind: String, Sendable {
        /// Patches, and the question for changes.
        case exchange
        /// Outcomes of patches, and changed records.
        case exchangeAnswer
        /// The question for some records of a model.
        case page
        /// Records of a model.
        case pageAnswer
        /// The question of which commits a hub that was restored from a backup still has.
        case lostCommits
        /// The latest of these commits.
        case lostCommitsAnswer
        /// The refusal of a whole message.
        case refusal
    }

    /// A position in the hub's history.
    public struct Position: Hashable, Sendable {
        /// The token of the commit.
        public let token: String
        /// In an ``Kind/exchange``, the stored names of the models whose changes up to there the replica has.
        public let models: [String]
    }

    /// The hub's decision on a patch.
    public struct Decision: Hashable, Sendable {
        /// The patch's number.
        public let patch: Int
        /// The decision.
        public let result: SyncOutcome.Result
    }

    /// The hub's state of a record.
    public struct RecordState: Hashable, Sendable {
        /// The states of a record at the hub.
        public enum State: Hashable, Sendable {
            /// The record as the hub has it.
            case stored(DynamicRecord)
            /// The hub has none that the user may read.
            case gone
            /// The record that the replica's patches have made.
            case asPatched
        }

        /// The model's stored name.
        public let model: String
        /// The record's key, one value for each key property; empty in a ``Kind/pageAnswer``, whose records have it.
        public let key: [Value]
        /// The state.
        public let state: State
    }

    /// The kind.
    public let kind: Kind
    /// The mark of the question, of 8 bytes: of this question, or of the question that this answers.
    public let mark: [UInt8]
    /// The name of the replica that asks, of 16 bytes.
    public private(set) var replica: [UInt8]?
    /// The positions of the hub that the message names. An answer names the one whose state it is.
    public private(set) var positions: [Position] = []
    /// The model of a page.
    public private(set) var model: String?
    /// The place after which a page begins, and in an answer the next one; nil for the first and after the last.
    public private(set) var place: String?
    /// The patches, in their order.
    public private(set) var patches: [SyncPatch] = []
    /// The number of the last patch whose outcome the replica has, or gets by this answer.
    public private(set) var lastOutcome: Int?
    /// The decisions on patches.
    public private(set) var decisions: [Decision] = []
    /// The states of records.
    public private(set) var records: [RecordState] = []
    /// The stored names of models whose records the replica must read again, because their changes are not kept.
    public private(set) var unknown: [String] = []
    /// False if the hub has later commits, which another question brings.
    public private(set) var isLast: Bool?
    /// The reason of a refusal.
    public private(set) var refusal: SyncRefusal?

    /// Reads a message.
    ///
    /// - Throws: `corrupt` for bytes that are no message, or are cut or changed; `limitExceeded` for more than 32 MiB or 1,000
    ///   patches; `schemaNewer` for a message of a newer version.
    public init(bytes: [UInt8]) throws(StorageError) {
        let (kind, content) = try SyncFrame.open(bytes)
        var reader = content
        switch kind {
        case .exchange:
            let request = try ExchangeRequest(&reader)
            (self.kind, mark) = (.exchange, SyncFrame.mark(of: bytes))
            (replica, lastOutcome) = (request.replica, request.confirmed)
            positions = request.known.map { Position(token: $0.token, models: $0.models) }
            patches = try IncomingPatches(request).all.map(\.patch)
        case .exchangeAnswer:
            let answer = try ExchangeAnswer(&reader)
            (self.kind, mark) = (.exchangeAnswer, answer.question)
            positions = [Position(token: answer.token, models: [])]
            (lastOutcome, unknown, isLast) = (answer.last, answer.unknown, answer.isLast)
            decisions = answer.decisions.map { Decision(patch: $0.number, result: $0.result) }
            records = answer.changes.map { RecordState($0.place, $0.state) }
        case .page:
            let request = try PageRequest(&reader)
            (self.kind, mark) = (.page, SyncFrame.mark(of: bytes))
            (model, place) = (request.model, request.after)
            positions = request.latest.map { [Position(token: $0, models: [])] } ?? []
        case .pageAnswer:
            let answer = try PageAnswer(&reader)
            (self.kind, mark) = (.pageAnswer, answer.question)
            positions = [Position(token: answer.token, models: [])]
            (place, isLast) = (answer.next, answer.next == nil)
            records = try answer.records().map { RecordState(RecordPlace($0.model, []), .stored($0)) }
        case .lostCommits:
            (self.kind, mark) = (.lostCommits, SyncFrame.mark(of: bytes))
            positions = try LostCommitsRequest(&reader).tokens.map { Position(token: $0, models: []) }
        case .lostCommitsAnswer:
            let answer = try LostCommitsAnswer(&reader)
            (self.kind, mark) = (.lostCommitsAnswer, answer.question)
            positions = answer.token.map { [Position(token: $0, models: [])] } ?? []
        case .refusal:
            (self.kind, mark) = (.refusal, try reader.raw(SyncFrame.markCount))
            refusal = SyncRefusal(rawValue: try reader.byte())
        }
    }
}

extension SyncMessage.RecordState {
    fileprivate init(_ place: RecordPlace, _ state: ExchangeAnswer.State) {
        (model, key) = (place.model, place.key)
        self.state =
            switch state {
            case .stored(let record): .stored(record)
            case .gone: .gone
            case .asPatched: .asPatched
            }
    }
}

extension SyncMessage: CustomStringConvertible {
    /// The message in a line, without its records' contents: `exchange: 2 patches`.
    public var description: String {
        let parts = [
            model, refusal.map { "\($0)" }, Self.text(patches.count, "patch", several: "patches"),
            Self.text(decisions.count, "outcome", several: "outcomes"),
            Self.text(records.count, "record", several: "records"),
            unknown.isEmpty ? nil : "\(unknown.joined(separator: ", ")) to be read again",
            isLast == false ? "more follows" : nil,
        ].compactMap(\.self)
        return kind.rawValue + (parts.isEmpty ? "" : ": " + parts.joined(separator: ", "))
    }

    private static func text(_ count: Int, _ noun: String, several nouns: String) -> String? {
        count == 0 ? nil : "\(count) \(count == 1 ? noun : nouns)"
    }
}
