import StorageDriver
import StorageSearch

// Making an index of records that are stored already: in steps, each in a transaction, so that a program that ends in between
// loses one step. Meanwhile writes go into the new index too.
extension StoreSearch {
    /// Begins a new index of a model beside the index that answers queries, unless a new index is being made.
    func beginRebuilding(_ name: StoredName, in writer: any StorageWriter) throws(StorageError) {
        guard let model = try indexed(name, in: writer).searched(in: try writer.tables()) else {
            return try renew(name, in: writer)
        }
        guard var settings = try recorded(in: writer),
            let place = settings.models.firstIndex(where: { $0.name == name }),
            settings.models[place].building == nil
        else { return }
        let number = try make(&settings, model, in: writer)
        settings.models[place].building = number
        try settings.record(in: writer, directory)
        try begin(number, model, in: writer)
    }

    /// Begins a new index that replaces unreadable ones of an earlier version of the library.
    private func renew(_ name: StoredName, in writer: any StorageWriter) throws(StorageError) {
        guard let model = SearchedModel(name, in: try writer.tables()), var settings = try recorded(in: writer) else {
            return
        }
        try adapt(model, &settings, in: writer)
        try settings.record(in: writer, directory)
    }

    /// The models of a session's store with an index that is being built or must be rebuilt.
    func unfinished(in session: any StorageSession) throws(StorageError) -> [StoredName] {
        guard isUsed else { return [] }
        let (settings, tables) = (try recorded(in: session), try session.tables())
        return settings?.models
            .filter { known in
                // Another version's programs may search a model that has no searched property any more.
                SearchedModel(known.name, in: tables) != nil && !known.isLater
                    && (known.building != nil || known.searched(in: tables) == nil)
            }.map(\.name) ?? []
    }

    /// Indexes the next records of a model.
    ///
    /// - Returns: the number of records that the new index has got so far; nil once it is complete and answers queries.
    func buildStep(_ name: StoredName, in writer: any StorageWriter) throws(StorageError) -> Int? {
        if let known = try recorded(in: writer)?.model(name), known.searched(in: try writer.tables()) == nil {
            try renew(name, in: writer)
        }
        let tables = try writer.tables()
        guard var settings = try recorded(in: writer),
            let place = settings.models.firstIndex(where: { $0.name == name }),
            let number = settings.models[place].building, let model = settings.models[place].searched(in: tables)
        else { return nil }
        try Self.check(settings.models[place])
        let open = try OpenIndex(number, of: model, self, in: writer)
        let build = try open.run { (index) throws(SearchFailure) in try index.build() }
        var last: [Value]?
        if let key = build?.key { last = try OrderedKey.key(of: key) }
        let keys = try RecordKeys(model, in: writer, directory).part(after: last, Self.step)
        let found = try open.documents.read(KeyList(width: model.root.key.count, keys))
        try open.run { (index) throws(SearchFailure) in try index.buildStep(keys.compactMap { found[$0] }) }
        // The blocks of merged segments are removed as well, so that a complete index takes no more room than it needs.
        var isSettled = false
        if keys.count < Self.step {
            isSettled = try open.run { (index) throws(SearchFailure) in try index.settle(Self.blocks) }
        }
        if !isSettled { return (build?.documents ?? 0) + keys.count }
        try open.run { (index) throws(SearchFailure) in try index.finishBuild() }
        if let old = settings.models[place].ready { try drop(old, in: writer) }
        (settings.models[place].ready, settings.models[place].building) = (number, nil)
        try settings.record(in: writer, directory)
        return nil
    }

    /// The number of records of a step.
    private static var step: Int { 4096 }
    /// The number of blocks that a step merges or removes once all records are indexed.
    private static var blocks: Int { 1024 }
}
