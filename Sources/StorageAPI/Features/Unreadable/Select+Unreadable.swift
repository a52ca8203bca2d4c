public import StorageDriver

// Rows that a type can no longer read (clause S12), because of a removed enum case or a changed Codable value.

extension RecordReader {
    /// The readable models of a selection, and the errors of the others.
    func readable<M: Storable>(
        _: M.Type, _ selection: Selection
    ) throws(StorageError) -> ([M], [StorageError]) {
        var models: [M?] = []
        var errors: [StorageError] = []
        func report(_ error: StorageError) { errors.append(error) }
        if let rows = try singlePass(selection) {
            var rows = rows
            try rows.forEach(M.self, report) { models.append($0) }
            return (models.compactMap(\.self), errors)
        }
        let buffer = try rows(selection, root.columns).buffered(width: root.columns.count)
        guard buffer.count > 0 else { return ([], []) }
        let isKeyOrder = selection.order.isEmpty
        let order = isKeyOrder ? Array(0..<buffer.count) : buffer.indices(sortedBy: root.orderCells)
        var rows = withChildren(buffer, order, of: root)
        try rows.forEach(M.self, report) { models.append($0) }
        return (isKeyOrder ? models.compactMap(\.self) : places(of: order).compactMap { models[$0] }, errors)
    }

    /// Reports each row of the model that its type cannot read. Holds one record at a time.
    func findUnreadable<M: Storable>(_: M.Type, _ report: (StorageError) -> Void) throws(StorageError) {
        if let all = try singlePass(Selection()) {
            var rows = all
            try rows.forEach(M.self, report) { _ in }
        }
    }
}

extension RowCursor {
    /// Calls the body with each row's model, or with nil after reporting why it cannot be read.
    fileprivate mutating func forEach<M: Storable>(
        _: M.Type, _ report: (StorageError) -> Void, _ body: (M?) -> Void
    ) throws(StorageError) {
        while try next() {
            do throws(StorageError) {
                var row = self.row
                let model = try M(reading: &row)
                try row.finish()
                body(model)
            } catch {
                // An error without a row concerns the whole query.
                guard error.code == .typeMismatch, error.key != nil else { throw error }
                report(error)
                body(nil)
            }
        }
    }
}

extension Select {
    /// The same query without the rows that the type cannot read, such as rows with a removed enum case.
    ///
    /// ```swift
    /// let people = try await store.select(Person.self).skippingUnreadable { error in print(error) }.all()
    /// ```
    /// - Parameter report: called for each such row when the query has been read, with an error that has the row's key, its
    ///   property and the stored value.
    public func skippingUnreadable(_ report: @escaping (StorageError) -> Void) -> Readable {
        Readable(select: self, report: report)
    }

    /// A query that skips unreadable records.
    public struct Readable {
        fileprivate let select: Select
        fileprivate let report: (StorageError) -> Void

        fileprivate func tell(_ errors: [StorageError], of store: Store) {
            for error in errors { report(error.at(operation: "select", backend: store.info.name)) }
        }
    }
}

extension Select.Readable where Source == Store {
    /// The readable records, each with everything that it owns, in order.
    ///
    /// A limit counts rows, whether or not they can be read.
    public nonisolated(nonsending) func all() async throws(StorageError) -> [Model] {
        let (models, errors) = try await select.run { [selection = select.selection] (reading) throws(StorageError) in
            try reading.readable(Model.self, selection)
        }
        tell(errors, of: select.source)
        return models
    }
}

extension Select.Readable where Source == Store.Session {
    /// The readable records, each with everything that it owns, in order. A limit counts rows, whether or not they can be
    /// read.
    public func all() throws(StorageError) -> [Model] {
        let (models, errors) = try select.run { (reading) throws(StorageError) in
            try reading.readable(Model.self, select.selection)
        }
        tell(errors, of: select.source.target.home)
        return models
    }
}
