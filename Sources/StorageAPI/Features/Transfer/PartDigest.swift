public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A digest of a part of a model's records, by which two stores find the records that differ without comparing them.
///
/// The hash of a record's key decides its part, so new and removed records move no others. The bytes are hashed as for a
/// ``ModelDigest``, with the rows of the part. The hash of a key is 64-bit FNV-1a of its cells in that form: each is 8 bytes, its
/// tag and the bytes of a text or of data. The part is the remainder of `hash ^ hash >> 32` by the number of parts.
public struct PartDigest: Hashable, Sendable {
    /// The part's number, from 0.
    public let part: Int
    /// The number of root records.
    public let records: Int
    /// The number of all rows, including rows of owned records.
    public let rows: Int
    /// The 32 bytes of the digest.
    public let bytes: [UInt8]

    /// The digest in hexadecimal.
    public var hexadecimal: String { Hexadecimal.text(of: bytes) }
}

extension Store {
    /// The digests of a model's records in parts, without records that have expired.
    ///
    /// Two stores that have equal digests of a part have equal records in it. Where they differ, ask for more parts, or compare
    /// the records of one. Reads all rows of the model, a row at a time, in one snapshot; holds half a kilobyte for each part, and
    /// the keys of records that have expired and are not removed yet.
    ///
    /// - Parameters:
    ///   - model: the model's stored name.
    ///   - parts: the number of parts, at most 65,536.
    ///   - properties: the stored names of the properties that count, an owned record or an array of them as a whole; nil for
    ///     all, removed ones included. The key always counts.
    /// - Returns: a digest of each part, also of a part without records.
    /// - Throws: `invalidQuery` if the store has no model of the name or the model no such property, and for a number of
    ///   parts beyond the limits; `typeMismatch` if a stored value does not fit its column; `closed`.
    public nonisolated(nonsending) func digests(
        of model: String, parts: Int, properties: Set<String>? = nil
    ) async throws(StorageError) -> [PartDigest] {
        guard (1...65_536).contains(parts) else {
            throw StorageError(
                .invalidQuery, "Digests have from 1 to 65,536 parts.", operation: "digests", model: model)
        }
        let now = clock().timeIntervalSinceReferenceDate
        return try await reads { () throws(StorageError) in
            try self.withReader("digests", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                let model = try StoredModel.named([model], in: try reader.tables())[0]
                var digesting = PartDigesting(model, parts: parts, now: now)
                try digesting.choose(properties)
                return try digesting.run(in: reader)
            }
        }
    }
}

/// Reads a model's rows and hashes each in the part of its record.
private struct PartDigesting {
    private let model: StoredModel
    private let now: Double
    private var properties: Set<StoredName>?
    private var hashers: [ModelHasher]
    /// The keys of records that have expired.
    private var expired: Set<[Value]> = []

    init(_ model: StoredModel, parts: Int, now: Double) {
        (self.model, self.now) = (model, now)
        hashers = (0..<parts).map { _ in ModelHasher(model) }
    }

    /// - Throws: `invalidQuery` for a property that the model does not have.
    mutating func choose(_ names: Set<String>?) throws(StorageError) {
        guard let names else { return }
        let chosen = Set(names.map { StoredName($0) })
        let columns = model.tables.first?.columns.map(\.storedProperty) ?? []
        let known = Set(columns + model.tables.dropFirst().map { $0.storedPath[1] })
        if let unknown = chosen.subtracting(known).min() {
            throw StorageError(
                .invalidQuery, "The model has no property \(unknown.text); name properties as they are stored.",
                model: model.name.text, property: unknown.text)
        }
        properties = chosen
    }

    mutating func run(in session: any StorageSession) throws(StorageError) -> [PartDigest] {
        for table in model.tables where isChosen(table) { try add(table, in: session) }
        return hashers.enumerated().map { part, hasher in
            let digest = hasher.finish()
            return PartDigest(part: part, records: digest.records, rows: digest.rows, bytes: digest.bytes)
        }
    }

    private func isChosen(_ table: TableSchema) -> Bool {
        guard let properties, !table.isRoot else { return true }
        return properties.contains(table.storedPath[1])
    }

    private func isChosen(_ column: Int, of table: TableSchema) -> Bool {
        guard let properties, table.isRoot else { return true }
        return table.key.contains(column) || properties.contains(table.columns[column].storedProperty)
    }

    private mutating func add(_ table: TableSchema, in session: any StorageSession) throws(StorageError) {
        let chosen = table.columns.indices.map { isChosen($0, of: table) }
        for part in hashers.indices { hashers[part].begin(table) { chosen[$0] } }
        let keyCount = model.tables.first?.key.count ?? 0
        let key = Array(table.key.prefix(keyCount))
        let expiry = table.isRoot ? table.columns.firstIndex(where: \.isExpiry) : nil
        let scan = try TableScan(table, in: session, numbersElements: true)
        while try scan.next() {
            let cells = scan.cells
            if let expiry, cells[expiry].tag == .double, cells[expiry].double <= now {
                expired.insert(key.map { cells[$0].value })
                continue
            }
            if !table.isRoot, !expired.isEmpty, expired.contains(key.map { cells[$0].value }) { continue }
            var hash = KeyHash()
            for column in key { hash.add(cells[column]) }
            hashers[hash.part(of: hashers.count)].add(row: cells)
        }
        for part in hashers.indices { hashers[part].end() }
    }
}

/// FNV-1a of a key's cells.
private struct KeyHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ cell: Cell) {
        switch cell.tag {
        case .text, .blob:
            add(UInt64(cell.length), cell.tag)
            for byte in cell.bytes { add(byte) }
        case .double: add(ModelHasher.canonicalBits(cell.double), .double)
        default: add(cell.bits, cell.tag)
        }
    }

    private mutating func add(_ number: UInt64, _ tag: Cell.Tag) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
        add(UInt8(truncatingIfNeeded: tag.rawValue))
    }

    private mutating func add(_ byte: UInt8) { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }

    func part(of count: Int) -> Int { Int(truncatingIfNeeded: (state ^ state >> 32) % UInt64(count)) }
}
