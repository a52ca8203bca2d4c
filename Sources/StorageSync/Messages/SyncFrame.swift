import StorageAPI
import StorageDigest
import StorageDriver

/// The frame of every message: `SYNC`, the version, the kind, the content, and the first 8 bytes of the SHA-256 of all that.
enum SyncFrame {
    /// The kinds of message.
    enum Kind: UInt8 {
        case exchange = 1
        case exchangeAnswer = 2
        case page = 3
        case pageAnswer = 4
        case lostCommits = 5
        case lostCommitsAnswer = 6
        /// The hub's refusal of a whole message.
        case refusal = 7
    }

    private static let magic = Array("SYNC".utf8)
    private static let version: UInt8 = 1
    private static let headCount = magic.count + 2
    private static let checkCount = 8
    /// The number of bytes of a mark.
    static let markCount = checkCount

    /// The most bytes of a message; a longer one is refused unread.
    static let limit = 32 << 20
    /// The most bytes of a patch, with room for the rest of a message.
    static let patchLimit = limit - (1 << 20)
    /// The number of bytes after which a message takes no further patch, commit or record, if it has one.
    static let fill = 2 << 20

    /// A message without its content and its end.
    static func begin(_ kind: Kind) -> ByteWriter {
        var message = ByteWriter()
        message.add(raw: magic)
        message.add(byte: version)
        message.add(byte: kind.rawValue)
        return message
    }

    /// A message that was begun, with its end.
    static func seal(_ message: consuming ByteWriter) throws(StorageError) -> [UInt8] {
        message.add(raw: check(of: message.bytes))
        try checkLength(message.bytes.count)
        return message.bytes
    }

    /// The kind of a message, and its content.
    static func open(_ message: [UInt8]) throws(StorageError) -> (kind: Kind, content: ByteReader) {
        try checkLength(message.count)
        guard message.count >= headCount + checkCount, message.starts(with: magic) else {
            throw StorageError(.corrupt, "The bytes are no message of synchronisation.")
        }
        guard message[magic.count] <= version else {
            throw StorageError(
                .schemaNewer, "The message is of a newer version of StorageSync; update this program.")
        }
        let end = message.count - checkCount
        guard message[magic.count] == version, message[end...].elementsEqual(check(of: message[..<end])),
            let kind = Kind(rawValue: message[magic.count + 1])
        else {
            throw StorageError(.corrupt, "The message is cut or changed, so it is refused whole; send it again.")
        }
        return (kind, ByteReader(message, from: headCount, to: end))
    }

    /// The content of a message that this store keeps, which was opened before it was kept; nil for one of another kind.
    static func content(ofKept message: [UInt8], _ kind: Kind) -> ByteReader? {
        guard message.count >= headCount + checkCount, message[magic.count + 1] == kind.rawValue else { return nil }
        return ByteReader(message, from: headCount, to: message.count - checkCount)
    }

    /// The mark by which an answer names its question: the hash at the question's end.
    static func mark(of question: [UInt8]) -> [UInt8] { Array(question.suffix(markCount)) }

    private static func check(of bytes: some Collection<UInt8>) -> [UInt8] {
        Array(SHA256.hash(bytes).prefix(checkCount))
    }

    private static func checkLength(_ count: Int) throws(StorageError) {
        guard count <= limit else {
            throw StorageError(
                .limitExceeded, "A message of \(count) bytes is longer than the limit of \(limit) bytes.")
        }
    }
}
