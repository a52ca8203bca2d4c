/// An optional feature of an engine: it looks for damage that only the engine can see.
public protocol CheckingEngine: StorageEngine {
    /// Reads everything that is stored and checks its checksums, structure and references, if the engine has them.
    ///
    /// - Returns: one sentence for each problem.
    /// - Throws: an error if the engine cannot check.
    func findDamage() throws(StorageError) -> [String]
}
