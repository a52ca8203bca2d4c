import StorageDriver

/// A step that moved data, which a store has run.
struct RecordedMove: OwnRow {
    let name: StoredName

    static let table = OwnTable("moves", name: "storage_moves", ["name": .string])

    var values: [Value] { [.text(name.text)] }
}

extension RecordedMove {
    init(_ cells: UnsafePointer<Cell>) throws(StorageError) {
        guard case .text(let name) = cells[0].value else {
            throw StorageError(.corrupt, "The name of a step that moved data cannot be read; restore a backup.")
        }
        self.init(name: StoredName(name))
    }

    /// Makes the steps of a copy fit its records: the records of a whole store have come through the steps of the source and
    /// no others; the records of some models have at least come through these.
    static func copy(
        from source: any StorageSession, isWhole: Bool, to writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) {
        if isWhole, let table = table.find(in: try writer.tables()) { try writer.truncate(table, directory) }
        for move in try all(among: source.tables(), in: source) {
            try move.record(.upsert, among: writer.tables(), in: writer, directory)
        }
    }
}

extension [RecordedMove] {
    func contains(_ name: StoredName) -> Bool { contains { $0.name == name } }
}
