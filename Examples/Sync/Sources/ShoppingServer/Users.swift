/// The users by their tokens. A real server has them in its store, and gives out tokens that expire.
public struct Users: Sendable {
    private let names: [String: String]

    /// Users out of a text such as `ada:secret1,ben:secret2`; nil for another text.
    public init?(_ text: String) {
        var names: [String: String] = [:]
        for part in text.split(separator: ",") {
            let pair = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else { return nil }
            names["Bearer \(pair[1])"] = String(pair[0])
        }
        if names.isEmpty { return nil }
        self.names = names
    }

    /// The user whom a header `Authorization` names; nil for an unknown one.
    public func user(_ authorization: String?) -> String? { authorization.flatMap { names[$0] } }
}
