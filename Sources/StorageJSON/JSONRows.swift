import StorageAPI
import StorageDriver

/// Reads records with everything that they own from their bytes straight into the cells of rows, which costs a third of building
/// them from parsed values.
///
/// A fast path for `RecordBuilder`: it gives up on everything unusual, and so on every problem, which `RecordBuilder`
/// alone reports. Used by one thread at a time.
///
/// Not generic: metadata of generic types is looked up for each use, which costs as much as reading a record.
final class JSONRows {
    /// A reason to leave the record to the builder.
    private enum FastPathUnavailable: Error { case found }

    /// The progress in one record or owned record: the properties found, and the objects that have some of them.
    private struct Found {
        var properties: UInt64 = 0
        var objects: UInt64 = 0
    }

    private let builder: RecordBuilder
    private let tables: [JSONTable]
    private let graph: GraphWriter

    /// - Returns: nil for a model with paths of which one leads through another, or with more than 60 properties.
    init?(_ builder: RecordBuilder, _ rows: RecordRows) {
        self.builder = builder
        graph = rows.graph
        guard let tables = JSONTable.all(builder, graph.model) else { return nil }
        self.tables = tables
    }

    /// Adds the record that the bytes begin with.
    ///
    /// - Returns: the number of its bytes; nil if the builder has to read it, or if it does not end in these bytes.
    func add(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var row = graph.beginRoot(number: graph.buffers[0].count)
        do {
            var scanner = JSONScanner(bytes)
            try read(tables[0], &scanner, row: &row)
            guard !graph.hasFailed else { throw FastPathUnavailable.found }
            return scanner.position
        } catch {
            graph.removeLast()
            return nil
        }
    }

    // MARK: Objects

    private func read(_ table: JSONTable, _ scanner: inout JSONScanner, row: inout RowWriter) throws {
        var found = Found()
        try read(object: 0, of: table, &scanner, row: &row, found: &found)
        guard found.properties != table.all else { return }
        for index in table.leaves.indices where found.properties & (1 << UInt64(index)) == 0 {
            try writeMissing(index, of: table, &row)
        }
    }

    private func read(
        object: Int, of table: JSONTable, _ scanner: inout JSONScanner, row: inout RowWriter, found: inout Found
    ) throws {
        var (expected, isFirst) = (0, true)
        var others: [Range<Int>] = []
        try scanner.enter(UInt8(ascii: "{"))
        while try scanner.hasNext(UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            let name = try scanner.name()
            guard !name.hasEscapes else { throw FastPathUnavailable.found }
            guard let place = table.place(of: scanner.bytes(name.range), in: object, near: expected) else {
                try pass(name.range, &others, scanner: &scanner)
                continue
            }
            expected = place + 1
            switch table.objects[object][place].target {
            case .property(let index):
                guard found.properties & (1 << UInt64(index)) == 0 else { throw FastPathUnavailable.found }
                found.properties |= 1 << UInt64(index)
                try read(index, of: table, &scanner, row: &row)
            case .object(let inner):
                guard scanner.peek() == UInt8(ascii: "{"), found.objects & (1 << UInt64(inner)) == 0 else {
                    throw FastPathUnavailable.found
                }
                found.objects |= 1 << UInt64(inner)
                try read(object: inner, of: table, &scanner, row: &row, found: &found)
            }
        }
    }

    /// Passes over a member that no property names, unless its name has come before.
    private func pass(_ name: Range<Int>, _ others: inout [Range<Int>], scanner: inout JSONScanner) throws {
        let bytes = scanner.bytes(name)
        guard String.isUTF8(bytes), others.count < 16,
            !others.contains(where: { scanner.bytes($0).elementsEqual(bytes) })
        else { throw FastPathUnavailable.found }
        others.append(name)
        // What is inside of it is looked at by the builder's parser, which refuses names that come twice.
        switch scanner.peek() {
        case UInt8(ascii: "{")?, UInt8(ascii: "[")?: _ = try parsed(&scanner)
        case UInt8(ascii: "\"")?:
            let text = try scanner.string()
            guard !text.hasEscapes, String.isUTF8(scanner.bytes(text.range)) else { throw FastPathUnavailable.found }
        default: try scanner.passValue()
        }
    }

    /// The next value, as the builder parses it.
    private func parsed(_ scanner: inout JSONScanner) throws -> JSONValue {
        _ = scanner.peek()
        let start = scanner.position
        try scanner.passValue()
        return try JSONParser.parse(scanner.bytes(from: start))
    }

    // MARK: Properties

