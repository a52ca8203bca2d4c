import StorageDigest
import StorageDriver

/// The hash of a replica's patches up to one: it tells two patches of one number apart, with all that came before them.
enum PatchChain {
    static let count = 32
    /// The chain before the first patch.
    static let beginning = [UInt8](repeating: 0, count: count)

    static func next(_ chain: [UInt8], _ patch: [UInt8]) -> [UInt8] { SHA256.hash(chain + patch) }
}

/// The name by which a hub knows a replica.
enum SyncIdentity {
    static let count = 16

    static func make() -> [UInt8] { (0..<count).map { _ in UInt8.random(in: .min ... .max) } }
}

/// The mark of the user for whom a replica has its records.
enum SyncUser {
    static let count = 8
    /// The mark of a replica that has had no answer yet, and of a transport that names no user.
    static let unknown = [UInt8](repeating: 0, count: count)

    static func mark(of user: String?) -> [UInt8] {
        user.map { Array(SHA256.hash($0.utf8).prefix(count)) } ?? unknown
    }
}

extension SHA256 {
    static func hash(_ bytes: some Collection<UInt8>) -> [UInt8] {
        var hash = SHA256()
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { hash.update(UnsafeRawBufferPointer($0)) }
        if isContiguous == nil { Array(bytes).withUnsafeBytes { hash.update($0) } }
        return hash.finish()
    }
}
