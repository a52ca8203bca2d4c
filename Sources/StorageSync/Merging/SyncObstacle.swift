public import StorageAPI
public import StorageDriver

/// A reason for which a store cannot synchronise some models.
public struct SyncObstacle: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of reason.
    public enum Kind: Hashable, Sendable {
        /// The store has no model of the name.
        case unknownModel
        /// The store's history does not keep the model's records; open it with `history: .init(records: …)`.
        case noHistory
        /// The store numbers the model's records, and two stores give the same numbers. Use a `UUID` as key.
        case assignsKeys
        /// The property refers to a model that is not synchronised.
        case refersOutside(to: String)
        /// A model that is not synchronised refers to the model: a deletion that comes by synchronisation would take its records
        /// along unseen.
        case referredFromOutside(by: String)
        /// A hold of the history may be let go, because the options bound `Store.HistoryOptions.holding`: local commits could
        /// be lost before they are sent.
        case boundedHold
    }

    /// The model's stored name; empty for ``Kind/boundedHold``.
    public let model: String
    /// The property's stored name with its path; nil if it is not about one.
    public let property: String?
    /// The reason.
    public let kind: Kind

    public var description: String {
        let name = [model, property].compactMap(\.self).joined(separator: ".")
        return switch kind {
        case .unknownModel: "the store has no model \(name)"
        case .noHistory:
            "the history does not keep the records of \(name); open the store with history: .init(records: …)"
        case .assignsKeys: "the store assigns the keys of \(name), and another store assigns the same; use a UUID"
        case .refersOutside(let target): "\(name) refers to \(target), which is not synchronised"
        case .referredFromOutside(let other): "\(other), which is not synchronised, refers to \(name)"
        case .boundedHold: "HistoryOptions.holding is bounded, so that unsent commits could be let go"
        }
    }
}

extension Store {
    /// The reasons for which the store cannot synchronise models; empty if it can.
    ///
    /// ``Hub`` and ``Replica`` ask this when they are made, and throw `configuration` with the same reasons.
    ///
    /// - Throws: errors of reading the store.
    public func canSync(_ models: [any Storable.Type]) async throws(StorageError) -> [SyncObstacle] {
        try await canSync(models.map { $0.schema.name })
    }

    /// The reasons for which the store cannot synchronise models, which are given by their stored names.
    public func canSync(_ models: [String]) async throws(StorageError) -> [SyncObstacle] {
        let history = try await historyStatus()
        let recorded = try await recordSchemas()
        let all = SyncModels(recorded.map(\.name), recorded)
        return obstacles(SyncModels(models, recorded), history) + all.referrers(to: models)
    }

    private func obstacles(_ models: SyncModels, _ history: HistoryStatus?) -> [SyncObstacle] {
        var found: [SyncObstacle] = []
        for name in models.names {
            guard let schema = models[name] else {
                found.append(SyncObstacle(model: name, property: nil, kind: .unknownModel))
                continue
            }
            if history?.records.contains(name) != true {
                found.append(SyncObstacle(model: name, property: nil, kind: .noHistory))
            }
            if schema.assignsKeys { found.append(SyncObstacle(model: name, property: nil, kind: .assignsKeys)) }
            for reference in models.references(from: name) where !models.names.contains(reference.target) {
                guard reference.rule != .unchecked else { continue }
                let path = (reference.path + [reference.parts[0]]).joined(separator: ".")
                found.append(SyncObstacle(model: name, property: path, kind: .refersOutside(to: reference.target)))
            }
        }
        if let holding = history?.holding, holding != .everything {
            found.append(SyncObstacle(model: "", property: nil, kind: .boundedHold))
        }
        return found
    }

    /// The models, if no obstacle stands against them.
    func syncModels(_ names: [String], isReplica: Bool) async throws(StorageError) -> SyncModels {
        var obstacles = try await canSync(names)
        // A hub holds no history.
        if !isReplica { obstacles.removeAll { $0.kind == .boundedHold } }
        guard obstacles.isEmpty else {
            throw StorageError(
                .configuration,
                "The store cannot synchronise: \(obstacles.map(\.description).joined(separator: "; ")).",
                operation: "sync", model: obstacles.first?.model, property: obstacles.first?.property)
        }
        return try await SyncModels(names, recordSchemas())
    }
}

extension SyncModels {
    /// The references to some models from all others.
    fileprivate func referrers(to models: [String]) -> [SyncObstacle] {
        names.filter { !models.contains($0) }.flatMap { name in
            let targets = Set(references(from: name).filter { $0.rule != .unchecked }.map(\.target))
            return models.filter(targets.contains).map {
                SyncObstacle(model: $0, property: nil, kind: .referredFromOutside(by: name))
            }
        }
    }
}
