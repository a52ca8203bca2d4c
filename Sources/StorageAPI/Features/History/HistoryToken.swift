import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Store {
    /// A position in a store's history, after which are the entries that a reader has not seen.
    ///
    /// It survives restarts, as text or as `Codable`. It names its store: a copy of the store's data is another store, and a
    /// copy of its file, such as a backup, is the same one.
    public struct HistoryToken: Hashable, Sendable, LosslessStringConvertible {
        let store: UUID
        /// The number of the commit.
        public let commit: Int
        /// The last entry of the commit that was seen; the greatest number for all of them.
        let place: Int64

        init(store: UUID, commit: Int64, place: Int64 = .max) {
            self.store = store
            self.commit = Int(commit)
            self.place = place
        }

        /// The token of a text; nil for any other text.
        public init?(_ description: String) {
            let parts = description.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let store = UUID(uuidString: String(parts[0])) else { return nil }
            let numbers = parts[1].split(separator: ".", omittingEmptySubsequences: false)
            guard let first = numbers.first, let commit = Int64(first), commit >= 0, numbers.count <= 2 else {
                return nil
            }
            var place = Int64.max
            if numbers.count == 2 {
                guard let given = Int64(numbers[1]), given >= 0 else { return nil }
                place = given
            }
            self.init(store: store, commit: commit, place: place)
        }

        /// The store and the commit: `6F9C…:42`.
        public var description: String { "\(store.uuidString):\(commit)" + (place == .max ? "" : ".\(place)") }
    }
}

extension Store.HistoryToken: Codable {
    /// - Throws: `DecodingError` for text that is no token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let token = Store.HistoryToken(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a history token")
        }
        self = token
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

extension HistorySettings {
    /// - Throws: `invalidValue` for a token of another store, or from the future; `notKept` for a token that is too old.
    func check(_ token: Store.HistoryToken, _ history: HistoryReading) throws(StorageError) {
        guard token.store == store else {
            throw StorageError(
                .invalidValue, "The token is of another store's history. Read the records anew, and take this store's.")
        }
        try history.requireKept(after: Int64(token.commit))
    }
}
