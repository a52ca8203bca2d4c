import StorageDriver

// For StorageObservation, whose live queries change while they are shown.
extension Select where Source == Store {
    /// Returns whether another query is known to select the same records of the same store in the same order. Returns false
    /// for models that are not prepared, for records without types and for queries that fail.
    package func isSame(as other: Self) -> Bool {
        guard source === other.source, let handle = source.handle(Model.self), let lowered = lowered(handle) else {
            return false
        }
        return lowered == other.lowered(handle)
    }

    /// The difference between two arrays of the model's records.
    package func difference(from before: [Model], to after: [Model]) -> RecordDifference<Model> {
        if before.isEmpty {
            var difference = RecordDifference<Model>()
            difference.inserted = Array(after.indices)
            return difference
        }
        let comparison = source.handle(Model.self).map { RecordComparison<Model>($0.tables) }
        return RecordDifference(from: Self.placed(before), to: Self.placed(after), comparison)
    }

    /// Records whose places are their keys alone.
    private static func placed(_ records: [Model]) -> PlacedRecords<Model> {
        let keys = records.map { Model.key(of: $0).map(Model.values) ?? [] }
        let width = keys.first?.count ?? 0
        // No records are sorted by them.
        let order = (0..<width).map { Query.SortKey(term: .column($0), type: .int64, isDescending: false) }
        return PlacedRecords(records, places: keys.flatMap(\.self), order: order, keyWidth: width)
    }

    private func lowered(_ handle: ModelHandle) -> LoweredQuery? {
        var lowering = QueryLowering(handle, in: nil)
        guard let (query, arguments) = try? handle.query(selection, .count, by: &lowering) else { return nil }
        return LoweredQuery(
            query: query, values: arguments.values, lists: arguments.lists.map(\.values), limit: arguments.limit,
            offset: arguments.offset, others: lowering.others.map(\.name))
    }
}

private struct LoweredQuery: Equatable {
    let query: Query
    let values: [Value]
    let lists: [[Value]]
    let limit: Int?
    let offset: Int
    let others: [String]
}

extension RecordDifference {
    /// The difference between equal arrays.
    package static var none: Self { Self() }
}
