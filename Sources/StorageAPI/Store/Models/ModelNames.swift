import StorageDriver
import Synchronization

/// Which types have which stored names in one store (clause S10).
final class ModelNames: Sendable {
    private struct Claim {
        var type: any Storable.Type
        var signature: [DeclaredModel.Signature]
    }

    private let claims = Mutex<[[UInt8]: Claim]>([:])

    /// The types, each the first of its name.
    var types: [any Storable.Type] { claims.withLock { $0.values.map(\.type) } }

    /// Releases the name, because the type that claimed it could not be opened.
    func release(_ type: any Storable.Type) {
        let name = Array(type.schema.name.utf8)
        claims.withLock { claims in
            if let claim = claims[name], ObjectIdentifier(claim.type) == ObjectIdentifier(type) { claims[name] = nil }
        }
    }

    /// Records that a type has its stored name from now on.
    ///
    /// - Throws: `configuration`, with both types, if another type has the name and a different declaration.
    func claim(_ declared: DeclaredTables, by type: any Storable.Type) throws(StorageError) {
        let signature = declared.signature
        let other = claims.withLock { claims -> (any Storable.Type)? in
            let name = Array(declared.model.name.utf8)
            guard let claim = claims[name] else {
                claims[name] = Claim(type: type, signature: signature)
                return nil
            }
            return claim.signature == signature ? nil : claim.type
        }
        guard let other else { return }
        throw StorageError(
            .configuration,
            "\(String(reflecting: other)) and \(String(reflecting: type)) are both stored as \(declared.model.name) and "
                + "declare it in different ways. Give one of them another stored name with @Storable(\"…\").",
            operation: "open", model: declared.model.name)
    }
}
