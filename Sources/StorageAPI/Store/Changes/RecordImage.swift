import StorageDriver

/// A record with everything that it owns, as bytes that describe its rows at one time.
///
/// After a version byte come the tables that have rows: the property's path, the columns' properties, and the rows' values
/// one after the other. The root's key is not repeated in its owned rows. Since columns are named, an image can be read
/// after the model has gained other columns, and ``FormerSchema`` has the later changes of each name. An array that has no
/// rows and is not Optional has an entry without columns, which distinguishes it from a property that was added later.
///
/// Version 1 omits such arrays, and properties that the program did not declare.
struct RecordImage: Equatable {
    let bytes: [UInt8]

    static let version: UInt8 = 2

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// A digest, by which the same process recognises an equal image.
    var digest: RowDigest.Result {
        var digest = RowDigest()
        digest.add(bytes)
        return digest.result
    }

    /// True if the image has everything that was stored, whichever program declared it.
    var isWhole: Bool { bytes.first.map { $0 >= 2 } ?? false }

    /// The bytes of a single key.
    static func bytes(of key: [Value]) -> [UInt8] {
        var writer = ImageWriter()
        for value in key { writer.put(value) }
        return writer.bytes
    }

    /// - Throws: `corrupt` for bytes that are no key.
    static func key(of bytes: [UInt8]) throws(StorageError) -> [Value] {
        var reader = ImageReader(bytes)
        var key: [Value] = []
        while !reader.isAtEnd { key.append(try reader.value()) }
        return key
    }

    /// The records with the keys, by their keys. Costs one query for each of the model's tables.
    ///
    /// - Parameter model: the model with everything that is recorded.
    static func read(
        _ keys: KeyList, _ model: ModelHandle, in session: any StorageSession
    ) throws(StorageError) -> [[Value]: RecordImage] {
        try read(keys, model) { table throws(StorageError) in
            try session.rows(model.plan(rowsOf: table.index, keys.scope), keys.scopeArguments)
        }
    }

    /// The records with the keys, by their keys.
    ///
    /// - Parameter rows: the rows of a table, in the order of the keys.
    @inline(__always)
    static func read(
        _ keys: KeyList, _ model: ModelHandle, rows: (TableBinding) throws(StorageError) -> Cursor
    ) throws(StorageError) -> [[Value]: RecordImage] {
        guard keys.count > 0 else { return [:] }
        var images: [[Value]: ImageWriter] = [:]
        for table in model.tables.tables {
            try add(table, of: model, from: rows(table), to: &images)
            // A record that is not stored owns no rows.
            if images.isEmpty { break }
        }
        let hasNumbers = model.tables.tables.contains { $0.form == .node }
        var found: [[Value]: RecordImage] = [:]
        for (key, image) in images {
            let image = RecordImage(bytes: image.bytes)
            found[key] = hasNumbers ? try image.renumbered() : image
        }
        return found
    }

    /// The image whose rows are numbered as ``ImageNumbers`` says.
    private func renumbered() throws(StorageError) -> RecordImage {
        var tables = try ImageTable.all(of: self)
        ImageNumbers.apply(to: &tables)
        var writer = ImageWriter(version: Self.version)
        for table in tables { writer.add(table) }
        return RecordImage(bytes: writer.bytes)
    }

    private static func add(
        _ table: TableBinding, of model: ModelHandle, from rows: consuming Cursor,
        to images: inout [[Value]: ImageWriter]
    ) throws(StorageError) {
        var cursor = rows
        let own = table.columns.indices.filter { table.schema.columns[table.columns[$0]].role != .owner }
        // Only the order of an array's elements is data; gaps between their numbers are not.
        let numbers = ElementNumbers(table)
        var key: [Value] = []
        var rows = ImageWriter()
        var count = 0
        // The root's table is read first, so all records are known here.
        var empty = isTold(table, model.tables) ? Set(images.keys) : []
        func end() {
            guard count > 0 else { return }
            images[key, default: ImageWriter(version: version)].add(table, cells: own, count: count, rows)
            empty.remove(key)
            rows = ImageWriter()
            count = 0
        }
        while try cursor.next() {
            let isSame =
                count > 0 && table.keyCells.indices.allSatisfy { cursor.cells[table.keyCells[$0]].value == key[$0] }
            if !isSame {
                end()
                key = table.keyCells.map { cursor.cells[$0].value }
            }
            let cells = numbers?.numbered(cursor.cells) ?? cursor.cells
            for cell in own { rows.put(cells[cell]) }
            count += 1
        }
        end()
        for key in empty { images[key]?.add(table, cells: [], count: 0, rows) }
    }

