package import StorageDriver
import Synchronization

/// The types with their stored names in one store (clause S10).
final class ModelNames: Sendable {
    private struct Claim {
        /// The types that have the name, the first in front.
        var types: [any Storable.Type]
        var signature: [DeclaredModel.Signature]
    }

    private let claims = Mutex<[StoredName: Claim]>([:])

    /// The types, each the first of its name.
    var types: [any Storable.Type] { claims.withLock { $0.values.compactMap(\.types.first) } }

    /// Releases the name of a type that could not be opened, or whose transaction was undone.
    func release(_ name: StoredName, of type: ObjectIdentifier) {
        claims.withLock { claims in
            claims[name]?.types.removeAll { ObjectIdentifier($0) == type }
            if claims[name]?.types.isEmpty == true { claims[name] = nil }
        }
    }

    /// Records that a type has its stored name from now on.
    ///
    /// - Throws: `configuration`, with both types, if another type has the name and a different declaration.
    func claim(_ declared: DeclaredTables, by type: any Storable.Type) throws(StorageError) {
        let signature = declared.signature
        let other = claims.withLock { claims -> (any Storable.Type)? in
            let name = declared.model.name
            guard let claim = claims[name] else {
                claims[name] = Claim(types: [type], signature: signature)
                return nil
            }
            guard claim.signature == signature else { return claim.types.first }
            if !claim.types.contains(where: { $0 == type }) { claims[name]?.types.append(type) }
            return nil
        }
        guard let other else { return }
        throw StorageError(
            .configuration,
            "\(String(reflecting: other)) and \(String(reflecting: type)) are both stored as \(declared.model.name) and "
                + "declare it in different ways. Give one of them another stored name with @Storable(\"…\").",
            operation: "open", model: declared.model.name)
    }
}

extension StorageError {
    /// The error for a name that no model of a store has.
    package static func unknownModel(_ name: String, among names: [String]) -> StorageError {
        let known = names.isEmpty ? "none" : names.sorted().joined(separator: ", ")
        return StorageError(
            .invalidQuery,
            "The store has no model \(name)\(SpellingSuggestion.hint(name, among: names)); it has \(known).")
    }
}
