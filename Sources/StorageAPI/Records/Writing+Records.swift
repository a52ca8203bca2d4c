import StorageDriver

/// A property of a record and the value it is set to, before either is checked.
struct RecordAssignment: Sendable {
    let property: String
    let value: Value
}

extension Writing {
    func put(_ records: [Record], _ operation: WriteOperation) throws(StorageError) -> [Record] {
        try put(records.map { StoredRecord($0) }, operation).map(\.record)
    }

    func delete(_ records: [Record]) throws(StorageError) -> Int { try delete(records.map { StoredRecord($0) }) }

    /// Deletes one record; its error names no element.
    func delete(one record: Record) throws(StorageError) -> Int {
        do {
            return try delete([record])
        } catch {
            throw error.with { $0.element = nil }
        }
    }

    func delete(keys: [[Value]]) throws(StorageError) -> Int {
        var list = ValueList(width: handle.tables.rootKeyCount, values: [])
        for key in keys { list.values += try handle.tables.checkedKey(key) }
        return try delete(list)
    }

    func patch(_ assignments: [RecordAssignment], _ selection: Selection) throws(StorageError) -> Int {
        var checked: [Assignment] = []
        for assignment in assignments { checked.append(try self.checked(assignment)) }
        return try patch(checked, selection)
    }

    private func checked(_ assignment: RecordAssignment) throws(StorageError) -> Assignment {
        let root = handle.tables.root
        guard let ordinal = root.ordinal(of: assignment.property) else {
            throw StorageError(.invalidQuery, root.lacks(assignment.property), property: assignment.property)
        }
        let node = QueryNode.property(PropertyPath([ordinal]))
        let column = root.schema.columns[try QueryLowering(handle.tables).column(node)]
        guard let value = assignment.value.stored(as: column.type), column.isOptional || !value.isNull else {
            throw StorageError(
                .invalidValue, "\(column.property) is \(column.type), which \(assignment.value) is not.",
                property: column.property)
        }
        return Assignment(property: node, value: value)
    }
}
