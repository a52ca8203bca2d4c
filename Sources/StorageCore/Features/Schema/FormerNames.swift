import StorageDriver

/// The recorded names that the data of declared properties have, among the columns of a table or the tables that it
/// owns (clause S9).
struct FormerNames {
    /// A declared property, or a part of it.
    struct Declared {
        let property: DeclaredProperty
        /// The name with which it is recorded.
        let name: StoredName

        /// The names with which it was recorded, with the part that a reference to a key of several parts adds.
        var formers: [(name: StoredName, recorded: StoredName)] {
            let part = name.text.utf8.dropFirst(property.storedName.text.utf8.count)
            return property.renamedFrom.map { ($0, StoredName("\($0)\(String(part) ?? "")")) }
        }
    }

    /// A recorded name.
    struct Recorded {
        let name: StoredName
        let isRemoved: Bool
        let settledNames: [StoredName]
    }

    private var sources: [StoredName: StoredName] = [:]
    /// The names without data that renamed properties get.
    private(set) var replaced: [StoredName] = []

    /// - Parameter holdsData: whether records have data under a name.
    /// - Throws: `schemaMismatch` if a property and its former name both hold data.
    init(
        _ declared: [Declared], _ recorded: [Recorded], kinds: PropertyKinds,
        holdsData: (StoredName) throws(StorageError) -> Bool
    ) throws(StorageError) {
        let known = Dictionary(recorded.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let formers = declared.map { Self.formers(of: $0, known) }
        let wanted = Set(formers.joined())
        for (declared, formers) in zip(declared, formers) {
            let name = declared.name
            // A name that another property is renamed from is not this one's.
            var source = known[name] != nil && !wanted.contains(name) ? name : nil
            for former in formers {
                if let current = source, try holdsData(current) {
                    guard try !holdsData(former) else { throw kinds.bothHoldData(declared.property, former: former) }
                } else {
                    source = former
                }
            }
            sources[name] = source
        }
        let used = Set(sources.values)
        for name in declared.map(\.name) where known[name] != nil && !used.contains(name) {
            if sources[name] == nil { sources[name] = name } else { replaced.append(name) }
        }
    }

    /// The former names that are recorded and not yet renamed.
    private static func formers(of declared: Declared, _ known: [StoredName: Recorded]) -> [StoredName] {
        let formers = declared.formers
        let names = [declared.name] + formers.map(\.recorded)
        let settled = declared.property.isRenamedNow ? [] : names.flatMap { known[$0]?.settledNames ?? [] }
        return formers.compactMap { name, recorded in
            let isLeft = known[recorded]?.isRemoved == false && !settled.contains(name) && recorded != declared.name
            return isLeft ? recorded : nil
        }
    }

    /// The recorded name of a property's data; nil if it has none.
    func source(of name: StoredName) -> StoredName? { sources[name] }
}

extension [StoredName]? {
    /// The names, and the further ones of another list; nil without any.
    func adding(_ other: [StoredName]?) -> [StoredName]? {
        guard let other else { return self }
        let names = self ?? []
        return names + other.filter { !names.contains($0) }
    }
}
