import StorageDriver

/// Reads records without owned ones and references from their bytes straight into the cells of a row, which costs a
/// third of building them from parsed values.
///
/// It reads what ``RecordBuilder`` reads alike, and gives up on everything unusual: on every problem, so that there is one
/// place that names problems. Used by one thread at a time.
///
/// Not generic: metadata of generic types is looked up for each use, which costs as much as reading a record.
final class PlainRecords {
    private struct Member {
        let name: [UInt8]
        let target: Target
    }

    private enum Target {
        /// A property, by its index.
        case property(Int)
        /// An object with members that are properties, by its index.
        case object(Int)
    }

    /// How a property's usual values are read; everything else is left to the rules of all values.
    private struct Leaf {
        enum Kind { case text, integer, double, bool, other }

        let kind: Kind
        let range: ClosedRange<Int64>

        init(_ property: RecordBuilder.Property, _ type: ColumnType) {
            range = type.range ?? 0...0
            switch type {
            case _ where property.convert != nil: kind = .other
            case .string: kind = .text
            case .double: kind = .double
            case .bool: kind = .bool
            case .int64, .int32, .int16, .int8, .uint8, .uint16, .uint32: kind = .integer
            default: kind = .other
            }
        }
    }

    /// A reason to leave the record to the builder.
    private enum Unusual: Error { case found }

    private let properties: [RecordBuilder.Property]
    private let types: [ColumnType]
    private let leaves: [Leaf]
    private let objects: [[Member]]
    private let context: RowContext
    // Exclusivity is not checked at run time: no access to these lasts beyond one statement of this class.
    @exclusivity(unchecked) private var arena = Arena()
    /// Which properties, and which objects, have come so far in the record.
    @exclusivity(unchecked) private var found: UInt64 = 0
    @exclusivity(unchecked) private var entered: UInt64 = 0
    /// The cells of one row. They belong to this object, and their texts to the record's bytes or to the arena.
    private let cells: UnsafeMutablePointer<Cell>

    /// - Returns: nil for a model with owned records, references, or paths of which one leads through another.
    init?(_ builder: RecordBuilder, _ tables: ModelTables) {
        let shape = builder.all[0]
        guard !tables.hasChildren, !tables.hasReferences, shape.properties.count <= 60,
            shape.properties.count == tables.root.columns.count
        else { return nil }
        var types: [ColumnType] = []
        for property in shape.properties {
            guard case .column(let type) = property.content else { return nil }
            types.append(type)
        }
        var objects: [[Member]] = [[]]
        for (index, property) in shape.properties.enumerated() {
            guard Self.add(property.path[...], index, to: 0, &objects) else { return nil }
        }
        guard objects.count <= 60 else { return nil }
        self.objects = objects
        self.types = types
        leaves = zip(shape.properties, types).map(Leaf.init)
        properties = shape.properties
        context = RowContext(model: tables, table: tables.root)
        cells = .allocate(capacity: max(types.count, 1))
        cells.initialize(repeating: .null, count: max(types.count, 1))
    }

    deinit { cells.deallocate() }

    /// Adds a property's path; false if it leads through another's.
    private static func add(
        _ path: ArraySlice<String>, _ property: Int, to object: Int, _ objects: inout [[Member]]
    ) -> Bool {
        guard let name = path.first.map({ Array($0.utf8) }) else { return false }
        let known = objects[object].first { $0.name == name }
        guard path.count > 1 else {
            objects[object].append(Member(name: name, target: .property(property)))
            return known == nil
        }
        switch known?.target {
        case .object(let inner)?: return add(path.dropFirst(), property, to: inner, &objects)
        case .property?: return false
        case nil:
            objects.append([])
            let inner = objects.count - 1
            objects[object].append(Member(name: name, target: .object(inner)))
            return add(path.dropFirst(), property, to: inner, &objects)
        }
    }

    /// The model that the bytes are; nil if the builder has to look at them.
    func model<M: Storable>(_: M.Type, _ bytes: UnsafeRawBufferPointer) -> M? {
        guard readCells(bytes) else { return nil }
        do throws(StorageError) {
            var row = RowReader(cells, from: 0, to: types.count, context: .passUnretained(context))
            let model = try M(reading: &row)
            try row.finish()
            return model
        } catch {
            return nil
        }
    }

    private func readCells(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do {
            (found, entered) = (0, 0)
            arena.reset()
            var scanner = JSONScanner(bytes)
            try read(object: 0, &scanner)
            guard scanner.isAtEnd else { return false }
            for index in properties.indices where found & (1 << UInt64(index)) == 0 {
                guard let initial = properties[index].initial else { return false }
                cells[index] = arena.cell(for: try initial())
            }
            return true
        } catch {
            return false
        }
    }

