/// An optional feature of an engine whose store other processes write to: telling that one of them has committed.
///
/// A store asks while its queries are observed, 20 times a second and when it reads for an observer, so asking must be
/// cheap. An engine that shares its store and does not conform declares ``BackendInfo/Capability/foreignCommits`` as
/// lacking. Examples/OutsideBackend has a whole one, `SharedBackend`.
public protocol ExternalCommitsEngine: StorageEngine {
    /// Counts the commits of others up to now, or several of them as one. Commits of this engine are not counted.
    ///
    /// Called on any thread, beside writers and readers, and waits for none.
    /// - Throws: errors of asking. `busy` counts as no answer; any other makes observers read, and meet the error.
    func externalCommits() throws(StorageError) -> ExternalCommitCount
}

/// An ``ExternalCommitsEngine`` that a server notifies of commits. It is asked only after such a notification, and when
/// the store reads for an observer; then it may ask the server.
///
/// ```
/// func startListening(_ tell: @escaping @Sendable () -> Void) {
///     listener.run("LISTEN commits") { _ in tell() }   // on a separate connection and thread
/// }
/// ```
public protocol ListeningEngine: ExternalCommitsEngine {
    /// Calls the closure soon after each commit of another process, until ``stopListening()``. Returns at once.
    func startListening(_ tell: @escaping @Sendable () -> Void)

    /// Returns at once.
    func stopListening()

    /// The time that the server may be unavailable before an observer of a query is notified.
    var millisecondsOfOutage: Int { get }

    /// Returns whether an error reports that the server is unavailable, or that a connection to it is lost.
    func isOutage(_ error: StorageError) -> Bool
}

/// An optional feature of an engine that may become able to write while it is open, as one on a replica that is promoted.
///
/// The store asks before it refuses a write with `unsupported`.
///
/// ```
/// func canWriteNow() throws(StorageError) -> Bool { try !connection.value("SELECT pg_is_in_recovery()") }
/// ```
public protocol PromotableEngine: StorageEngine {
    /// Returns whether the engine can currently write. May ask a server. ``StorageEngine/info`` then agrees.
    func canWriteNow() throws(StorageError) -> Bool
}

/// The commits by others than an engine.
public enum ExternalCommitCount: Sendable, Hashable {
    /// No other process can write.
    case impossible
    /// A number that differs after a commit of another process.
    case count(Int)
    /// It cannot be decided without waiting.
    case unknown
}
