import StorageDriver

/// Reads of parts of an array of references. A record that is not stored is `notFound`, as an empty array is empty.
extension RecordReader {
    package func count(_ list: StoredList) throws(StorageError) -> Int {
        let rows = try ListRows(list, handle, in: session)
        let count = try rows.count()
        if count == 0 { try rows.requireOwner() }
        return count
    }

    package func contains<M: Storable>(_ reference: Ref<M>, _ list: StoredList) throws(StorageError) -> Bool {
        let rows = try ListRows(list, handle, in: session)
        if try !rows.elements(naming: M.values(of: reference.key), most: 1).isEmpty { return true }
        try rows.requireOwner()
        return false
    }

    package func refs<M: Storable>(in places: Range<Int>, _ list: StoredList) throws(StorageError) -> [Ref<M>] {
        var references: [Ref<M>] = []
        for key in try keys(in: places, list) { references.append(Ref(key: try KeyForm<M>.key(key))) }
        return references
    }

    package func records<M: Storable>(in places: Range<Int>, _ list: StoredList) throws(StorageError) -> [M] {
        let keys = try keys(in: places, list)
        guard !keys.isEmpty else { return [] }
        let target = RecordReader(handle: try handle.directory.handle(of: .type(M.self), in: session), session: session)
        var records: [M] = []
        for (key, record) in zip(keys, try target.find(M.self, keys: keys)) {
            guard let record else {
                throw StorageError(
                    .notFound,
                    "The list names \(target.handle.name) \(key.keyText), which is not "
                        + "stored; refs(in:) gives the references.",
                    model: target.handle.name, key: key)
            }
            records.append(record)
        }
        return records
    }

    private func keys(in places: Range<Int>, _ list: StoredList) throws(StorageError) -> [[Value]] {
        let rows = try ListRows(list, handle, in: session)
        guard places.lowerBound >= 0 else { throw rows.outside(places.lowerBound) }
        let elements = try rows.elements(from: places.lowerBound, most: places.count)
        if elements.isEmpty { try rows.requireOwner() }
        return elements.map(\.key)
    }
}
