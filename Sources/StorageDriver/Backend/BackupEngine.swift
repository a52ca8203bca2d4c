/// An optional feature of an engine: it copies the store to a file while the store is in use.
/// `Store.backUp(to:replacing:)` calls it; without it that call is `unsupported`.
///
/// ```
/// func backUp(to path: String, replacing isReplacing: Bool) throws(StorageError) {
///     let reader = try snapshot()              // one commit, while writers go on
///     defer { reader.end() }
///     let file = try TemporaryFile(beside: path)
///     try reader.copy(to: file)
///     try file.sync()                          // on the disk before it has the name
///     try file.rename(to: path, replacing: isReplacing)
/// }
/// ```
public protocol BackupEngine: StorageEngine {
    /// Writes the last commit to a file that the same backend can open. When this returns, the complete file is on the
    /// disk; if it throws, no new file exists. Readers and writers continue.
    ///
    /// - Parameters:
    ///   - path: the file to create.
    ///   - isReplacing: whether a file at the path may be replaced.
    /// - Throws: `io` if a file exists and must not be replaced; `full` or `io` if the file cannot be written.
    func backUp(to path: String, replacing isReplacing: Bool) throws(StorageError)
}
