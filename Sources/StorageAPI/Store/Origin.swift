public import StorageCore

extension Store {
    /// The origin of a commit, which the history records.
    public typealias Origin = CommitOrigin
}
