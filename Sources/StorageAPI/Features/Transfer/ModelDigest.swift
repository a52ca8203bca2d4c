internal import StorageDigest
public import StorageDriver

/// A digest of a model's stored records: equal for equal data, whatever the backend and however it was written.
///
/// SHA-256 over the model's tables in the order of their paths: their columns by name and type, and all rows in the
/// order of their keys. Data that only speeds up or numbers (indexes, assigned keys, names of tables) is not part of it;
/// data of removed properties is. Elements of an array of references have the positions 0, 1, 2, …, whatever is stored.
///
/// The hashed bytes, so that other programs can compute the digest: a number is 8 bytes, the least significant first,
/// and a byte 0xFF; a name is the number of its bytes, and its UTF-8. For each table: the number of names of its path,
/// and these names; the number of columns of its key, and the number of all columns; then role, property and type of
/// each column, the key's first and the others by property and role; then the rows. A cell is 8 bytes and its
/// `Cell.Tag`: the value, or the number of bytes that follow. A NaN is 0x7FF8000000000000, and a zero has no sign. The
/// number of rows follows them.
public struct ModelDigest: Hashable, Sendable {
    /// The model's stored name.
    public let model: String
    /// The number of root records.
    public let records: Int
    /// The number of all rows, including rows of owned records.
    public let rows: Int
    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    /// The digest in hexadecimal.
    public var hexadecimal: String {
        Hexadecimal.text(of: bytes)
    }
}

/// Makes a ``ModelDigest`` of a model's tables and rows, given in their order.
struct ModelHasher {
    private let model: StoredName
    private var hash = SHA256()
    private var records = 0
    private var rows = 0
    private var tableRows = 0
    private var isRoot = false
    /// The columns of the current table in an order that does not depend on when they were added.
    private var order: [Int] = []

    init(_ model: StoredModel) { self.model = model.name }

    /// - Parameter isIncluded: returns whether a column counts.
    mutating func begin(_ table: TableSchema, where isIncluded: (_ column: Int) -> Bool = { _ in true }) {
        isRoot = table.isRoot
        tableRows = 0
        add(table.path.count)
        for name in table.path { add(name) }
        let others = table.columns.indices.filter { !table.key.contains($0) && isIncluded($0) }.sorted {
            Self.name(table.columns[$0]).lexicographicallyPrecedes(Self.name(table.columns[$1]))
        }
        order = table.key + others
        add(table.key.count)
        add(order.count)
        for column in order {
            let column = table.columns[column]
            add(column.role.rawValue)
            add(column.property)
            add(column.type.description)
        }
    }

    private static func name(_ column: ColumnSchema) -> [UInt8] {
        Array(column.property.utf8) + [0] + Array(column.role.rawValue.utf8)
    }

    /// Takes the current row of the table that began.
    mutating func add(row cells: UnsafePointer<Cell>) {
        for column in order { add(cells[column]) }
        tableRows += 1
    }

    mutating func end() {
        add(tableRows)
        rows += tableRows
        if isRoot { records = tableRows }
    }

    consuming func finish() -> ModelDigest {
        ModelDigest(model: model.text, records: records, rows: rows, bytes: hash.finish())
    }

    // MARK: Bytes

    /// A number as 8 bytes, the least significant first; a text's length and its UTF-8; a cell's kind and the cell.
    private mutating func add(_ number: Int) { add(UInt64(bitPattern: Int64(number)), nil) }

    private mutating func add(_ text: String) {
        add(text.utf8.count)
        var text = text
        text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
    }

    private mutating func add(_ cell: Cell) {
        switch cell.tag {
        case .text, .blob:
            add(UInt64(cell.length), cell.tag)
            hash.update(cell.bytes)
        case .double: add(Self.canonicalBits(cell.double), .double)
        default: add(cell.bits, cell.tag)
        }
    }

    private mutating func add(_ number: UInt64, _ tag: Cell.Tag?) {
        var bytes = (number.littleEndian, UInt8(truncatingIfNeeded: tag?.rawValue ?? 0xFF))
        // Nine bytes, without the padding after them.
        withUnsafeBytes(of: &bytes) { hash.update(UnsafeRawBufferPointer(rebasing: $0.prefix(9))) }
    }

    /// One bit pattern for all that the contract calls equal (clause V2): the sign of zero and a NaN's payload may be lost.
    static func canonicalBits(_ number: Double) -> UInt64 {
        number.isNaN ? Double.nan.bitPattern : number == 0 ? 0 : number.bitPattern
    }
}

extension ModelDigest {
    /// The digest of a model's rows in a session.
    static func read(_ model: StoredModel, in reader: any StorageReader) throws(StorageError) -> ModelDigest {
        var hasher = ModelHasher(model)
        for table in model.tables {
            hasher.begin(table)
            let scan = try TableScan(table, in: reader, numbersElements: true)
            while try scan.next() { hasher.add(row: scan.cells) }
            hasher.end()
        }
        return hasher.finish()
    }
}

extension Store {
    /// The digest of a model's records, by which two stores are compared without comparing records.
    ///
    /// Reads all rows of the model, a row at a time, in one snapshot.
    ///
    /// - Throws: `invalidQuery` if the store has no model of the name; `typeMismatch` if a stored value does not fit
    ///   its column; `closed`.
    public nonisolated(nonsending) func digest(of model: String) async throws(StorageError) -> ModelDigest {
        try await digesting { (reader) throws(StorageError) in
            try ModelDigest.read(try StoredModel.named([model], in: try reader.tables())[0], in: reader)
        }
    }

    /// The digests of several models in one snapshot, in the order of the names.
    ///
    /// Former states are read as ``copy(_:from:asOf:replacing:unkeptAsNow:progress:)`` reads them, with the current schema. The rows
    /// of a type that owns itself may have other numbers in the history, and so another digest.
    ///
    /// - Parameters:
    ///   - models: the stored names of the models; all by default, in the order in which they were created.
    ///   - moment: a moment of the store's history; nil for the last commit.
    /// - Throws: as ``digest(of:)``, and for a moment as `copy` as of it.
    public nonisolated(nonsending) func digests(
        of models: [String]? = nil, asOf moment: Moment? = nil
    ) async throws(StorageError) -> [ModelDigest] {
        try await digesting { (reader) throws(StorageError) in
            let tables = try reader.tables()
            let named = try models.map { names throws(StorageError) in try StoredModel.named(names, in: tables) }
            var session: any StorageReader = reader
            if let moment {
                session = try PastSession(named, of: self, at: moment, in: reader, unkeptAsNow: false)
            }
            var digests: [ModelDigest] = []
            for model in named ?? StoredModel.all(in: tables) {
                digests.append(try ModelDigest.read(model, in: session))
            }
            return digests
        }
    }

    private nonisolated(nonsending) func digesting<T: Sendable>(
        _ body: @Sendable (any StorageReader) throws(StorageError) -> T
    ) async throws(StorageError) -> T {
        try await reads { () throws(StorageError) in
            try self.withReader("digest", .snapshot, seesExpired: true, body)
        }
    }
}
