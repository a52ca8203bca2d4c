// What programs of several versions write and read.
extension ExpectedSchema {
    /// Records of a version, in the order of their keys.
    func all(_ version: VersionSet) -> [[FieldValue]] {
        rows.sorted { $0.key < $1.key }.map { values(of: $0.value, .root, version) }
    }

    func values(of row: Row, _ part: VersionSet.Part, _ version: VersionSet) -> [FieldValue] {
        [row.id] + version[part].map { field in value(of: field, row, version) }
    }

    private func value(of field: VersionSet.Field, _ row: Row, _ version: VersionSet) -> FieldValue {
        guard let part = field.kind.part else {
            let column = places[row.place].columns.first { $0.name == field.name && !$0.isRemoved }
            return column.flatMap { row.values[$0.id] } ?? field.defaultValue ?? .null
        }
        guard let owned = owned(of: row.place)[field.name] else { return .null }
        let children = row.owned[owned.place] ?? []
        guard field.kind.isMany else {
            return children.first.map { .record(values(of: $0, part, version)) } ?? .null
        }
        if field.isOptional, row.presence[field.name] != true { return .null }
        return .records(children.map { values(of: $0, part, version) })
    }

    // MARK: Writing

    mutating func insert(_ values: [FieldValue], _ version: VersionSet) throws(Refusal) {
        let row = made(of: values, 0, .root, in: version)
        guard rows[key(of: row)] == nil else { throw .duplicateKey }
        if isTaken(row) { throw .constraint }
        rows[key(of: row)] = row
    }

    mutating func update(_ values: [FieldValue], _ version: VersionSet) throws(Refusal) {
        guard case .int(let key)? = values.first, rows[key] != nil else { throw .notFound }
        try save(values, version)
    }

    mutating func save(_ values: [FieldValue], _ version: VersionSet) throws(Refusal) {
        var row = made(of: values, 0, .root, in: version)
        if isTaken(row) { throw .constraint }
        if let old = rows[key(of: row)] { try join(old, &row) }
        rows[key(of: row)] = row
    }

    private func key(of row: Row) -> Int { if case .int(let key) = row.id { key } else { 0 } }

    private func made(of values: [FieldValue], _ place: Int, _ part: VersionSet.Part, in version: VersionSet) -> Row {
        var row = Row(place: place, id: values.first ?? .null)
        for (field, value) in zip(version[part], values.dropFirst()) {
            guard let child = field.kind.part, let owned = owned(of: place)[field.name] else {
                let column = places[place].columns.first { $0.name == field.name && !$0.isRemoved }
                if let column { row.values[column.id] = value }
                continue
            }
            var children: [[FieldValue]] = []
            if case .record(let values) = value { children = [values] }
            if case .records(let records) = value { children = records }
            row.owned[owned.place] = children.map { made(of: $0, owned.place, child, in: version) }
            if field.kind.isMany, field.isOptional { row.presence[field.name] = value != .null }
        }
        for column in places[place].columns where row.values[column.id] == nil { row.values[column.id] = .null }
        return row
    }

    // MARK: Clause S7

    /// Keeps values that the version does not declare in a row that is still the same.
    private func join(_ old: Row, _ new: inout Row) throws(Refusal) {
        for column in places[new.place].columns where column.isRemoved { new.values[column.id] = old.values[column.id] }
        for (name, owned) in owned(of: new.place) {
            if owned.isRemoved {
                new.owned[owned.place] = old.owned[owned.place]
                continue
            }
            var children = new.owned[owned.place] ?? []
            for (before, after) in try pairs(old.owned[owned.place] ?? [], children) {
                try join(before, &children[after])
            }
            new.owned[owned.place] = children
            _ = name
        }
        for name in unknownPresence(new.place) { new.presence[name] = old.presence[name] }
    }

    private func unknownPresence(_ place: Int) -> [String] {
        places[place].presence.keys.filter { owned(of: place)[$0].map(\.isRemoved) ?? true }
    }

    /// Rows that are the same by their own key, where both arrays have it once, or by their place in arrays of one length.
    private func pairs(_ old: [Row], _ new: [Row]) throws(Refusal) -> [(Row, Int)] {
        func count(_ id: FieldValue, _ rows: [Row]) -> Int { rows.count { $0.id == id } }
        var (pairs, left) = ([(Row, Int)](), Set(new.indices))
        var open: [Int] = []
        for (index, row) in old.enumerated() {
            if count(row.id, old) == 1, count(row.id, new) == 0 { continue }
            guard count(row.id, old) == 1, count(row.id, new) == 1,
                let place = new.firstIndex(where: { $0.id == row.id })
            else {
                open.append(index)
                continue
            }
            pairs.append((row, place))
            left.remove(place)
        }
        if old.count == new.count {
            let both = open.filter(left.contains)
            pairs += both.map { (old[$0], $0) }
            open.removeAll(where: both.contains)
            left.subtract(both)
        }
        if !left.isEmpty, open.contains(where: { holdsUnknown(old[$0]) }) { throw .schemaNewer }
        return pairs
    }

    private func holdsUnknown(_ row: Row) -> Bool {
        let place = places[row.place]
        if place.columns.contains(where: { $0.isRemoved && row.values[$0.id] ?? .null != .null }) { return true }
        if unknownPresence(row.place).contains(where: { row.presence[$0] != nil }) { return true }
        return owned(of: row.place).values.contains { owned in
            let children = row.owned[owned.place] ?? []
            return owned.isRemoved ? !children.isEmpty : children.contains(where: holdsUnknown)
        }
    }
}
