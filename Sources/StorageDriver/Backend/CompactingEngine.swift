/// An optional feature of an engine: it frees the space of deleted and replaced records. `Store.compact()` calls it; without it
/// that call is `unsupported`.
///
/// ```
/// func compact() throws(StorageError) {
///     let copy = try writeCopy(of: current())  // complete and on the disk before it takes the file's place
///     try copy.replaceFile()
/// }
/// ```
public protocol CompactingEngine: StorageEngine {
    /// Rewrites the store in the least space, completely or not at all. Costs about as much as writing all records.
    /// Readers continue.
    ///
    /// - Throws: `full` or `io`; the store is then unchanged and can be used. If the new store has replaced the old one
    ///   but syncing the folder failed, the error is `io`: no record is lost, and every later write throws `io` until
    ///   the store is reopened.
    func compact() throws(StorageError)
}
