/// An optional feature of an engine: it looks for damage that only the engine can see. `Store.verify()` calls it before
/// it reads the models; without it the models are all that is looked at.
///
/// ```
/// func findDamage() throws(StorageError) -> [String] {
///     try blocks().filter { !$0.hasRightChecksum }.map { "The block at \($0.offset) has another checksum." }
/// }
/// ```
public protocol CheckingEngine: StorageEngine {
    /// Reads everything that is stored and checks its checksums, structure and references, if the engine has them.
    ///
    /// - Returns: one sentence for each problem.
    /// - Throws: an error if the engine cannot check.
    func findDamage() throws(StorageError) -> [String]
}
