/// An optional power of an engine: looking for damage where only the engine can see it.
public protocol CheckingEngine: StorageEngine {
    /// Reads all that is stored and compares checksums, structure and references, as far as the engine has them.
    ///
    /// - Returns: a sentence for each thing that is wrong; none where all is well.
    /// - Throws: what keeps the engine from looking.
    func findDamage() throws(StorageError) -> [String]
}
