/// The contents that the rules require of a store after programs of several versions: the record of the schema, and the
/// rows.
///
/// Written from clauses S2, S3 and S7 to S9 over plain values; it shares nothing with the library's planning.
struct ExpectedSchema {
    /// The error that the rules ask for.
    enum Refusal: String, Error { case schemaMismatch, schemaNewer, duplicateKey, notFound, configuration, constraint }

    /// Rows of one property: of the root itself, or of what rows of another place own.
    struct Place {
        var columns: [Column] = []
        /// By name. Rows of a type that owns itself share what the row owns at which that begins.
        var owned: [String: Owned] = [:]
        /// The optional arrays that are distinguished from nil, and whether that is currently of no use.
        var presence: [String: Bool] = [:]
        var entry: Int?
    }

    struct Column {
        var id: Int
        var name: String
        var kind: VersionSet.Kind
        var isOptional: Bool
        var isRemoved = false
        /// Those of all versions so far: a version takes none away (clause S14).
        var marks: Set<FieldMark> = []
        /// True if a version has declared it as a reference.
        var isReference = false
        /// The former names that other properties have had since.
        var settled: Set<String> = []

        /// Adds what a version declares.
        mutating func mark(_ field: VersionSet.Field) {
            marks.formUnion(field.marks)
            if field.kind == .reference { isReference = true }
        }
    }

    struct Owned {
        var place: Int
        var isMany: Bool
        var isNode: Bool
        var isRequired: Bool
        var isRemoved = false
        var settled: Set<String> = []
    }

    struct Row: Equatable {
        var place: Int
        var id: FieldValue
        /// By column.
        var values: [Int: FieldValue] = [:]
        /// By place.
        var owned: [Int: [Row]] = [:]
        var presence: [String: Bool] = [:]
    }

    var places = [Place()]
    var rows: [Int: Row] = [:]
    /// The rows at the beginning of the step.
    var atStart: [Int: Row] = [:]
    /// All rows after each step so far. What the schema does with rows it does with these too.
    var past: [[Int: Row]] = []
    /// The last step that changed records, and the keys of these.
    var lastChange: (step: Int, keys: [Int])?
    private var lastColumn = 0

    func owned(of place: Int) -> [String: Owned] { places[places[place].entry ?? place].owned }

    // MARK: Rows

    /// Calls the body with each row of a place: those that are stored, and then those that were.
    mutating func change(_ place: Int, _ body: (inout Row) -> Void) {
        func walk(_ row: inout Row) {
            if row.place == place { body(&row) }
            for key in row.owned.keys.sorted() {
                var owned = row.owned[key] ?? []
                for index in owned.indices { walk(&owned[index]) }
                row.owned[key] = owned
            }
        }
        func walk(_ rows: inout [Int: Row]) {
            for key in rows.keys.sorted() {
                guard var row = rows[key] else { continue }
                walk(&row)
                rows[key] = row
            }
        }
        walk(&rows)
        for step in past.indices { walk(&past[step]) }
    }

    func list(_ place: Int) -> [Row] { Self.list(place, in: rows) }

    /// The rows of a place as ``change(_:_:)`` goes through them.
    private func listAll(_ place: Int) -> [Row] { list(place) + past.flatMap { Self.list(place, in: $0) } }

    private static func list(_ place: Int, in rows: [Int: Row]) -> [Row] {
        func walk(_ row: Row) -> [Row] {
            (row.place == place ? [row] : [])
                + row.owned.sorted { $0.key < $1.key }.flatMap { $0.value.flatMap(walk) }
        }
        return rows.sorted { $0.key < $1.key }.flatMap { walk($0.value) }
    }

    // MARK: Opening

    /// Opens the store with a version: nothing is changed where it is refused.
    mutating func open(_ version: VersionSet) throws(Refusal) {
        var next = self
        try next.open(0, as: .root, version)
        next.keepOneExpiry(version)
        if next.hasEqualUniqueValues { throw .schemaMismatch }
        self = next
    }

