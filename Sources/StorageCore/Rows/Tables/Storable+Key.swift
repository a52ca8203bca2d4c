import StorageDriver

extension Storable {
    /// The key that ``writeKey(into:)`` writes; nil also for a type that no store can open.
    public static func key(of record: Self) -> Key? {
        do throws(StorageError) { return try writtenKey(of: record) } catch { return nil }
    }

    private static func writtenKey(of record: Self) throws(StorageError) -> Key? {
        let model = try ModelTables(new: DeclaredTables(Self.self))
        let graph = GraphWriter(model, limits: BackendInfo.Limits())
        let keys = RowBuffer(width: model.rootKeyCount)
        try graph.writeKey(to: keys) { record.writeKey(into: &$0) }
        let cells = keys.row(0)
        if (0..<keys.width).contains(where: { cells[$0].isNull }) { return nil }
        let context = RowContext(model: model, table: model.keyRows)
        var row = RowReader(UnsafePointer(cells), from: 0, to: keys.width, context: .passUnretained(context))
        let key = try readKey(&row)
        withExtendedLifetime((graph, context)) {}
        return key
    }
}
