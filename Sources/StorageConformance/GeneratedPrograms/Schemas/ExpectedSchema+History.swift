// What a history has of the records that programs of several versions have written.
extension ExpectedSchema {
    /// Begins to record what a step does with records.
    mutating func beginStep() { atStart = rows }

    /// Records the end of a step, and returns the keys of the records that it has changed.
    mutating func endStep() -> [Int] {
        let keys = Set(atStart.keys).union(rows.keys).filter { atStart[$0].map(stored) != rows[$0].map(stored) }
            .sorted()
        if !keys.isEmpty { lastChange = (past.count, keys) }
        past.append(rows)
        return keys
    }

    /// A row by what is stored of it: what it owns and does not own alike are nothing, and no more is what once told nil from
    /// empty of an array that is never nil by now.
    private func stored(_ row: Row) -> Row {
        var row = row
        let (presence, owned) = (places[row.place].presence, owned(of: row.place))
        row.presence = row.presence.filter { presence[$0.key] != true || owned[$0.key]?.isRemoved != false }
        row.values = row.values.filter { $0.value != .null }
        row.owned = row.owned.filter { !$0.value.isEmpty }.mapValues { $0.map(stored) }
        return row
    }

    /// Records as they were after a step: their values in a version, nil, or that the model has no place for them.
    func asOf(_ step: Int, _ keys: ClosedRange<Int>, in version: VersionSet) -> String {
        keys.map { key in
            guard past.indices.contains(step), let row = past[step][key] else { return "nil" }
            return fits(row, .root, in: version)
                ? values(of: row, .root, version).map(\.shown).joined(separator: " ") : "unfit"
        }.joined(separator: "\n")
    }

    /// Undoes the last step that changed records.
    mutating func undo(_ version: VersionSet) throws(Refusal) {
        guard let lastChange else { throw .notFound }
        let before = lastChange.step > 0 ? past[lastChange.step - 1] : [:]
        for key in lastChange.keys {
            guard let row = before[key] else { continue }
            if !fits(row, .root, in: version) || !hasAllRequired(row, isDeclared: true) { throw .schemaMismatch }
        }
        var next = self
        for key in lastChange.keys { next.rows[key] = before[key] }
        if next.hasEqualUniqueValues { throw .constraint }
        self = next
    }

    /// Returns whether the model has a place for everything in a row, and a value for everything that it requires.
    private func fits(_ row: Row, _ part: VersionSet.Part, in version: VersionSet) -> Bool {
        isKept(row) && isWhole(row, part, in: version)
    }

    /// Returns whether nothing of it is gone: a property without values whose name another one got.
    private func isKept(_ row: Row) -> Bool {
        let columns = Set(places[row.place].columns.map(\.id))
        let owned = Set(owned(of: row.place).values.map(\.place))
        return row.values.allSatisfy { columns.contains($0.key) || $0.value == .null }
            && row.owned.allSatisfy { ($0.value.isEmpty || owned.contains($0.key)) && $0.value.allSatisfy(isKept) }
    }

    /// Returns whether rows that no program declares any more have all that their property required when it was declared last.
    /// They are restored with the others, and stored as it was.
    private func hasAllRequired(_ row: Row, isDeclared: Bool) -> Bool {
        let required = isDeclared ? [] : places[row.place].columns.filter { !$0.isRemoved && !$0.isOptional }
        return required.allSatisfy { row.values[$0.id] ?? .null != .null }
            && owned(of: row.place).values.allSatisfy { owned in
                (row.owned[owned.place] ?? []).allSatisfy {
                    hasAllRequired($0, isDeclared: isDeclared && !owned.isRemoved)
                }
            }
    }

    private func isWhole(_ row: Row, _ part: VersionSet.Part, in version: VersionSet) -> Bool {
        version[part].allSatisfy { field in
            guard let child = field.kind.part else {
                let column = places[row.place].columns.first { $0.name == field.name && !$0.isRemoved }
                guard !field.isOptional, let column else { return true }
                // Properties added after it have the current default.
                guard let value = row.values[column.id] else { return field.defaultValue != nil }
                return value != .null
            }
            guard let owned = owned(of: row.place)[field.name] else { return true }
            let children = row.owned[owned.place] ?? []
            let isThere =
                field.isOptional || (field.kind.isMany ? row.presence[field.name] != false : !children.isEmpty)
            return isThere && children.allSatisfy { isWhole($0, child, in: version) }
        }
    }
}
