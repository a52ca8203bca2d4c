/// Takes models' rows until there are enough of them for a batch.
public struct RowCollector: ~Copyable {
    @usableFromInline let graph: GraphWriter
    /// Whether a model's key must be written before the model, for the rows that it owns.
    @usableFromInline let needsKey: Bool
    /// Keys so far, where a model replaces an earlier one of the same key. Nil where a repeated key is an error anyway.
    private var keys: Set<[Value]>?
    /// How many models have been taken.
    private(set) var count = 0

    init(_ graph: GraphWriter, replaces: Bool) {
        self.graph = graph
        needsKey = graph.model.hasChildren
        keys = replaces && graph.model.hasChildren ? [] : nil
    }

    /// Whether another model may be added.
    @usableFromInline
    var hasRoom: Bool { !graph.isFull }

    @usableFromInline
    func beginKey() -> RowWriter { graph.beginRootKey() }

    @usableFromInline
    func endKey(_ row: consuming RowWriter) throws(StorageError) { try graph.endKey(row) }

    @usableFromInline
    func begin() -> RowWriter { graph.beginRoot() }

    /// Ends a model's row. False where its key has been taken before: the rows so far must be stored first, and the
    /// model's, which are taken back, come after them.
    @usableFromInline
    mutating func end(_ row: consuming RowWriter) throws(StorageError) -> Bool {
        try graph.endRoot(row)
        if keys != nil, keys?.insert(graph.lastKey).inserted == false {
            graph.removeLast()
            return false
        }
        count &+= 1
        return true
    }

    /// Takes back the row of a model that could not be written; false where no row is left.
    func takeBackUnfinished() -> Bool {
        if graph.model.hasChildren, graph.buffers[0].count > count { graph.removeLast() }
        graph.buffers[0].removeAll(from: count)
        return count > 0
    }

    /// Forgets the rows, which have been stored.
    mutating func removeAll() {
        graph.removeAll()
        keys?.removeAll()
        count = 0
    }
}