    private mutating func open(_ place: Int, as part: VersionSet.Part, _ version: VersionSet) throws(Refusal) {
        let old = places[place].columns
        let sources = try ownedSources(version[part].filter { $0.kind.part != nil }, place, columns: old)
        let recorded = places[place].owned
        for field in version[part] where field.kind.part != nil {
            try openOwned(field, source: sources[field.name], recorded: recorded, place: place, part, in: version)
        }
        let declared = Set(version[part].map(\.name))
        renamePresence(place, declared, sources: sources)
        for name in places[place].owned.keys where !declared.contains(name) { remove(name, of: place) }
        for field in version[part] {
            places[place].owned[field.name]?.settled.formUnion(Self.settled(field, version[part]))
        }
        try openRows(place, version[part], owned: recorded, sources: sources)
        for field in version[part] {
            guard let child = field.kind.part, let owned = places[place].owned[field.name] else { continue }
            if owned.isNode {
                // A new place has nothing recorded.
                let isNew = sources[field.name] == nil
                try openRows(owned.place, version[part], owned: isNew ? [:] : recorded, sources: isNew ? [:] : sources)
            } else {
                try open(owned.place, as: child, version)
            }
        }
    }

    private mutating func openRows(
        _ place: Int, _ fields: [VersionSet.Field], owned: [String: Owned], sources: [String: String]
    ) throws(Refusal) {
        try openColumns(place, fields, old: places[place].columns, owned: owned)
        try openPresence(place, fields, owned: owned, sources: sources)
    }

    // MARK: Values

    private mutating func openColumns(
        _ place: Int, _ fields: [VersionSet.Field], old: [Column], owned: [String: Owned]
    ) throws(Refusal) {
        var kept: Set<Int> = []
        let values = fields.filter { $0.kind.part == nil }
        let sources = try columnSources(values, place, old: old, owned: owned)
        for field in values {
            if var column = sources[field.name] {
                column.settled.formUnion(Self.settled(field, fields))
                try convert(&column, to: field, place)
                kept.insert(column.id)
            } else {
                if !field.isOptional, field.defaultValue == nil, !list(place).isEmpty { throw .schemaMismatch }
                lastColumn += 1
                let kind = field.kind == .reference ? .int : field.kind
                var column = Column(id: lastColumn, name: field.name, kind: kind, isOptional: field.isOptional)
                column.mark(field)
                column.settled = Self.settled(field, fields)
                places[place].columns.append(column)
                kept.insert(column.id)
                let value = field.isOptional ? FieldValue.null : field.defaultValue
                if let value { change(place) { $0.values[column.id] = value } }
            }
        }
        for index in places[place].columns.indices where !kept.contains(places[place].columns[index].id) {
            places[place].columns[index].isRemoved = true
        }
    }

    /// The columns that values have had, by the names of these.
    private mutating func columnSources(
        _ fields: [VersionSet.Field], _ place: Int, old: [Column], owned: [String: Owned]
    ) throws(Refusal) -> [String: Column] {
        let columns = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let found = try Self.sources(of: fields, columns.mapValues { ($0.isRemoved, $0.settled) }) { name in
            columns[name].map { holdsData($0, place) } ?? false
        }
        for field in fields where columns[field.name] == nil {
            let isNew = found.sources[field.name] == nil
            if isNew, field.renamedFrom.contains(where: { owned[$0]?.isRemoved == false }) { throw .schemaMismatch }
            if owned[field.name] != nil { throw .schemaMismatch }
        }
        places[place].columns.removeAll { found.replaced.contains($0.name) }
        return found.sources.compactMapValues { columns[$0] }
    }

