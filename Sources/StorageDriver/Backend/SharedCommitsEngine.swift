/// An optional feature of an engine whose store other processes write to: telling that one of them has committed.
///
/// A store asks while its queries are observed, 20 times a second, so asking must be cheap. An engine that shares its
/// store and does not conform declares ``BackendInfo/Capability/foreignCommits`` as lacking.
public protocol SharedCommitsEngine: StorageEngine {
    /// A number that differs from the last call's if anyone but this engine has committed in between. Commits of this
    /// engine do not change it. Nil if nobody else can write.
    ///
    /// Called on a thread of its own, beside writers and readers, and may wait for a writer.
    /// - Throws: errors of asking. `busy` counts as no answer; any other makes observers read, and meet the error.
    func commitsOfOthers() throws(StorageError) -> Int?
}
