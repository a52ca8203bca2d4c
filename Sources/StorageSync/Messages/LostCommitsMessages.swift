import StorageAPI
import StorageDriver

/// A replica's question to a hub that was restored from a backup: which of its positions does the hub still have?
struct LostCommitsRequest {
    /// The most positions that a message names.
    static let limit = 64

    /// The hub's tokens at which the replica has been, the latest first.
    var tokens: [String]

    func message() throws(StorageError) -> [UInt8] {
        var writer = SyncFrame.begin(.lostCommits)
        writer.add(count: tokens.count)
        for token in tokens { writer.add(text: token) }
        return try SyncFrame.seal(writer)
    }

    init(tokens: [String]) { self.tokens = Array(tokens.prefix(Self.limit)) }

    init(_ reader: inout ByteReader) throws(StorageError) {
        let count = try reader.count()
        guard count <= Self.limit else {
            throw StorageError(.limitExceeded, "A message names \(count) positions; \(Self.limit) is the most.")
        }
        tokens = []
        for _ in 0..<count { tokens.append(try reader.text()) }
        try reader.requireEnd()
    }
}

/// The latest position that the hub still has.
struct LostCommitsAnswer {
    /// The mark of the question.
    var question: [UInt8]
    /// The token; nil if the hub lacks all of them, or has forgotten the later commits.
    var token: String?

    func message() throws(StorageError) -> [UInt8] {
        var writer = SyncFrame.begin(.lostCommitsAnswer)
        writer.add(raw: question)
        writer.add(optional: token)
        return try SyncFrame.seal(writer)
    }

    init(question: [UInt8], token: String?) { (self.question, self.token) = (question, token) }

    init(_ reader: inout ByteReader) throws(StorageError) {
        question = try reader.raw(SyncFrame.markCount)
        token = try reader.optionalText()
        try reader.requireEnd()
    }
}
