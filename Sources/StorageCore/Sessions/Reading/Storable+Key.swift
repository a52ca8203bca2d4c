import StorageDriver

extension Storable {
    /// The key that ``writeKey(into:)`` writes; nil also for a type that no store can open.
    public static func key(of record: Self) -> Key? {
        do throws(StorageError) { return try ModelRows<Self>().key(of: record) } catch { return nil }
    }
}
