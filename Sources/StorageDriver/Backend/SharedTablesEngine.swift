/// An optional power of an engine that several processes write to: noticing that another one has changed the tables.
///
/// Its readers look themselves whether the tables that a plan was made for are still stored as it needs them
/// (``TableSchema/requireStored(in:inPlace:)``). Before a transaction writes, the store compares its models again: what a save
/// keeps that the program does not know depends on all that is recorded.
package protocol SharedTablesEngine: StorageEngine {
    /// A number that differs where another process has changed the tables since an earlier transaction. Asked inside one.
    var tablesVersion: Int { get }
}
