/// An optional power of an engine: a copy of the store in a file of its own, made while the store is in use.
public protocol BackupEngine: StorageEngine {
    /// Writes the last commit to a file that a backend of the same kind opens. The file is there whole and on the disk
    /// when this returns, or not at all; readers and writers go on.
    ///
    /// - Parameters:
    ///   - path: the file to make.
    ///   - isReplacing: whether a file at the path may be replaced.
    /// - Throws: `io` where there is a file already that is not to be replaced; `full` or `io` where it cannot be written.
    func backUp(to path: String, replacing isReplacing: Bool) throws(StorageError)
}
