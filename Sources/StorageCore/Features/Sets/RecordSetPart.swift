import StorageDriver

/// The records of one model in a set that is stored and judged as a whole.
package protocol RecordSetPart: Sendable {
    var model: ModelSource { get }

    /// The records' keys, in their order.
    ///
    /// - Throws: `missingKey` for a record whose key is nil, and errors of keys.
    func keys(by writing: RecordWriter) throws(StorageError) -> KeyList

    /// The values that the records have in cells of their root rows.
    func values(of cells: [Int], by writing: RecordWriter) throws(StorageError) -> [[Value]]

    /// Stores the records, except at some indices of this part.
    func put(without skipped: Set<Int>, by writing: RecordWriter) throws(StorageError)

    /// The place that the record at an index has among all of the set.
    func place(of index: Int) -> Int
}

/// Records of one type, or of one recorded model.
package struct TypedSetPart<M: Storable>: RecordSetPart {
    package let model: ModelSource
    private var models: [M] = []
    private var places: [Int] = []

    package init(_ model: ModelSource) { self.model = model }

    package mutating func append(_ model: M, at place: Int) {
        models.append(model)
        places.append(place)
    }

    package func place(of index: Int) -> Int { places[index] }

    package func keys(by writing: RecordWriter) throws(StorageError) -> KeyList {
        try inSet { () throws(StorageError) in try writing.keys(of: models) }
    }

    package func values(of cells: [Int], by writing: RecordWriter) throws(StorageError) -> [[Value]] {
        var values: [[Value]] = []
        try inSet { () throws(StorageError) in try writing.values(of: models, cells, into: &values) }
        return values
    }

    package func put(without skipped: Set<Int>, by writing: RecordWriter) throws(StorageError) {
        let indices = models.indices.filter { !skipped.contains($0) }
        try inSet(indices) { () throws(StorageError) in
            _ = try writing.put(skipped.isEmpty ? models : indices.map { models[$0] }, .upsert)
        }
    }

    /// Runs a body whose errors count the elements of this part, and counts them in the set.
    private func inSet<T>(
        _ indices: [Int]? = nil, _ body: () throws(StorageError) -> T
    ) throws(StorageError) -> T {
        do {
            return try body()
        } catch {
            throw error.with { state in
                guard let element = state.element else { return }
                let index = indices.map { $0.indices.contains(element) ? $0[element] : element } ?? element
                state.element = places.indices.contains(index) ? places[index] : nil
            }
        }
    }
}

/// Stands for a part while it is changed.
package struct EmptySetPart: RecordSetPart {
    package let model: ModelSource

    package init(model: ModelSource) { self.model = model }

    package func place(of index: Int) -> Int { index }
    package func keys(by writing: RecordWriter) throws(StorageError) -> KeyList { KeyList() }
    package func values(of cells: [Int], by writing: RecordWriter) throws(StorageError) -> [[Value]] { [] }
    package func put(without skipped: Set<Int>, by writing: RecordWriter) throws(StorageError) {}
}
