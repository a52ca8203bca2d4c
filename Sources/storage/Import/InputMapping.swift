import StorageAPI
import StorageDriver
import StorageJSON

/// Maps members of the input to properties: `age=info.age` takes one out of an object within.
struct InputMapping: Sendable {
    private struct Rule: Sendable {
        let property: String
        let path: [String]
    }

    private let rules: [Rule]

    /// No rule.
    init() { rules = [] }

    var isEmpty: Bool { rules.isEmpty }

    /// - Parameter texts: `PROPERTY=PATH` each; an empty property omits the value at the path.
    init(_ texts: [String]) throws(ToolError) {
        var rules: [Rule] = []
        for text in texts {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let path = parts.count == 2 ? parts[1].split(separator: ".").map(String.init) : []
            guard !path.isEmpty else {
                throw ToolError("--map \(text) is not of the form PROPERTY=PATH, like age=info.age.")
            }
            rules.append(Rule(property: parts[0], path: path))
        }
        self.rules = rules
    }

    /// The record's members, with those of the rules moved.
    func apply(to members: [JSONValue.Member]) -> [JSONValue.Member] {
        guard !rules.isEmpty else { return members }
        var members = members
        var taken: [JSONValue.Member] = []
        for rule in rules {
            let value = Self.take(rule.path[...], from: &members)
            if !rule.property.isEmpty, let value { taken.append(JSONValue.Member(name: rule.property, value: value)) }
        }
        return members + taken
    }

    /// Takes the member at a path out of an object; an object that is empty then goes with it.
    private static func take(_ path: ArraySlice<String>, from members: inout [JSONValue.Member]) -> JSONValue? {
        guard let name = path.first, let place = members.firstIndex(where: { StoredName($0.name) == StoredName(name) })
        else { return nil }
        guard path.count > 1 else { return members.remove(at: place).value }
        guard case .object(var inner) = members[place].value else { return nil }
        let value = take(path.dropFirst(), from: &inner)
        if inner.isEmpty { members.remove(at: place) } else { members[place].value = .object(inner) }
        return value
    }
}
