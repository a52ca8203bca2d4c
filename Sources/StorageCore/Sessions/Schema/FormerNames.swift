import StorageDriver

/// The recorded names that the data of declared properties have, among the columns of a table or among what its rows own
/// (clause S9).
struct FormerNames {
    /// A declared property, or a part of it.
    struct Declared {
        let property: DeclaredProperty
        /// The name with which it is recorded.
        let name: String

        /// The names with which it was recorded, with the part that a reference to a key of several parts adds.
        var formers: [(name: String, recorded: String)] {
            property.renamedFrom.map { ($0, $0 + name.dropFirst(property.storedName.count)) }
        }
    }

    /// A recorded name.
    struct Recorded {
        let name: String
        let isRemoved: Bool
        let settledNames: [String]
    }

    private var sources: [[UInt8]: String] = [:]
    /// The names without data that renamed properties get.
    private(set) var replaced: [String] = []

    /// - Parameter holdsData: whether records have data under a name.
    /// - Throws: `schemaMismatch` if a property and its former name both hold data.
    init(
        _ declared: [Declared], _ recorded: [Recorded], kinds: PropertyKinds,
        holdsData: (String) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let known = Dictionary(recorded.map { (Array($0.name.utf8), $0) }, uniquingKeysWith: { first, _ in first })
        let formers = declared.map { Self.formers(of: $0, known) }
        let wanted = Set(formers.joined().map { Array($0.utf8) })
        for (declared, formers) in zip(declared, formers) {
            let name = Array(declared.name.utf8)
            // A name that another property is renamed from is not this one's.
            var source = known[name] != nil && !wanted.contains(name) ? declared.name : nil
            for former in formers {
                if let current = source, try holdsData(current) {
                    guard try !holdsData(former) else { throw kinds.bothHoldData(declared.property, former: former) }
                } else {
                    source = former
                }
            }
            sources[name] = source
        }
        let used = Set(sources.values.map { Array($0.utf8) })
        for declared in declared where known[Array(declared.name.utf8)] != nil {
            let name = Array(declared.name.utf8)
            if used.contains(name) { continue }
            if sources[name] == nil { sources[name] = declared.name } else { replaced.append(declared.name) }
        }
    }

    /// The former names that are recorded and not yet renamed.
    private static func formers(of declared: Declared, _ known: [[UInt8]: Recorded]) -> [String] {
        let formers = declared.formers
        let names = [declared.name] + formers.map(\.recorded)
        let settled = declared.property.isRenamedNow ? [] : names.flatMap { known[Array($0.utf8)]?.settledNames ?? [] }
        return formers.compactMap { name, recorded in
            let isSettled = settled.contains { $0.isSame(as: name) }
            guard known[Array(recorded.utf8)]?.isRemoved == false, !isSettled, !recorded.isSame(as: declared.name)
            else {
                return nil
            }
            return recorded
        }
    }

    /// The recorded name of a property's data; nil if it has none.
    func source(of name: String) -> String? { sources[Array(name.utf8)] }
}

extension [String]? {
    /// The names, and the further ones of another list; nil without any.
    func adding(_ other: [String]?) -> [String]? {
        guard let other else { return self }
        let names = self ?? []
        return names + other.filter { name in !names.contains { $0.isSame(as: name) } }
    }
}
