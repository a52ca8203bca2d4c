internal import StorageAPI

/// The arguments of a program that runs the suite.
struct ConformanceArguments {
    enum Format: String, CaseIterable { case text, json, junit }

    var only: [String] = []
    var seed: UInt64?
    var deadline = 300
    var jobs = 2
    var format = Format.text
    var output: String?
    /// The generated programs that run instead of the cases, and the number of them, or of queries.
    var generated: (mixture: GeneratedTests.Mixture, count: Int)?
    var steps = 50
    var against: String?
    var isIsolated = false
    var isChild = false
    var lists = false
    var printsContract = false
    var helps = false
    var showsProgress = true
    /// The place and the role of a second process.
    var helper: (place: String, role: [String])?

    static let help = """
        Proves that a backend keeps the storage contract, rule by rule.

          --only ID                run this case, or those whose identifiers begin so; may be repeated
          --seed NUMBER            the seed of the order of cases and of random values (default: a new one)
          --deadline SECONDS       the time after which a case counts as hanging (default: 300)
          --jobs COUNT             the number of cases that run at the same time (default: 2)
          --isolate                run each case in a process of its own, so that a crash is an outcome of its case
          --format text|json|junit the format of the report (default: text)
          --output PATH            write the report to a file
          --list                   list the cases with their rules, and run none
          --contract               print the contract, each rule with the cases that prove it, and run none
          --no-progress            show no progress on the terminal

        Generated programs, each compared with a model of the contract, instead of the cases:
          --generate COUNT             programs of every verb
          --generate-queries COUNT     queries over random records
          --generate-schemas COUNT     programs of several versions of a model
          --generate-references COUNT  programs about records that refer to each other
          --generate-synchronisation COUNT
                                       a hub and replicas, whose messages are lost, repeated and late
          --generate-restored-hubs COUNT
                                       the same, each with a hub that is restored from backups
          --steps COUNT                the approximate number of calls, or queries, of a program (default: 50)
          --against NAME               run the programs on this backend too

        Exit codes: 0 the backend conforms; 1 some case failed, or none was run; 64 the arguments have no meaning.
        """

    /// - Throws: `configuration` for arguments without a meaning.
    init(_ arguments: [String]) throws(StorageError) {
        var left = arguments[...]
        if left.first == "run" { left.removeFirst() }
        if left.first == "helper" {
            guard left.count > 3, left.dropFirst().first == "--place" else { throw Self.misuse("helper has no place.") }
            helper = (left[left.startIndex + 2], Array(left.dropFirst(3)))
            return
        }
        while let word = left.popFirst() {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            if parts.count == 2 { left = [parts[1]] + left }
            try take(parts[0], &left)
        }
        for id in only where !Conformance.v1.cases.contains(where: { $0.id.hasPrefix(id) }) {
            throw Self.misuse("--only \(id) names no case; --list names them all.")
        }
        if against != nil, generated == nil { throw Self.misuse("--against goes with --generate and its like.") }
    }

    private mutating func take(_ option: String, _ left: inout ArraySlice<String>) throws(StorageError) {
        switch option {
        case "--only": only.append(try Self.value(option, &left))
        case "--seed":
            seed = UInt64(try Self.value(option, &left))
            if seed == nil { throw Self.misuse("--seed is a number.") }
        case "--deadline": deadline = try Self.count(option, &left)
        case "--jobs": jobs = try Self.count(option, &left)
        case "--format":
            guard let chosen = Format(rawValue: try Self.value(option, &left)) else {
                throw Self.misuse("--format is one of \(Format.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            format = chosen
        case "--output": output = try Self.value(option, &left)
        case "--steps": steps = try Self.count(option, &left)
        case "--against": against = try Self.value(option, &left)
        case "--generate": try generate(.everything, option: option, &left)
        case "--generate-queries": try generate(.queries, option: option, &left)
        case "--generate-schemas": try generate(.schemas, option: option, &left)
        case "--generate-references": try generate(.references, option: option, &left)
        case "--generate-synchronisation": try generate(.synchronisation, option: option, &left)
        case "--generate-restored-hubs": try generate(.restoredHubs, option: option, &left)
        case "--isolate": isIsolated = true
        case "--child": isChild = true
        case "--list": lists = true
        case "--contract": printsContract = true
        case "--no-progress": showsProgress = false
        case "--help", "-h": helps = true
        default: throw Self.misuse("\(option) is no option; --help names them all.")
        }
    }

    private mutating func generate(
        _ mixture: GeneratedTests.Mixture, option: String, _ left: inout ArraySlice<String>
    ) throws(StorageError) {
        guard generated == nil else { throw Self.misuse("\(option) is a run of its own.") }
        generated = (mixture, try Self.count(option, &left))
    }

    private static func value(_ option: String, _ left: inout ArraySlice<String>) throws(StorageError) -> String {
        guard let value = left.popFirst() else { throw misuse("\(option) has no value.") }
        return value
    }

    private static func count(_ option: String, _ left: inout ArraySlice<String>) throws(StorageError) -> Int {
        guard let count = Int(try value(option, &left)), count > 0 else {
            throw misuse("\(option) is a number, at least 1.")
        }
        return count
    }

    static func misuse(_ message: String) -> StorageError { StorageError(.configuration, message) }
}

extension ConformanceArguments {
    /// The chosen cases. A complete identifier names that case only.
    var cases: [ConformanceCase] {
        let all = Conformance.v1.cases
        if only.isEmpty { return all }
        return all.filter { test in
            only.contains { id in test.id == id || !all.contains { $0.id == id } && test.id.hasPrefix(id) }
        }
    }

    func options(_ seed: UInt64) -> ConformanceOptions {
        ConformanceOptions(seed: seed, deadline: .seconds(deadline), parallelism: jobs)
    }
}
