import StorageDriver

/// The format of a history's tables, which the version of its settings tells.
///
/// The first one has no origins and marks of commits, no changes by rules, and no holds. An earlier version of the library
/// refuses to open a store of the second with `schemaNewer`. So a history that an earlier version has begun keeps the first
/// format, and can be used by both, until something has to be recorded that needs the second.
enum HistoryFormat {
    /// Gives a store's history the second format, unless it has it.
    ///
    /// - Returns: the history; nil if the store keeps none.
    @discardableResult
    static func raise(
        in writer: any StorageWriter, _ directory: ModelDirectory
    ) throws(StorageError) -> ActiveHistory? {
        guard let known = HistoryTables(in: try writer.tables(), directory) else { return nil }
        var settings = try known.settings(in: writer)
        guard known.isFirstFormat else { return ActiveHistory(settings, known) }
        let commits = CommitRow.table.completed(known.commits)
        let added = commits.columns.count - known.commits.columns.count
        try writer.change(
            .alter(from: known.commits, to: commits, added: Array(repeating: .null, count: added)))
        settings.version = HistorySettings.currentVersion
        try settings.record(in: writer, directory)
        return try ActiveHistory.recorded(in: writer, directory)
    }
}