    /// Clause S9: what of all that is recorded each field was, and what has no data and a name that another one gets.
    private static func sources(
        of fields: [VersionSet.Field], _ recorded: [String: (isRemoved: Bool, settled: Set<String>)],
        holdsData: (String) -> Bool
    ) throws(Refusal) -> (sources: [String: String], replaced: Set<String>) {
        let formers = fields.map { field in
            let settled = ([field.name] + field.renamedFrom).compactMap { recorded[$0]?.settled }.joined()
            return field.renamedFrom.filter { recorded[$0]?.isRemoved == false && !settled.contains($0) }
        }
        let passedOn = Set(formers.joined())
        var sources: [String: String] = [:]
        for (field, formers) in zip(fields, formers) {
            let own = recorded[field.name] != nil && !passedOn.contains(field.name) ? [field.name] : []
            let withData = (own + formers).filter(holdsData)
            if withData.count > 1 { throw .schemaMismatch }
            sources[field.name] = withData.first ?? formers.last ?? own.first
        }
        var replaced: Set<String> = []
        for field in fields where recorded[field.name] != nil && !sources.values.contains(field.name) {
            if sources[field.name] == nil { sources[field.name] = field.name } else { replaced.insert(field.name) }
        }
        return (sources, replaced)
    }

    /// The former names of a field that others of its version have.
    private static func settled(_ field: VersionSet.Field, _ fields: [VersionSet.Field]) -> Set<String> {
        Set(field.renamedFrom).intersection(fields.map(\.name)).subtracting([field.name])
    }

    private func holdsData(_ column: Column, _ place: Int) -> Bool {
        list(place).contains { $0.values[column.id] ?? .null != .null }
    }

    private mutating func convert(_ column: inout Column, to field: VersionSet.Field, _ place: Int) throws(Refusal) {
        let kind = field.kind == .reference ? .int : field.kind
        let isWidened = column.kind == .int && kind == .double && !column.isReference
        guard column.kind == kind || isWidened else { throw .schemaMismatch }
        let stored = column
        if !field.isOptional {
            // Rows that were written while it was gone have the default.
            if stored.isRemoved, let value = field.defaultValue {
                change(place) { if $0.values[stored.id] == .null { $0.values[stored.id] = value } }
            }
            if list(place).contains(where: { $0.values[stored.id] ?? .null == .null }) { throw .schemaMismatch }
        }
        if isWidened {
            change(place) { row in
                if case .int(let number)? = row.values[stored.id] { row.values[stored.id] = .double(Double(number)) }
            }
        }
        (column.name, column.kind, column.isOptional, column.isRemoved) = (field.name, kind, field.isOptional, false)
        column.mark(field)
        for index in places[place].columns.indices where places[place].columns[index].id == column.id {
            places[place].columns[index] = column
        }
    }

    // MARK: Owned records

    /// Finds or makes the place of an owned property.
    private mutating func openOwned(
        _ field: VersionSet.Field, source: String?, recorded: [String: Owned], place: Int,
        _ part: VersionSet.Part, in version: VersionSet
    ) throws(Refusal) {
        let isNode = version.isRecursive(part) && field.kind.part == part
        let isRequired = !field.kind.isMany && !field.isOptional && !isNode
        guard let source, var owned = recorded[source] else {
            if isRequired, !list(place).isEmpty { throw .schemaMismatch }
            places.append(Place(entry: isNode ? place : nil))
            places[place].owned[field.name] = Owned(
                place: places.count - 1, isMany: field.kind.isMany, isNode: isNode, isRequired: isRequired)
            return
        }
        guard owned.isMany == field.kind.isMany, owned.isNode == isNode else { throw .schemaMismatch }
        if isRequired, !owned.isRequired, list(place).count > list(owned.place).count { throw .schemaMismatch }
        (owned.isRemoved, owned.isRequired) = (false, isRequired)
        if places[place].owned[source]?.place == owned.place { places[place].owned[source] = nil }
        places[place].owned[field.name] = owned
    }