    private func read(
        _ index: Int, of table: JSONTable, _ scanner: inout JSONScanner, row: inout RowWriter
    ) throws {
        let leaf = table.leaves[index]
        if leaf.isOwned { return try readOwned(leaf, &scanner, row: &row) }
        row.move(to: leaf.cell)
        let next = scanner.peek()
        let start = scanner.position
        switch (leaf.kind, next) {
        case (.text, UInt8(ascii: "\"")?):
            let text = try scanner.string()
            let bytes = scanner.bytes(text.range)
            if !text.hasEscapes, text.isASCII || String.isUTF8(bytes) { return row.put(bytes, as: .text) }
        case (.integer, UInt8(ascii: "-")?), (.integer, (UInt8(ascii: "0")...UInt8(ascii: "9"))?):
            if case (let number, 0)? = NumberBytes.decimal(try scanner.number()), leaf.range.contains(number) {
                return row.put(.int(number))
            }
        case (.double, UInt8(ascii: "-")?), (.double, (UInt8(ascii: "0")...UInt8(ascii: "9"))?):
            if let number = NumberBytes.double(try scanner.number()) { return row.put(.double(number)) }
        case (.bool, _):
            if scanner.takeExactly("true") { return row.put(.int(1)) }
            if scanner.takeExactly("false") { return row.put(.int(0)) }
        default: break
        }
        scanner.position = start
        try write(try parsed(&scanner), index, of: table, row: &row)
    }

    /// Writes a value or a reference as the builder reads it.
    ///
    /// - Parameter json: nil if none exists.
    private func write(_ json: JSONValue?, _ index: Int, of table: JSONTable, row: inout RowWriter) throws {
        let (leaf, property) = (table.leaves[index], table.properties[index])
        switch property.content {
        case .column where table.isElement:
            try write(builder.key(json, table.parts, property: property), table.parts, leaf: leaf, row: &row)
        case .column(let type):
            try write(builder.column(json, type, property: property), type, at: leaf.cell, row: &row)
        case .reference(let parts):
            try write(builder.key(json, parts, property: property), parts, leaf: leaf, row: &row)
        case .child, .children: throw FastPathUnavailable.found
        }
    }

    private func write(
        _ key: [Value], _ parts: [RecordBuilder.Part], leaf: JSONTable.Leaf, row: inout RowWriter
    ) throws {
        for (part, value) in key.enumerated() { try write(value, parts[part].type, at: leaf.cell + part, row: &row) }
    }

    private func write(_ value: Value, _ type: ColumnType, at cell: Int, row: inout RowWriter) throws {
        guard let stored = value.stored(as: type) else { throw FastPathUnavailable.found }
        row.move(to: cell)
        row.write(stored)
    }

    // MARK: What is owned

    private func readOwned(_ leaf: JSONTable.Leaf, _ scanner: inout JSONScanner, row: inout RowWriter) throws {
        if scanner.peek() == UInt8(ascii: "n"), scanner.takeExactly("null") {
            guard leaf.isOptional else { throw FastPathUnavailable.found }
            return writeNone(leaf, &row)
        }
        if let presence = leaf.presence {
            row.move(to: presence)
            row.put(.int(1))
        }
        row.move(to: 0)
        row.relation = leaf.relation
        guard let place = graph.beginChildren(of: row) else { throw FastPathUnavailable.found }
        if leaf.kind == .children {
            try scanner.enter(UInt8(ascii: "["))
            var position = 0
            while try scanner.hasNext(UInt8(ascii: "]"), isFirst: position == 0) {
                try readChild(tables[leaf.table], place, position: position, scanner: &scanner)
                position += 1
            }
        } else {
            try readChild(tables[leaf.table], place, position: 0, scanner: &scanner)
        }
        place.end(&row)
    }

    private func readChild(
        _ table: JSONTable, _ place: borrowing ChildWriter, position: Int, scanner: inout JSONScanner
    ) throws {
        var row = place.beginChild(position)
        if table.isElement { try read(0, of: table, &scanner, row: &row) } else { try read(table, &scanner, row: &row) }
    }

    private func writeNone(_ leaf: JSONTable.Leaf, _ row: inout RowWriter) {
        guard let presence = leaf.presence else { return }
        row.move(to: presence)
        row.put(.int(0))
    }

    /// Writes a property that the JSON lacks.
    private func writeMissing(_ index: Int, of table: JSONTable, _ row: inout RowWriter) throws {
        let leaf = table.leaves[index]
        guard leaf.isOwned else { return try write(nil, index, of: table, row: &row) }
        let property = table.properties[index]
        if let write = property.writeDefault { return row.writeDefault(leaf.relation, at: leaf.presence, write) }
        guard leaf.isOptional || property.initial != nil else { throw FastPathUnavailable.found }
        writeNone(leaf, &row)
    }
}
