internal import StorageDriver

extension RecordEncoder {
    mutating func prepareChildren(_ record: RecordRows) {
        for table in next.indices { next[table] = 0 }
        if layout.hasNodes { nodes.build(record, layout) }
    }

    /// Every row must have been written with its owner: none is dropped in silence.
    func checkOwners(_ record: RecordRows) throws(StorageError) {
        for table in layout.tables.indices.dropFirst() where next[table] != record.tables[table].count {
            throw StorageError(
                .corrupt, "A row of \(layout.tables[table].name) has no owner, or stands out of order.",
                model: layout.root.name)
        }
    }

    mutating func relations(
        of table: Int, row: Int, _ record: RecordRows, depth: Int
    ) throws(StorageError) {
        for relation in layout.tables[table].relations {
            if layout.tables[relation.target].form == .child {
                try children(relation, of: table, row: row, record, depth: depth)
            } else {
                try nodeChildren(relation, of: table, row: row, record, depth: depth)
            }
        }
    }

    /// Rows of a table below come in the order of their owners, so an owner's are next in line.
    private mutating func children(
        _ relation: RecordLayout.Relation, of table: Int, row: Int, _ record: RecordRows, depth: Int
    ) throws(StorageError) {
        let start = values.count
        let rows = record.tables[relation.target]
        let owner = record.tables[table].cells + row * layout.tables[table].width
        while next[relation.target] < rows.count, relation.isMany || values.count == start {
            let child = next[relation.target]
            let cells = rows.cells + child * layout.tables[relation.target].width
            guard layout.isPlace(of: owner, in: table, samePlaceAs: cells, in: relation.target) else { break }
            next[relation.target] += 1
            values.append(writer.uid(try object(of: relation.target, row: child, record, depth: depth + 1)))
        }
        try endRelation(relation, from: start, owner)
    }

    private mutating func nodeChildren(
        _ relation: RecordLayout.Relation, of table: Int, row: Int, _ record: RecordRows, depth: Int
    ) throws(StorageError) {
        let start = values.count
        let rows = record.tables[relation.target]
        let owner = record.tables[table].cells + row * layout.tables[table].width
        let number = layout.tables[table].nodeColumns.map { owner[$0.node].int } ?? 0
        while let child = nodes.first(in: relation.target, ownedBy: number) {
            let cells = rows.cells + child * layout.tables[relation.target].width
            guard layout.isPlace(of: owner, in: table, samePlaceAs: cells, in: relation.target) else { break }
            nodes.removeFirst(in: relation.target, ownedBy: number)
            next[relation.target] += 1
            values.append(writer.uid(try object(of: relation.target, row: child, record, depth: depth + 1)))
        }
        // A row of a recursion may be of a type that has no such property; an absent key means no children anyway.
        if number == 0 || values.count > start || relation.presence != nil {
            try endRelation(relation, from: start, owner)
        }
    }

    /// Makes the children's UIDs the value of their property's key.
    private mutating func endRelation(
        _ relation: RecordLayout.Relation, from start: Int, _ owner: UnsafePointer<Cell>
    ) throws(StorageError) {
        let key = try key(relation.key)
        let value: UInt32
        // A recursion's rows may be of a time when the property was an array.
        if !relation.isMany, values.count <= start + 1 {
            value = values.count > start ? values[start] : writer.null
        } else if let presence = relation.presence, owner[presence].tag != .int || owner[presence].bits == 0 {
            guard values.count == start else {
                throw StorageError(.corrupt, "Children stand where a property is nil.")
            }
            value = writer.null
        } else {
            value = writer.uid(writer.array(values.suffix(from: start)))
        }
        values.removeSuffix(from: start)
        keys.append(key)
        values.append(value)
    }
}

extension RecordLayout {
    /// Returns whether a row's leading positions equal the positions of a row that may own it.
    @inline(__always)
    func isPlace(
        of owner: UnsafePointer<Cell>, in table: Int, samePlaceAs child: UnsafePointer<Cell>, in target: Int
    ) -> Bool {
        for (index, position) in tables[table].positions.enumerated() {
            guard tables[target].positions.indices.contains(index) else { return false }
            if owner[position].int != child[tables[target].positions[index]].int { return false }
        }
        return true
    }
}