    /// The columns that tell nil from an empty array.
    private mutating func openPresence(
        _ place: Int, _ fields: [VersionSet.Field], owned: [String: Owned], sources: [String: String]
    ) throws(Refusal) {
        let old = places[place].presence
        var (new, used) = ([String: Bool](), Set<String>())
        let stored = list(place).map(\.presence)
        let before = listAll(place).map(\.presence)
        var values = before
        for field in fields where field.kind.part != nil {
            let source = sources[field.name]
            // What is recorded under the name of a new one may be another's now.
            let isNew = source == nil && sources.values.contains(field.name)
            let name = source ?? field.name
            // That of an array which had no rows, and whose name another one has now.
            if name != field.name { used.insert(field.name) }
            if field.kind.isMany, field.isOptional {
                let isThere = source.flatMap { owned[$0] }.map { !$0.isRemoved }
                for index in values.indices {
                    let missing = old[name] == nil ? source != nil : isThere ?? false
                    values[index][field.name] = isNew ? false : before[index][name] ?? missing
                }
                new[field.name] = false
                if !isNew { used.insert(name) }
            } else if let isRemoved = old[name], let source {
                if !isRemoved || owned[source]?.isRemoved == true, stored.contains(where: { $0[name] == false }) {
                    throw .schemaMismatch
                }
                for index in values.indices { values[index][field.name] = before[index][name] }
                new[field.name] = true
                used.insert(name)
            }
        }
        for (name, isRemoved) in old where !used.contains(name) {
            if isRemoved, owned[name]?.isRemoved == false {
                for index in values.indices { values[index][name] = before[index][name] ?? true }
            }
            new[name] = true
        }
        places[place].presence = new
        var index = 0
        change(place) { row in
            row.presence = values[index].filter { new[$0.key] != nil }
            index += 1
        }
    }

    /// The recorded name of each owned property; a new property has no recorded name.
    private mutating func ownedSources(
        _ fields: [VersionSet.Field], _ place: Int, columns: [Column]
    ) throws(Refusal) -> [String: String] {
        let recorded = places[place].owned
        let found = try Self.sources(of: fields, recorded.mapValues { ($0.isRemoved, $0.settled) }) { name in
            recorded[name].map { !list($0.place).isEmpty } ?? false
        }
        for field in fields where recorded[field.name] == nil {
            let isNew = found.sources[field.name] == nil
            let isValue = { (name: String) in columns.contains { $0.name == name && !$0.isRemoved } }
            if isNew, field.renamedFrom.contains(where: isValue) { throw .schemaMismatch }
            if columns.contains(where: { $0.name == field.name }) { throw .schemaMismatch }
        }
        for name in found.replaced { places[place].owned[name] = nil }
        return found.sources
    }

    private mutating func remove(_ name: String, of place: Int) {
        guard var owned = places[place].owned[name] else { return }
        if !owned.isRemoved { keepPresence(owned.place) }
        (owned.isRemoved, owned.isRequired) = (true, false)
        places[place].owned[name] = owned
        if places[owned.place].entry == nil {
            let below = places[owned.place].owned
            // Before any is marked: the columns of a type that owns itself share their owned records.
            for child in below.values where !child.isRemoved { keepPresence(child.place) }
            for name in below.keys { remove(name, of: owned.place) }
        }
    }

    /// An array that is not Optional, and goes with the records that own it, was never nil in them.
    private mutating func keepPresence(_ place: Int) {
        let unwritten = places[place].presence.filter { $0.value && owned(of: place)[$0.key]?.isRemoved == false }.keys
        change(place) { row in
            for name in unwritten where row.presence[name] == nil { row.presence[name] = true }
        }
    }

    /// In records that are not declared, of a type that owns itself, what tells nil from an empty array follows its name.
    private mutating func renamePresence(_ place: Int, _ declared: Set<String>, sources: [String: String]) {
        let renamed = sources.filter { $0.key != $0.value }
        guard !renamed.isEmpty else { return }
        func follow(_ old: [String: Bool]) -> [String: Bool] {
            var new = old.filter { name, _ in renamed[name] == nil && !renamed.values.contains(name) }
            for (name, former) in renamed { new[name] = old[former] }
            return new
        }
        for (name, owned) in places[place].owned where owned.isNode && !declared.contains(name) {
            places[owned.place].presence = follow(places[owned.place].presence)
            change(owned.place) { $0.presence = follow($0.presence) }
        }
    }
}