    /// Returns whether a record's image lists a table even if the record has no rows in it. Only an array's table shows
    /// that the array was not nil.
    private static func isTold(_ table: TableBinding, _ model: ModelTables) -> Bool {
        model.tables.contains { owner in
            owner.relations.contains { $0.target == table.index && $0.isMany && !$0.isOptional }
        }
    }
}

/// Writes the bytes of an image.
private struct ImageWriter {
    private(set) var bytes: [UInt8] = []

    init() {}
    init(version: UInt8) { bytes = [version] }

    mutating func add(_ table: TableBinding, cells: [Int], count: Int, _ rows: ImageWriter) {
        let path = table.schema.path.dropFirst()
        number(UInt64(path.count))
        for name in path { string(name) }
        number(UInt64(cells.count))
        for cell in cells {
            let column = table.schema.columns[table.columns[cell]]
            bytes.append(column.role.code)
            string(column.property)
        }
        number(UInt64(count))
        bytes += rows.bytes
    }

    mutating func add(_ table: ImageTable) {
        number(UInt64(table.path.count))
        for name in table.path.texts { string(name) }
        number(UInt64(table.columns.count))
        for column in table.columns {
            bytes.append(column.role)
            string(column.property.text)
        }
        number(UInt64(table.rows.count))
        for row in table.rows {
            for value in row { put(value) }
        }
    }

    mutating func put(_ value: Value) {
        switch value {
        case .null: put(Cell.null)
        case .int(let value): put(Cell.int(value))
        case .unsigned(let value): put(Cell.unsigned(value))
        case .double(let value): put(Cell.double(value))
        case .text(let text): self.text(text)
        case .blob(let bytes): blob(bytes)
        }
    }

    mutating func put(_ cell: Cell) {
        bytes.append(UInt8(truncatingIfNeeded: cell.tag.rawValue))
        switch cell.tag {
        case .int: number(UInt64(bitPattern: cell.int << 1 ^ cell.int >> 63))
        case .double, .unsigned: fixed(cell.bits)
        case .text, .blob:
            number(UInt64(cell.length))
            bytes.append(contentsOf: cell.bytes)
        default: break
        }
    }

    private mutating func text(_ text: String) {
        bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.text.rawValue))
        string(text)
    }

    private mutating func blob(_ blob: [UInt8]) {
        bytes.append(UInt8(truncatingIfNeeded: Cell.Tag.blob.rawValue))
        number(UInt64(blob.count))
        bytes += blob
    }

    private mutating func string(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes += text.utf8
    }

    private mutating func number(_ value: UInt64) {
        var rest = value
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func fixed(_ bits: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    }
}

/// Reads the bytes of an image, which may come from any program and be damaged.
struct ImageReader {
    private let bytes: [UInt8]
    private(set) var position: Int

    init(_ bytes: [UInt8], from position: Int = 0) { (self.bytes, self.position) = (bytes, position) }

    var isAtEnd: Bool { position == bytes.count }

    static var damaged: StorageError {
        StorageError(
            .corrupt, "An entry of the store's history cannot be read; restore a backup, or copy without history.")
    }

    mutating func byte() throws(StorageError) -> UInt8 {
        guard position < bytes.count else { throw Self.damaged }
        defer { position += 1 }
        return bytes[position]
    }

    mutating func number() throws(StorageError) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            let byte = try byte()
            value |= UInt64(byte & 127) << shift
            if byte < 128 { return value }
        }
        throw Self.damaged
    }

    /// A number of items that take at least a byte each.
    mutating func count() throws(StorageError) -> Int {
        let count = try number()
        guard count <= UInt64(bytes.count - position) else { throw Self.damaged }
        return Int(count)
    }

    mutating func take() throws(StorageError) -> ArraySlice<UInt8> {
        let count = try count()
        defer { position += count }
        return bytes[position..<position + count]
    }

    mutating func string() throws(StorageError) -> String {
        guard let text = String(validating: try take(), as: UTF8.self) else { throw Self.damaged }
        return text
    }

    mutating func value() throws(StorageError) -> Value {
        switch Cell.Tag(rawValue: UInt32(try byte())) {
        case .null: return .null
        case .int:
            let bits = try number()
            return .int(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
        case .double: return .double(Double(bitPattern: try fixed()))
        case .unsigned: return Value(unsigned: try fixed())
        case .text: return .text(try string())
        case .blob: return .blob(Array(try take()))
        default: throw Self.damaged
        }
    }

    private mutating func fixed() throws(StorageError) -> UInt64 {
        var bits: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 8) { bits |= UInt64(try byte()) << shift }
        return bits
    }
}

extension ColumnSchema.Role {
    /// The number that an image has for the role.
    var code: UInt8 {
        switch self {
        case .property: 0
        case .presence: 1
        case .owner: 2
        case .position: 3
        case .node: 4
        case .parent: 5
        }
    }
}