    private func read(object: Int, _ scanner: inout JSONScanner) throws {
        var (expected, isFirst) = (0, true)
        var others: [Range<Int>] = []
        try scanner.enter(UInt8(ascii: "{"))
        while try scanner.hasNext(UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            let name = try scanner.name()
            guard !name.hasEscapes else { throw Unusual.found }
            guard let place = place(of: scanner.bytes(name.range), in: object, near: expected) else {
                try pass(name.range, &others, &scanner)
                continue
            }
            expected = place + 1
            switch objects[object][place].target {
            case .property(let index):
                guard found & (1 << UInt64(index)) == 0 else { throw Unusual.found }
                found |= 1 << UInt64(index)
                cells[index] = try cell(index, &scanner)
            case .object(let inner):
                guard scanner.peek() == UInt8(ascii: "{"), entered & (1 << UInt64(inner)) == 0 else {
                    throw Unusual.found
                }
                entered |= 1 << UInt64(inner)
                try read(object: inner, &scanner)
            }
        }
    }

    private func place(of name: UnsafeRawBufferPointer, in object: Int, near expected: Int) -> Int? {
        objects[object].withUnsafeBufferPointer { members in
            if expected < members.count, name.elementsEqual(members[expected].name) { return expected }
            return members.firstIndex { $0.name.count == name.count && name.elementsEqual($0.name) }
        }
    }

    /// Passes over a member that no property names, unless its name has come before.
    private func pass(_ name: Range<Int>, _ others: inout [Range<Int>], _ scanner: inout JSONScanner) throws {
        let bytes = scanner.bytes(name)
        guard Self.isText(bytes), others.count < 16,
            !others.contains(where: { scanner.bytes($0).elementsEqual(bytes) })
        else { throw Unusual.found }
        others.append(name)
        // What is inside of it is looked at by the builder's parser, which refuses names that come twice.
        switch scanner.peek() {
        case UInt8(ascii: "{")?, UInt8(ascii: "[")?:
            let start = scanner.position
            try scanner.passValue()
            _ = try JSONParser.parse(scanner.bytes(from: start))
        case UInt8(ascii: "\"")?:
            let text = try scanner.string()
            guard !text.hasEscapes, Self.isText(scanner.bytes(text.range)) else { throw Unusual.found }
        default: try scanner.passValue()
        }
    }

    private static func isText(_ bytes: UnsafeRawBufferPointer) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil
    }

    private func cell(_ index: Int, _ scanner: inout JSONScanner) throws -> Cell {
        let leaf = leaves[index]
        let next = scanner.peek()
        let start = scanner.position
        switch (leaf.kind, next) {
        case (.text, UInt8(ascii: "\"")?):
            let text = try scanner.string()
            let bytes = scanner.bytes(text.range)
            if !text.hasEscapes, let length = UInt32(exactly: bytes.count) {
                return Cell(bits: UInt64(UInt(bitPattern: bytes.baseAddress)), length: length, tag: .text)
            }
        case (.integer, UInt8(ascii: "-")?), (.integer, (UInt8(ascii: "0")...UInt8(ascii: "9"))?):
            if let number = Self.integer(try scanner.number()), leaf.range.contains(number) { return .int(number) }
        case (.double, UInt8(ascii: "-")?), (.double, (UInt8(ascii: "0")...UInt8(ascii: "9"))?):
            let digits = try scanner.number()
            if let number = Double(String(decoding: digits, as: UTF8.self)), number.isFinite { return .double(number) }
        case (.bool, _):
            if scanner.takeExactly("true") { return .int(1) }
            if scanner.takeExactly("false") { return .int(0) }
        default: break
        }
        scanner.position = start
        return try slowCell(index, &scanner)
    }

    /// The integer that digits are; nil for others, and for more than 18 characters.
    private static func integer(_ number: UnsafeRawBufferPointer) -> Int64? {
        let isNegative = number.first == UInt8(ascii: "-")
        guard number.count <= 18 else { return nil }
        var value: Int64 = 0
        for index in (isNegative ? 1 : 0)..<number.count {
            let digit = number[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value &* 10 &+ Int64(digit)
        }
        return isNegative ? -value : value
    }

    /// A value of any type, as the builder reads it.
    private func slowCell(_ index: Int, _ scanner: inout JSONScanner) throws -> Cell {
        let start = scanner.position
        try scanner.passValue()
        let json = try JSONParser.parse(scanner.bytes(from: start))
        let property = properties[index]
        if json == .null {
            guard property.isOptional else { throw Unusual.found }
            return .null
        }
        guard property.convert == nil else { throw Unusual.found }
        let value = try JSONScalar.value(json, types[index], property.rules)
        guard let stored = value.stored(as: types[index]) else { throw Unusual.found }
        return arena.cell(for: stored)
    }
}
