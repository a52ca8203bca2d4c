internal import StorageAPI

/// The expected contents of a store: the contract's meaning of every verb over plain arrays of structs.
struct World: Sendable {
    var gadgets = ModelTable<Generated.Gadget>()
    var crates = ModelTable<Generated.Crate>()
    var items = ModelTable<Generated.Item>()
    var trees = ModelTable<Generated.Tree>()
    /// The models of programs about references.
    var linked = LinkedWorld()
}

/// An error that the contract asks for.
struct ExpectedError: Error {
    let code: StorageError.Code
    /// The key that the error names, as text; nil where it names none.
    let key: String?

    init(_ code: StorageError.Code, key: String? = nil) {
        self.code = code
        self.key = key
    }
}

/// The records of one model, in key order.
struct ModelTable<M: GeneratedModel>: Sendable {
    private(set) var rows: [M] = []
    /// The greatest key that was ever stored, where the store assigns keys (clause K2).
    private var greatest = 0

    enum Verb: String, Sendable {
        case insert, save, update
    }

    // MARK: Writing

    /// Stores models one after the other; what a failing call has changed is thrown away with the copy that it ran on.
    mutating func put(_ models: [M], _ verb: Verb) throws(ExpectedError) -> [M] {
        var table = self
        var stored = models
        if verb != .update { try table.assignKeys(&stored) }
        for model in stored { try table.put(model, verb) }
        self = table
        return stored
    }

    private mutating func assignKeys(_ models: inout [M]) throws(ExpectedError) {
        guard M.assignsKeys else { return }
        for index in models.indices {
            if let key = models[index].keyOrNil as? Int {
                greatest = max(greatest, key)
            } else {
                let (next, overflow) = greatest.addingReportingOverflow(1)
                guard !overflow, let key = next as? M.Key else { throw ExpectedError(.overflow) }
                models[index].assign(key)
                greatest = next
            }
        }
    }

    private mutating func put(_ model: M, _ verb: Verb) throws(ExpectedError) {
        guard let key = model.keyOrNil else { throw ExpectedError(.missingKey) }
        let place = index(of: key)
        if verb == .insert, place != nil { throw ExpectedError(.duplicateKey, key: M.text(ofKey: key)) }
        if verb == .update, place == nil { throw ExpectedError(.notFound, key: M.text(ofKey: key)) }
        try checkUnique(model, exceptAt: place, key)
        if let place {
            rows[place] = model
        } else {
            let next = rows.firstIndex { $0.keyOrNil.map { M.order($0, key) == .after } ?? false }
            rows.insert(model, at: next ?? rows.endIndex)
        }
    }

    private func checkUnique(_ model: M, exceptAt place: Int?, _ key: M.Key) throws(ExpectedError) {
        for collides in M.fields.compactMap(\.collides) {
            let others = rows.indices.filter { $0 != place }
            guard !others.contains(where: { collides(model, rows[$0]) }) else {
                throw ExpectedError(.constraint, key: M.text(ofKey: key))
            }
        }
    }

    /// Changes the records that meet a condition, and returns their number.
    mutating func patch(
        _ settings: [Setting<M>], where holds: (M) throws(ExpectedError) -> Bool
    ) throws(ExpectedError) -> Int {
        if settings.contains(where: \.isOfKey) { throw ExpectedError(.invalidQuery) }
        var table = self
        var chosen: [Int] = []
        for index in rows.indices where try holds(rows[index]) { chosen.append(index) }
        var changed: [M] = []
        for index in chosen {
            var model = table.rows[index]
            // Of several assignments to a property the last counts, and no other is computed.
            for (place, setting) in settings.enumerated()
            where !settings.dropFirst(place + 1).contains(where: { $0.name == setting.name }) {
                try setting.apply(&model, rows[index])
            }
            changed.append(model)
        }
        for (index, model) in zip(chosen, changed) {
            if let key = model.keyOrNil { try table.checkUnique(model, exceptAt: index, key) }
            table.rows[index] = model
        }
        self = table
        return chosen.count
    }

    mutating func delete(keys: [M.Key]) -> Int {
        delete { model in
            model.keyOrNil.map { key in keys.contains { M.order($0, key) == .same } } ?? false
        }
    }

    mutating func delete<E: Error>(where holds: (M) throws(E) -> Bool) throws(E) -> Int {
        var left: [M] = []
        for row in rows where try !holds(row) { left.append(row) }
        defer { rows = left }
        return rows.count - left.count
    }

    mutating func truncate() { self = ModelTable() }

    // MARK: Reading

    func find(_ key: M.Key) -> M? { index(of: key).map { rows[$0] } }

    private func index(of key: M.Key) -> Int? {
        rows.firstIndex { $0.keyOrNil.map { M.order($0, key) == .same } ?? false }
    }
}

extension GeneratedModel {
    /// A key as errors name it.
    static func text(ofKey key: Key) -> String { values(of: key).map(\.description).joined(separator: ", ") }
}

extension World {
    /// The models that programs store by themselves.
    static let models: [any GeneratedModel.Type] = [
        Generated.Gadget.self, Generated.Crate.self, Generated.Item.self, Generated.Tree.self,
    ]
}
