internal import StorageDriver

extension ArchiveTable {
    /// Carries out a batch and returns how many rows it touched.
    mutating func write(_ batch: borrowing RowBatch, _ builder: RowBuilder) throws(StorageError) -> Int {
        var touched = 0
        switch batch.plan.operation {
        case .insert, .upsert, .update:
            for index in 0..<batch.count { try put(batch, index, builder) }
            touched = batch.count
        case .delete:
            for index in 0..<batch.count {
                touched += remove(prefix: batch.cells + index * batch.width, count: batch.width, builder)
            }
        case .patch:
            for index in 0..<batch.count { touched += try patch(batch, index, builder) }
        case .truncate:
            touched = rows.count
            removeAll()
        }
        return touched
    }

    private mutating func put(
        _ batch: borrowing RowBatch, _ index: Int, _ builder: RowBuilder
    ) throws(StorageError) {
        let given = batch.cells + index * batch.width
        builder.begin(width: format.width)
        for (cell, column) in batch.plan.columns.enumerated() { builder.cells[column] = given[cell] }
        for (cell, column) in schema.key.enumerated() { builder.key[cell] = builder.cells[column] }
        let (position, isFound) = rows.search(builder.key, count: schema.key.count)
        if isFound {
            try checkReplacing(batch, index)
            if batch.plan.columns.count < format.width { keepOthers(batch.plan.columns, position, builder) }
        } else if batch.plan.operation == .update {
            throw batch.error(.notFound, "No record has this key; save or insert stores it.", row: index)
        }
        try checkUnique(batch, index, builder)
        let row = try packed(batch, index, builder)
        if isFound {
            try replace(row, at: position, builder)
        } else {
            try insert(row, at: position, builder)
        }
    }

    private func checkReplacing(_ batch: borrowing RowBatch, _ index: Int) throws(StorageError) {
        guard batch.plan.operation == .insert else { return }
        throw batch.error(
            .duplicateKey, "A record with this key is stored already; save replaces it, update changes it.", row: index)
    }

    /// Columns that the batch does not name, like those of removed properties, keep their values.
    private func keepOthers(_ named: [Int], _ position: RowTree.Position, _ builder: RowBuilder) {
        let old = rows.row(at: position)
        for column in 0..<format.width where !named.contains(column) {
            builder.cells[column] = format.cell(column, of: old)
        }
    }

    private mutating func patch(
        _ batch: borrowing RowBatch, _ index: Int, _ builder: RowBuilder
    ) throws(StorageError) -> Int {
        guard let values = batch.values else { return 0 }
        var count = 0
        var range = RowRange(rows, prefix: batch.cells + index * batch.width, count: batch.width)
        while let old = range.next() {
            builder.begin(width: format.width)
            for column in 0..<format.width { builder.cells[column] = format.cell(column, of: old) }
            for (cell, column) in batch.plan.columns.enumerated() { builder.cells[column] = values[cell] }
            for (cell, column) in schema.key.enumerated() { builder.key[cell] = builder.cells[column] }
            try checkUnique(batch, index, builder)
            let position = rows.search(builder.key, count: schema.key.count).position
            try replace(try packed(batch, index, builder), at: position, builder)
            count += 1
        }
        return count
    }

    private func packed(
        _ batch: borrowing RowBatch, _ index: Int, _ builder: RowBuilder
    ) throws(StorageError) -> UnsafeRawPointer {
        do {
            return try builder.pack(format)
        } catch {
            throw batch.error(error.code, error.message, row: index)
        }
    }

    private func checkUnique(
        _ batch: borrowing RowBatch, _ index: Int, _ builder: RowBuilder
    ) throws(StorageError) {
        for unique in indexes where unique.isUnique {
            guard unique.hasOther(builder.cells[unique.column], than: builder.key) else { continue }
            let property = schema.columns[unique.column].property
            throw batch.error(
                .constraint, "Another record has the same \(property), which is unique.", row: index
            ).property(property)
        }
    }
}
