/// An optional feature of a writing session whose engine divides tables by ranges of their keys: it drops a whole range at once.
/// Without it, the store deletes record by record.
///
/// ```
/// func dropRange(
///     of tables: [TableSchema], whereTime column: Int, isAtMost limit: Value
/// ) throws(StorageError) -> DroppedRange {
///     guard let ranges = ranges(of: tables[0]) else { return .undivided }
///     guard let range = try ranges.dropLast().first(where: { try isPassed($0, column, limit) }) else { return .none }
///     let rows = try count(range)
///     for table in tables { try drop(range, of: table) }
///     return .rows(rows)
/// }
/// ```
public protocol RangeDroppingWriter: StorageWriter {
    /// Drops the first range of a model's keys in which each record has a time at or before a limit, with the rows of owned records.
    /// The store calls it until no range is left, and only if no history, index or layer must learn which records these are.
    ///
    /// A read that has begun before sees the rows to its end, or fails with `busy`. The range of the greatest keys stays.
    ///
    /// - Parameters:
    ///   - tables: the tables of the model, the root first. All are divided by the same ranges, or none is.
    ///   - column: the index of the root's column that has the time.
    ///   - limit: the time.
    /// - Throws: `busy` if reads use the tables now. The range then stays.
    func dropRange(
        of tables: [TableSchema], whereTime column: Int, isAtMost limit: Value
    ) throws(StorageError) -> DroppedRange
}

/// The result of ``RangeDroppingWriter/dropRange(of:whereTime:isAtMost:)``.
public enum DroppedRange: Hashable, Sendable {
    /// The tables are not divided by ranges.
    case undivided
    /// Every range but the last has a record that is later than the limit, or has no time.
    case none
    /// A range was dropped, with as many records.
    case rows(Int)
}
