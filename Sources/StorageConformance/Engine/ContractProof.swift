extension Contract.Rule {
    /// The reason why no case proves the rule; nil where cases do.
    public var reasonWithoutCase: String? { Self.reasons[id] }

    private static let declarations =
        "Only a database for which others declare triggers and foreign keys has it; the backends' own tests prove it."

    private static let moves =
        "Several stores take part, and no case of one backend; the tests of StorageTenants prove it."

    private static let synchronisation =
        "The tests of StorageSync prove it: no backend takes part in what the hub's program decides."

    private static let reasons = [
        "C6.3": "The compiler keeps it: a PartialModel and a tuple are no models, so nothing saves them.",
        "E1.2": "A list of names, which a test compares with StorageError.Code.",
        "E2.2": "The compiler keeps it; scripts/check-queries has mistakes that must not compile.",
        "E5.2": declarations,
        "E5.3": declarations,
        "E6.4": "Only a backend whose servers take each other's place has it; its own tests prove it.",
        "F2.2": "There is one analyzer so far; the tests of StorageSearch hold its tables.",
        "H1.4": declarations,
        "H1.5": declarations,
        "H12.7": "Only an engine with a file has backups; the tests of the store and of the tool prove it.",
        "L1.5": declarations,
        "M1.5": "Only an earlier version is such a program; a test gives it the store's record.",
        "M2.1": moves,
        "M2.2": moves,
        "M2.3": moves,
        "O7.4": declarations,
        "R1.3": "No backend takes part: it is what the type Ref does.",
        "R1.4": "No backend takes part: it is what the type Ref does not have.",
        "R9.3": "Only a backend that reads other software's files has them; its own tests prove it.",
        "E4.3": "Only a backend that reads other software's files has them; its own tests prove it.",
        "T4.3": "The compiler keeps it: models and results are Sendable.",
        "T5.1": "The compiler keeps it: a handle is not escapable.",
        "T7.2": "A rule of names.",
        "W8.3": "Only a backend with a file has it; its own tests prove it.",
        "Y7.1": synchronisation,
        "Y7.2": synchronisation,
        "Y9.3": synchronisation,
    ]
}

extension Conformance {
    /// The contract rule by rule, each with the cases that prove it, or why none can: what `conformance --contract` prints.
    public var proof: String {
        let cases = cases.flatMap { test in test.rules.map { ($0, test.id) } }
        let provers = Dictionary(grouping: cases, by: \.0).mapValues { $0.map(\.1) }
        return Contract.allCases.flatMap(\.rules).map { rule in
            let proof =
                provers[rule].map { Self.families($0).joined(separator: ", ") }
                ?? "no case: \(rule.reasonWithoutCase ?? "none was written.")"
            return "\(rule.id) \(rule.text)\n    \(proof)"
        }.joined(separator: "\n")
    }

    /// The identifiers, those that many types have in common as one: `values/*-column (22)`.
    private static func families(_ ids: [String]) -> [String] {
        let families = Dictionary(grouping: ids) { id in
            id.hasPrefix("values/") ? id.split(separator: "-", maxSplits: 1).last.map(String.init) ?? id : id
        }
        var told: Set<String> = []
        return ids.compactMap { id in
            let end = id.split(separator: "-", maxSplits: 1).last.map(String.init) ?? id
            guard let family = families[end], family.count > 3 else { return id }
            return told.insert(end).inserted ? "values/*-\(end) (\(family.count))" : nil
        }
    }
}
