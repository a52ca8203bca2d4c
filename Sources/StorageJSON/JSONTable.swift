import StorageAPI
import StorageDriver

/// Turns the members of an object into the cells of one table's rows.
final class JSONTable {
    struct Member {
        let name: [UInt8]
        let target: Target

        func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
            guard other.count == name.count else { return false }
            return name.withUnsafeBytes { name in
                for index in name.indices where name[index] != other[index] { return false }
                return true
            }
        }
    }

    enum Target {
        /// A property, by its index.
        case property(Int)
        /// An object with members that are properties, by its index.
        case object(Int)
    }

    /// The fast path for a property's usual values. Everything else is left to the rules of all values. Nothing of it
    /// is counted by reference, so that it costs nothing to take one.
    struct Leaf {
        enum Kind { case text, integer, double, bool, other, child, children }

        var kind: Kind
        var range: ClosedRange<Int64> = 0...0
        let isOptional: Bool
        /// The first of its cells.
        let cell: Int
        /// The column that records the presence of an array of owned records.
        var presence: Int?
        /// The owned property, and the table of its rows.
        var relation = 0
        var table = 0

        var isOwned: Bool { kind == .child || kind == .children }
    }

    let properties: [RecordBuilder.Property]
    private(set) var leaves: [Leaf] = []
    /// The object itself first, then those inside of it that have properties.
    private(set) var objects: [[Member]] = [[]]
    /// True if a row is an element of an array of references, whose parts are these.
    let isElement: Bool
    private(set) var parts: [RecordBuilder.Part] = []
    /// All properties, a bit each.
    let all: UInt64

    /// The tables of a model, in its order; nil for a model that cannot be read so.
    static func all(_ builder: RecordBuilder, _ model: ModelTables) -> [JSONTable]? {
        var shapes: [Int?] = model.tables.map { _ in nil }
        shapes[0] = 0
        var tables: [JSONTable] = []
        // Owners come before what they own.
        for binding in model.tables {
            guard let shape = shapes[binding.index], let table = JSONTable(builder.all[shape], binding) else {
                return nil
            }
            for (property, leaf) in zip(table.properties, table.leaves) {
                switch property.content {
                case .child(let shape), .children(let shape): shapes[leaf.table] = shape
                case .column, .reference: break
                }
            }
            tables.append(table)
        }
        return tables
    }

    private init?(_ shape: RecordBuilder.Shape, _ table: TableBinding) {
        properties = shape.properties
        isElement = shape.isElement
        guard properties.count <= 60, properties.count == table.members.count else { return nil }
        all = 1 << UInt64(properties.count) - 1
        var cell = table.prefixCount
        for (property, member) in zip(properties, table.members) {
            guard let leaf = Self.leaf(property, member, of: table, at: &cell) else { return nil }
            leaves.append(leaf)
            guard isElement, case .column(let type) = property.content else { continue }
            parts.append(RecordBuilder.Part(column: property.name, path: property.path, type: type))
        }
        if parts.count > 1 { leaves[0].kind = .other }
        for (index, property) in properties.enumerated() {
            guard Self.add(property.path[...], property: index, to: 0, objects: &objects) else { return nil }
        }
        guard objects.count <= 60 else { return nil }
    }

    /// - Parameter cell: the property's first cell; afterwards the next property's.
    private static func leaf(
        _ property: RecordBuilder.Property, _ member: TableBinding.Member, of table: TableBinding, at cell: inout Int
    ) -> Leaf? {
        let first = cell
        switch (property.content, member) {
        case (.column(let type), .column):
            cell += 1
            return Leaf(
                kind: property.convert == nil ? kind(of: type) : .other, range: type.range ?? 0...0,
                isOptional: property.isOptional, cell: first)
        case (.reference(let parts), .reference):
            cell += parts.count
            let type = parts.count == 1 ? parts[0].type : .embedded
            return Leaf(
                kind: kind(of: type), range: type.range ?? 0...0, isOptional: property.isOptional, cell: first)
        case (.child, .relation(let index)), (.children, .relation(let index)):
            let relation = table.relations[index]
            let hasPresence = relation.isMany && relation.isOptional
            if hasPresence { cell += 1 }
            return Leaf(
                kind: relation.isMany ? .children : .child, isOptional: relation.isOptional, cell: first,
                presence: hasPresence ? first : nil, relation: index, table: relation.target)
        case (.column, _), (.reference, _), (.child, _), (.children, _): return nil
        }
    }

    private static func kind(of type: ColumnType) -> Leaf.Kind {
        switch type {
        case .string: .text
        case .double: .double
        case .bool: .bool
        case .int64, .int32, .int16, .int8, .uint8, .uint16, .uint32: .integer
        default: .other
        }
    }

    /// Adds a property's path; false if it leads through another's.
    private static func add(
        _ path: ArraySlice<String>, property: Int, to object: Int, objects: inout [[Member]]
    ) -> Bool {
        guard let name = path.first.map({ Array($0.utf8) }) else { return false }
        let known = objects[object].first { $0.name == name }
        guard path.count > 1 else {
            objects[object].append(Member(name: name, target: .property(property)))
            return known == nil
        }
        switch known?.target {
        case .object(let inner)?: return add(path.dropFirst(), property: property, to: inner, objects: &objects)
        case .property?: return false
        case nil:
            objects.append([])
            let inner = objects.count - 1
            objects[object].append(Member(name: name, target: .object(inner)))
            return add(path.dropFirst(), property: property, to: inner, objects: &objects)
        }
    }

    /// Returns the index of the object's member with a name. Members usually come in the order of the properties.
    func place(of name: UnsafeRawBufferPointer, in object: Int, near expected: Int) -> Int? {
        objects[object].withUnsafeBufferPointer { members in
            if expected < members.count, members[expected].isNamed(name) { return expected }
            return members.firstIndex { $0.isNamed(name) }
        }
    }
}
