public import StorageDriver

/// One thing in which two stores differ.
public struct StoreDifference: Hashable, Sendable {
    /// The kinds of difference between two stores.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// The first store has it, and the second has not.
        case onlyInFirst
        /// The second store has it, and the first has not.
        case onlyInSecond
        /// Both have it, and not alike.
        case changed
    }

    /// The kind of difference.
    public let kind: Kind
    /// The stored name of the model.
    public let model: String
    /// The record's key; nil if the model itself differs.
    public let key: [Value]?
    /// For ``Kind/changed`` the stored names of the properties that differ. Of a model: the properties that one store alone
    /// has, or has with another type.
    public let properties: [String]
}

extension Store {
    /// Compares the records of two stores, whatever the two are on, and calls the body with each difference: models by
    /// name, records in the order of their keys.
    ///
    /// Both sides are read once, side by side, each in one snapshot and a row at a time. Equality is that of the storage
    /// contract; of properties that one store alone has, the values are not looked at.
    ///
    /// - Parameters:
    ///   - second: the other store. This one is the first.
    ///   - models: the stored names of the models to compare; all of both stores by default.
    ///   - body: receives each difference when it is found.
    /// - Throws: `invalidQuery` for a name that neither store has; errors of reading.
    public nonisolated(nonsending) func differences(
        from second: Store, models: [String]? = nil, _ body: sending (StoreDifference) -> Void
    ) async throws(StorageError) {
        try await reads { () throws(StorageError) in try self.tellDifferences(from: second, models: models, body) }
    }

    /// Returns the differences between the records of two stores, in the same order. It holds them all; the form with a
    /// closure holds none.
    ///
    /// ```swift
    /// let differences = try await store.differences(from: archive, models: ["Person"])
    /// ```
    /// - Parameters:
    ///   - second: the other store. This one is the first.
    ///   - models: the stored names of the models to compare; all of both stores by default.
    /// - Throws: as with a closure.
    public nonisolated(nonsending) func differences(
        from second: Store, models: [String]? = nil
    ) async throws(StorageError) -> [StoreDifference] {
        try await reads { () throws(StorageError) in
            var found: [StoreDifference] = []
            try self.tellDifferences(from: second, models: models) { found.append($0) }
            return found
        }
    }

    private func tellDifferences(
        from second: Store, models: [String]?, _ body: (StoreDifference) -> Void
    ) throws(StorageError) {
        try withReader("diff", .snapshot, seesExpired: true) { (left) throws(StorageError) in
            try second.withReader("diff", .snapshot, seesExpired: true) { (right) throws(StorageError) in
                let lefts = StoredModel.all(in: try left.tables())
                let rights = StoredModel.all(in: try right.tables())
                func tell(_ difference: StoreDifference) {
                    runningCalls.runClosure { second.runningCalls.runClosure { body(difference) } }
                }
                for name in try Self.names(lefts, rights, chosen: models) {
                    let pair = (lefts.first { $0.name == name }, rights.first { $0.name == name })
                    switch pair {
                    case (let first?, let second?):
                        try ModelComparison(first, in: left, second, in: right).run(tell)
                    case (nil, _):
                        tell(StoreDifference(kind: .onlyInSecond, model: name.text, key: nil, properties: []))
                    case (_, nil):
                        tell(StoreDifference(kind: .onlyInFirst, model: name.text, key: nil, properties: []))
                    }
                }
            }
        }
    }

    private static func names(
        _ first: [StoredModel], _ second: [StoredModel], chosen: [String]?
    ) throws(StorageError) -> [StoredName] {
        let all = Set((first + second).map(\.name)).sorted()
        let chosen = chosen?.map { StoredName($0) }
        for name in chosen ?? [] where !all.contains(name) {
            let known = all.map(\.text).joined(separator: ", ")
            throw StorageError(
                .invalidQuery, "Neither store has a model \(name); there are \(known.isEmpty ? "none" : known).",
                model: name)
        }
        return chosen ?? all
    }
}
