import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Store {
    /// A position between two records of an ordered query, at which a page ends and the next one begins.
    ///
    /// It holds the values that sort the record beside it, and no number of rows: records that are inserted or deleted elsewhere
    /// do not move it. Its text has letters, digits, `-` and `_`, so it fits into an address. The text is neither secret nor
    /// signed: whoever reads it can decode the values.
    public struct PageToken: Hashable, Sendable, LosslessStringConvertible {
        /// A digest of the model and the order, which a token of another query does not have.
        let order: UInt64
        /// The record's values of the sort terms, then its key.
        let place: [Value]
        /// True if the position is after the record, and false if it is before it.
        let isAfter: Bool

        private static let version: UInt8 = 1

        init(order: UInt64, place: [Value], isAfter: Bool) {
            self.order = order
            self.place = place
            self.isAfter = isAfter
        }

        /// The token of a text; nil for any other text.
        public init?(_ description: String) {
            var text = description.replacing("-", with: "+").replacing("_", with: "/")
            text += String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
            guard let bytes = Data(base64Encoded: text), bytes.count >= 10, bytes.first == Self.version,
                let place = try? RecordImage.key(of: Array(bytes.dropFirst(10)))
            else { return nil }
            self.init(
                order: bytes.dropFirst(2).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, place: place,
                isAfter: bytes.dropFirst().first == 1)
            // One text for each token: other padding or flags are not of this program.
            guard self.description == description else { return nil }
        }

        /// The text: base64 for URLs, without padding.
        public var description: String {
            var bytes: [UInt8] = [Self.version, isAfter ? 1 : 0]
            for shift in stride(from: UInt64(56), through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: order >> shift))
            }
            let text = Data(bytes + RecordImage.bytes(of: place)).base64EncodedString()
            return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
    }

    /// Some records of a query in their order, and where the pages beside them begin.
    public struct Page<Model> {
        /// The records in the query's order, each with everything that it owns.
        public let records: [Model]
        /// The position for the page after this one. Nil if no record followed when this page was read; a page before a
        /// position always has one.
        public let next: PageToken?
        /// The position for the page before this one. Nil on the first page, and on a page before a position if no record
        /// came before when it was read; a page after a position always has one.
        public let previous: PageToken?
    }
}

extension Store.Page: Sendable where Model: Sendable {}

extension Store.PageToken: Codable {
    /// - Throws: `DecodingError` for a text that is not a token.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let token = Store.PageToken(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a page token")
        }
        self = token
    }

    /// Encodes the token's text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
