/// An optional feature of an engine that several processes write to: noticing that another one has changed the tables.
///
/// Its readers check that the tables of a plan are still stored as the plan needs them
/// (`requireStored(in:inPlace:)`). Before a transaction writes, the store compares its models again, because
/// a save keeps recorded properties that the program does not know. Examples/OutsideBackend has a whole one, `SharedBackend`.
public protocol SharedTablesEngine: StorageEngine {
    /// A number that changes if another process has changed the tables since an earlier transaction. Read inside one.
    var tablesVersion: Int { get }
}
