public import StorageDriver

/// Collects models' rows until a batch is full.
public struct RowCollector: ~Copyable {
    @usableFromInline let graph: GraphWriter
    /// True if a model's key must be written before the model, for the rows that it owns.
    @usableFromInline let needsKey: Bool
    /// True if a model replaces an earlier one of the same key. Else a repeated key is an error anyway.
    private let replaces: Bool
    /// Keys so far; nil as long as they ascend, so that none can be a repeated one.
    private var keys: Set<[Value]>?
    /// The last of keys that ascend.
    private var greatest = Int64.min
    /// The number of models taken.
    private(set) var count = 0

    /// - Parameter replaces: whether of several models with one key the last is kept.
    package init(_ graph: GraphWriter, replaces: Bool) {
        self.graph = graph
        needsKey = graph.model.hasChildren
        self.replaces = replaces && graph.model.hasChildren
    }

    /// True if another model may be added.
    @usableFromInline
    package var hasRoom: Bool { !graph.isFull }

    @usableFromInline
    func beginKey() -> RowWriter { graph.beginRootKey() }

    @usableFromInline
    func endKey(_ row: consuming RowWriter) throws(StorageError) { try graph.endRootKey(row) }

    @usableFromInline
    package func begin() -> RowWriter { graph.beginRoot() }

    /// Ends a model's row. Returns false if its key is a repeated one: then the model's rows are removed, and the rows
    /// so far must be stored first.
    @usableFromInline
    package mutating func end(_ row: consuming RowWriter) throws(StorageError) -> Bool {
        try graph.endRoot(row)
        if replaces, isRepeated() {
            graph.removeLast()
            return false
        }
        count &+= 1
        return true
    }

    /// Removes the row of a model that could not be written; returns false if no row is left.
    func takeBackUnfinished() -> Bool {
        if graph.model.hasChildren, graph.buffers[0].count > count { graph.removeLast() }
        graph.buffers[0].removeAll(from: count)
        return count > 0
    }

    /// Forgets the rows, which have been stored.
    mutating func removeAll() {
        graph.removeAll()
        keys = nil
        greatest = .min
        count = 0
    }

    /// Returns whether the last model's key is that of an earlier one.
    private mutating func isRepeated() -> Bool {
        if keys == nil, let key = graph.lastIntegerKey, count == 0 || key > greatest {
            greatest = key
            return false
        }
        var known = keys ?? Set((0..<count).map(graph.key(of:)))
        defer { keys = known }
        return !known.insert(graph.lastKey).inserted
    }
}
