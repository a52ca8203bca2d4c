import StorageDriver

/// The reason for which a hub refuses a whole message. It is the `underlying` error of a `StorageError` whose code is
/// `conflict`, or `unsupported` for ``notAllowed``.
public enum SyncRefusal: UInt8, Error, Hashable, Sendable {
    /// The hub knows a replica of this name that has made other patches: one store is a copy of the other's file, or this
    /// one was restored from a backup. Call ``Replica/beginAgain(isJoining:)``.
    case identityReused = 1
    /// The hub lacks commits that the replica has: it was restored from a backup. ``Replica/sync()`` gives it back what the
    /// replica has of them.
    case hubWentBack = 2
    /// The hub's store is another one than the replica has synchronised with. Call ``Replica/beginAgain(isJoining:)`` with true to join it.
    case anotherHub = 3
    /// The user may not read a model that the replica declares, or the hub does not share it.
    case notAllowed = 4
    /// The replica has the records of another user. Make a replica of another store for this user, or call
    /// ``Replica/beginAgain(isJoining:)`` with true: then waiting patches are sent as this user's, and the records that this user may
    /// not read are removed from the store.
    case anotherUser = 5

    var error: StorageError {
        switch self {
        case .identityReused:
            StorageError(
                .conflict,
                "The hub knows another replica of this one's name, because a file was copied or restored; call beginAgain().",
                operation: "sync", underlying: self)
        case .hubWentBack:
            StorageError(
                .conflict, "The hub was restored from a backup, and lacks commits that this replica has.",
                operation: "sync", underlying: self)
        case .anotherHub:
            StorageError(
                .conflict, "The hub has another store than before; call beginAgain(isJoining: true) to join it.",
                operation: "sync",
                underlying: self)
        case .anotherUser:
            StorageError(
                .conflict,
                "The replica has the records of another user; make one of another store, or call beginAgain(isJoining: true).",
                operation: "sync", underlying: self)
        case .notAllowed:
            StorageError(
                .unsupported, "The hub does not let this user read a model that the replica declares.",
                operation: "sync", underlying: self)
        }
    }
}
