import StorageDriver

// The observed forms of a query whose results are no records.

extension Select.Groups where Source == Store {
    /// The chosen keys and aggregates of each group, now and whenever they change; see ``Store/Values``.
    public func values<each V: Sendable>(
        _ outputs: (Select.Group<repeat each Key>) -> (repeat QueryExpression<each V>)
    ) -> Store.Values<[(repeat each V)]> {
        let request = request(outputs)
        return select.observing { (reading) throws(StorageError) in try request.rows(reading) }
    }
}

extension Select.Projection where Source == Store {
    /// The tuples, now and whenever they change; see ``Store/Values``.
    public func values() -> Store.Values<[(repeat each V)]> {
        let request = request
        return select.observing { (reading) throws(StorageError) in try request.rows(reading) }
    }
}

extension Select.ByOwner where Source == Store {
    /// The records, each with everything that it owns and with its owner's key, now and whenever they change; see
    /// ``Store/Values``.
    public func values() -> Store.Values<[Owned<Owner, Model>]> {
        owners.observing { [property, selection] (reading) throws(StorageError) in
            try reading.owned(property, selection)
        }
    }
}

extension Select.Joined where Source == Store {
    /// The records with their related records, now and whenever any of them changes; see ``Store/Values``.
    public func values() -> Store.Values<[Row]> {
        let (make, selection) = (make, selection)
        return select.observing { (reading) throws(StorageError) in
            try reading.joined(Model.self, selection, make: make)
        }
    }
}

extension Select.WithoutChildren where Source == Store {
    /// The records, now and whenever they or their owned records change; see ``Store/Values``.
    public func values() -> Store.Values<[PartialModel<Model>]> {
        select.observing { [selection = select.selection] (reading) throws(StorageError) in
            try reading.partial(selection)
        }
    }
}
