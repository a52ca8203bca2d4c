import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// A position in a store's history, after which are the entries that a reader has not seen.
    ///
    /// It survives restarts, as text or as `Codable`. It names its store: a copy of the store's data is another store, and a
    /// copy of its file, such as a backup, is the same one. It also has a digest of its commit, so that it is no token of
    /// a store that was restored from a backup without the commit, or of a copied file in which other commits followed.
    ///
    /// A token that an earlier version of the library has made has no digest, and equals no token that has one.
    public struct HistoryToken: Hashable, Sendable, LosslessStringConvertible {
        /// The store's name, which a copy of its file has too.
        public let store: UUID
        /// The number of the commit.
        public let commit: Int
        /// The last entry of the commit that was seen; the greatest number for all of them.
        let place: Int64
        /// The digest of the commit; nil in tokens of earlier versions, and before the first commit.
        let digest: UInt64?

        init(store: UUID, commit: Int64, place: Int64 = .max, digest: UInt64?) {
            self.store = store
            self.commit = Int(commit)
            self.place = place
            self.digest = digest
        }

        /// The place after a commit; before the first one if it is nil.
        init(store: UUID, _ commit: CommitRow?, place: Int64 = .max) {
            self.init(store: store, commit: commit?.number ?? 0, place: place, digest: commit?.digest)
        }

        /// The token of a text; nil for any other text.
        public init?(_ description: String) {
            let parts = description.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let store = UUID(uuidString: String(parts[0])) else { return nil }
            let marked = parts[1].split(separator: "@", omittingEmptySubsequences: false)
            let numbers = marked[0].split(separator: ".", omittingEmptySubsequences: false)
            guard let first = numbers.first, let commit = Int64(first), commit >= 0, numbers.count <= 2 else {
                return nil
            }
            var place = Int64.max
            if numbers.count == 2 {
                guard let given = Int64(numbers[1]), given >= 0 else { return nil }
                place = given
            }
            var digest: UInt64?
            if marked.count > 1 {
                guard marked.count == 2, let given = UInt64(marked[1], radix: 16), Self.text(of: given) == marked[1]
                else {
                    return nil
                }
                digest = given
            }
            self.init(store: store, commit: commit, place: place, digest: digest)
        }

        /// The store, the commit and its digest: `6F9C…:42@3A90…`. Texts of earlier versions have no digest.
        public var description: String {
            let text = "\(store.uuidString):\(commit)" + (place == .max ? "" : ".\(place)")
            return digest.map { "\(text)@\(Self.text(of: $0))" } ?? text
        }

        private static func text(of digest: UInt64) -> String {
            let digits = String(digest, radix: 16, uppercase: true)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }
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
    /// - Throws: `invalidValue` for a token of another store, from the future, or of a commit that this store does not have;
    ///   `notKept` for a token that is too old.
    func check(_ token: Store.HistoryToken, _ history: HistoryReading) throws(StorageError) {
        guard token.store == store else {
            throw StorageError(
                .invalidValue, "The token is of another store's history. Read the records anew, and take this store's.")
        }
        let number = Int64(token.commit)
        try history.requireKept(after: number)
        guard let digest = token.digest, number > 0 else { return }
        guard let commit = try history.commit(number) else { throw HistoryReading.notKept(number) }
        guard commit.digest == digest else {
            throw StorageError(
                .invalidValue,
                "Commit \(number) of the store differs from the token's: the store was restored from a backup, or other "
                    + "commits followed in a copied file. Read the records again, and take this store's token.")
        }
    }
}
