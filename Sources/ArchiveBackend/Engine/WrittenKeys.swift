internal import StorageDriver

/// The keys of the records that a transaction has written to, as long as they are few, so that its commit finds them
/// without a comparison of all tables.
///
/// A record whose key is here may be unchanged, after a save of an equal record or after a savepoint was undone. The object is
/// kept from one transaction to the next, so that noting a key seldom allocates. One thread at a time uses it.
final class WrittenKeys {
    /// Keys of records of one model, in order, each once.
    private struct ModelKeys {
        let name: StoredName
        /// The number of cells in a key.
        let width: Int
        var cells: [Cell] = []
        var count = 0
    }

    /// More keys count as many.
    static let maximum = 64

    // Exclusivity is not checked at run time: no access to these lasts beyond one call of this class, and none of its
    // methods calls out.
    @exclusivity(unchecked) private var models: [ModelKeys] = []
    @exclusivity(unchecked) private var areMany = false
    /// The index of each cell of the root's key in a row of the batch whose keys are being recorded.
    @exclusivity(unchecked) private var places: [Int] = []
    /// Memory of the keys' texts and blobs, which belong to the batches otherwise.
    @exclusivity(unchecked) private var copies: [UnsafeMutableRawPointer] = []

    deinit { freeCopies() }

    /// Forgets all keys.
    func beginTransaction() {
        areMany = false
        for index in models.indices where models[index].count > 0 {
            models[index].cells.removeAll(keepingCapacity: true)
            models[index].count = 0
        }
        freeCopies()
    }

    private func freeCopies() {
        guard !copies.isEmpty else { return }
        for copy in copies { copy.deallocate() }
        copies.removeAll()
    }

    /// The keys of a model's records in order, cell after cell; nil if many keys are written, of any model.
    func keys(of model: StoredName) -> [Cell]? {
        if areMany { return nil }
        return models.first { $0.name == model }?.cells ?? []
    }

    /// Takes the keys of all records as written.
    func noteMany() { areMany = true }

    /// Takes the keys of the records to which a batch's rows belong.
    func note(_ batch: borrowing RowBatch, of table: ArchiveTable) {
        if areMany { return }
        guard batch.plan.operation != .truncate else {
            // If a model's root table is dropped, the commit says that its earlier records are deleted.
            if !table.schema.isRoot { noteMany() }
            return
        }
        findPlaces(batch, table)
        guard places.count == table.rootKeyCount, let model = model(table, width: places.count) else {
            return noteMany()
        }
        for row in 0..<batch.count where !areMany { note(batch.cells + row * batch.width, model) }
    }

    private func findPlaces(_ batch: borrowing RowBatch, _ table: ArchiveTable) {
        places.removeAll(keepingCapacity: true)
        for index in 0..<table.rootKeyCount {
            switch batch.plan.operation {
            case .delete, .patch:
                if index < batch.width { places.append(index) }
            default:
                if let place = batch.plan.columns.firstIndex(of: table.schema.key[index]) { places.append(place) }
            }
        }
    }

    private func model(_ table: ArchiveTable, width: Int) -> Int? {
        guard let name = table.schema.storedPath.first, width > 0 else { return nil }
        if let index = models.firstIndex(where: { $0.name == name }) {
            if models[index].width == width { return index }
            // The model has another key since a migration.
            guard models[index].count == 0 else { return nil }
            models[index] = ModelKeys(name: name, width: width)
            return index
        }
        models.append(ModelKeys(name: name, width: width))
        return models.count - 1
    }

    private func note(_ row: UnsafePointer<Cell>, _ model: Int) {
        let width = places.count
        var low = 0
        var high = models[model].count
        // Rows of one record follow each other, and records often come in their order.
        if high > 0 {
            let order = compare(row, model: model, index: high - 1)
            if order == 0 { return }
            if order > 0 { low = high }
        }
        while low < high {
            let middle = (low + high) / 2
            let order = compare(row, model: model, index: middle)
            if order == 0 { return }
            if order > 0 { low = middle + 1 } else { high = middle }
        }
        guard models[model].count < Self.maximum else { return noteMany() }
        models[model].count += 1
        for (index, place) in places.enumerated() {
            models[model].cells.insert(copy(of: row[place]), at: low * width + index)
        }
    }

    /// The order of a row's key and one of these.
    private func compare(_ row: UnsafePointer<Cell>, model: Int, index: Int) -> Int {
        for (offset, place) in places.enumerated() {
            let other = models[model].cells[index * places.count + offset]
            let order = row[place].compared(to: other, isDecimal: false)
            if order != 0 { return order }
        }
        return 0
    }

    private func copy(of cell: Cell) -> Cell {
        guard cell.length > 0 else { return cell }
        let copy = UnsafeMutableRawPointer.allocate(byteCount: Int(cell.length), alignment: 1)
        copies.append(copy)
        if let start = cell.bytes.baseAddress { copy.copyMemory(from: start, byteCount: Int(cell.length)) }
        return Cell(bits: UInt64(UInt(bitPattern: copy)), length: cell.length, tag: cell.tag)
    }
}
