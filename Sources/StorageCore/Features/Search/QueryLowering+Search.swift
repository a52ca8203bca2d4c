import StorageDriver

extension QueryLowering {
    /// A search as a condition on the key of the record that it finds.
    mutating func matches(
        _ path: PropertyPath, _ search: SearchText, in place: Place, by indexes: any SearchIndexes
    ) throws(StorageError) -> QueryTerm {
        guard !place.isGroup else { throw invalid("A group has no texts to search.") }
        guard path.scope == place.scope else {
            throw invalid("A condition on children can only search the child's own record.")
        }
        let ordinals = try ordinals(of: path, in: place)
        if path.inverse == nil, let reference = try reference(ordinals, in: place) {
            leavesRecord = true
            let keys = try found(search, of: tables(of: reference), nil, by: indexes)
            return try refers(path, try unexpired(keys, of: reference), in: place)
        }
        guard place.table === place.model.root, path.inverse == nil else {
            throw invalid("matches searches whole records; search the record that owns these.")
        }
        let schema = place.table.schema
        let column = ordinals.isEmpty ? nil : try searchedColumn(path, in: place)
        let parts = schema.key.map { TypedTerm(.column($0), schema.columns[$0].type) }
        guard session != nil else {
            // Only compared: which records are found is not known, and depends on the text.
            leavesRecord = true
            let text = try argument(.text(search.text))
            return .text(.contains, text, text)
        }
        let keys = try found(search, of: place.model, column, by: indexes)
        return keys.isEmpty ? .constant(false) : try equal(parts, keys)
    }

    /// The model that a reference at the end of a path leads to; nil for any other path.
    private func reference(_ ordinals: [Int], in start: Place) throws(StorageError) -> ModelSource? {
        guard let last = ordinals.last else { return nil }
        var place = start
        for ordinal in ordinals.dropLast() {
            guard let next = try self.place(after: ordinal, in: place) else { return nil }
            place = next
        }
        switch try place.model.member(last, of: place.table) {
        case .column: return nil
        case .reference(let index): return place.table.references[index].target
        case .relation(let index): return place.model.tables[place.table.relations[index].target].element?.target
        }
    }

    /// The column of a property of the record or of its owned records, not of other records.
    private mutating func searchedColumn(
        _ path: PropertyPath, in place: Place
    ) throws(StorageError) -> (table: TableSchema, column: Int) {
        guard case .column(var term, _) = try resolve(path, in: place) else {
            throw invalid("matches asks about texts; name a text, or search the whole record.")
        }
        var table = place.table.schema
        while case .related(let join, let inner) = term {
            guard join.table < model.tables.count, place.model === model else {
                throw invalid(
                    "matches asks about texts of the record; search the record that has these by its reference.")
            }
            table = model.tables[join.table].schema
            term = inner
        }
        guard case .column(let column) = term else { throw invalid("matches asks about texts.") }
        return (table, column)
    }

    /// The searches of the query's records, which determine their relevance.
    func ownSearches(of selection: Selection) throws(StorageError) -> [Selection.Search] {
        var own: [Selection.Search] = []
        for search in selection.searches where search.path.inverse == nil {
            if try reference(ordinals(of: search.path, in: place), in: place) == nil { own.append(search) }
        }
        return own
    }

    /// The records of the query's model that a search finds, with their relevance.
    mutating func hits(
        _ search: Selection.Search, best count: Int?, by indexes: any SearchIndexes
    ) throws(StorageError) -> [SearchHit] {
        let ordinals = try ordinals(of: search.path, in: place)
        let column = ordinals.isEmpty ? nil : try searchedColumn(search.path, in: place)
        guard let session else { return [] }
        return try indexes.hits(search.text, of: model, column, best: count, in: session)
    }

    /// The keys of the records that have not expired. The index has all that are stored, and a condition that only compares
    /// a reference with their keys reads none of them.
    private func unexpired(_ keys: [[Value]], of model: ModelSource) throws(StorageError) -> [[Value]] {
        guard let session, !keys.isEmpty else { return keys }
        let handle = try directory.handle(of: model, in: session)
        let root = handle.tables.root
        if root.declaredExpiry == nil {
            let recorded = try session.tables().first { $0.name == root.schema.name }
            guard recorded?.columns.contains(where: \.isExpiry) == true else { return keys }
        }
        let list = KeyList(width: root.schema.key.count, keys)
        let (plan, arguments) = try handle.plan(Selection(), .columns(root.schema.key), among: list, in: session)
        return try session.rows(plan, arguments, isShown: false).rows(width: list.width)
    }

    private func found(
        _ search: SearchText, of model: ModelTables, _ column: (table: TableSchema, column: Int)?,
        by indexes: any SearchIndexes
    ) throws(StorageError) -> [[Value]] {
        guard let session else { return [] }
        return try indexes.keys(search, of: model, column, in: session)
    }
}
