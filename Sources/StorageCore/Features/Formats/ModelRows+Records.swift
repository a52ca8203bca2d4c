// Models as records without types and back, by the rows that both write and read.
extension ModelRows {
    /// The models that records are.
    ///
    /// - Throws: `invalidValue`, `typeMismatch` or `limitExceeded`, with the index of the record.
    package func models(_ records: [DynamicRecord]) throws(StorageError) -> [Model] { try converted(records) }

    /// Models as records. A nil key is null.
    ///
    /// - Throws: `invalidValue` or `limitExceeded`, with the index of the model.
    package func records(_ models: [Model]) throws(StorageError) -> [DynamicRecord] { try converted(models) }

    private func converted<From: Storable, To: Storable>(_ values: [From]) throws(StorageError) -> [To] {
        let rows = try rows()
        var results: [To] = []
        results.reserveCapacity(values.count)
        for value in values {
            let index = results.count + rows.count
            do throws(StorageError) { try rows.add(value) } catch { throw error.with { $0.element = index } }
            if rows.isFull { results += try take(rows, after: results.count) }
        }
        return try results + take(rows, after: results.count)
    }

    /// Rows in memory for records of the model.
    package func rows() throws(StorageError) -> RecordRows { try RecordRows(handle.tables, limits: limits) }

    private func take<To: Storable>(_ rows: RecordRows, after first: Int) throws(StorageError) -> [To] {
        do throws(StorageError) {
            return try rows.take(To.self)
        } catch {
            throw error.with { $0.element = $0.element.map { first + $0 } }
        }
    }
}
