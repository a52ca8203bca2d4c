import StorageAPI
import StorageConformance
import Synchronization

/// The number of times that a store's capabilities were requested. A number by chance would at times be the same twice.
private let openings = Atomic(0)

extension Mutant {
    /// E: errors, capabilities and limits.
    static let errors: [Mutant] = [
        error("error-without-key", breaking: [.e1, .w1], "Errors do not name the key.") {
            StorageError($0.code, $0.message, model: $0.model, property: $0.property)
        },
        error("duplicate-is-constraint", breaking: [.w1, .e1, .w12], "duplicateKey is thrown as constraint.") {
            $0.code == .duplicateKey
                ? StorageError(.constraint, $0.message, model: $0.model, key: $0.key) : $0
        },
        error("missing-is-io", breaking: [.w3, .e1], "notFound is thrown as io.") {
            $0.code == .notFound ? StorageError(.io, $0.message, model: $0.model, key: $0.key) : $0
        },
        error("constraint-is-duplicate", breaking: [.e1, .w12, .w13], "constraint is thrown as duplicateKey.") {
            $0.code == .constraint
                ? StorageError(.duplicateKey, $0.message, model: $0.model, key: $0.key, property: $0.property) : $0
        },
        error("error-without-property", breaking: [.e1], "Errors do not name the property.") {
            StorageError($0.code, $0.message, model: $0.model, key: $0.key)
        },
        error("error-without-sentence", breaking: [.e1], "Errors say nothing.") {
            StorageError($0.code, "", model: $0.model, key: $0.key, property: $0.property)
        },
        error("error-of-other-model", breaking: [.e1, .w1], "Errors name another model.") {
            StorageError($0.code, $0.message, model: "Other", key: $0.key, property: $0.property)
        },
        Mutant("corrupt-is-io", breaking: [.e3], "Damage is thrown as io.", on: .archive) {
            $0.error = { $0.code == .corrupt ? StorageError(.io, $0.message) : $0 }
        },
        Mutant("newer-is-corrupt", breaking: [.s5], "A later format is thrown as damage.", on: .archive) {
            $0.error = { $0.code == .schemaNewer ? StorageError(.corrupt, $0.message) : $0 }
        },
        Mutant("damage-without-place", breaking: [.e3], "Damage is thrown without its place.", on: .archive) {
            $0.error = { $0.code == .corrupt ? StorageError(.corrupt, "The file is damaged.") : $0 }
        },
        Mutant("locked-is-busy", breaking: [.t6, .e4], "A second store is refused as busy.", on: .archive) {
            $0.error = { $0.code == .locked ? StorageError(.busy, $0.message) : $0 }
        },
        Mutant("overflow-is-io", breaking: [.q3, .q7, .w11], "What overflows is thrown as io.") {
            $0.queryFailure = { error, _ throws(StorageError) in
                throw error.code == .overflow ? StorageError(.io, error.message) : error
            }
            $0.error = { $0.code == .overflow ? StorageError(.io, $0.message) : $0 }
        },
        Mutant("refuses-after-failure", breaking: [.e2, .w4, .t2], "After a call that failed every write is refused.") {
            $0.transaction = .refusesAfterFailure
        },
        Mutant("lacking-without-reason", breaking: [.e4], "What is lacking is declared without a reason.") {
            $0.info = { info in info.lacking = info.lacking.mapValues { _ in "" } }
        },
        Mutant(
            "info-changes", breaking: [.e4], "The capabilities are others after the store was opened again.",
            on: .memory
        ) {
            $0.info = { $0.limits.columns = 1900 - openings.add(1, ordering: .relaxed).newValue % 1000 }
        },
        limit("text-limit-not-held", breaking: [.e4], "A text of the declared size is refused.") { value in
            if case .text(let text) = value { text.utf8.count >= 1 << 16 } else { false }
        },
        Mutant("key-limit-not-held", breaking: [.e4, .k4], "A key of the declared size is refused.") {
            $0.write = { write, _ throws(StorageError) in
                for row in write.rows where write.isPut {
                    for case .text(let text) in write.key(of: row) where text.utf8.count > 900 {
                        throw StorageError(.limitExceeded, "The key is too long.", model: write.table.path.first)
                    }
                }
            }
        },
        Mutant("depth-limit-not-held", breaking: [.e4, .c4], "The declared depth is refused.") {
            $0.write = { write, _ throws(StorageError) in
                guard write.operation == .insert, let node = write.cell({ $0.role == .node }) else { return }
                guard write.rows.contains(where: { ($0[node].number ?? 0) > 40 }) else { return }
                throw StorageError(.limitExceeded, "The tree is too deep.", model: write.table.path.first)
            }
        },
    ]

    private static func error(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ change: @escaping @Sendable (StorageError) -> StorageError
    ) -> Mutant { Mutant(id, breaking: clauses, sentence) { $0.error = change } }

    /// Limits that are declared and not held.
    private static func limit(
        _ id: String, breaking clauses: [Contract], _ sentence: String,
        _ isTooLarge: @escaping @Sendable (Value) -> Bool
    ) -> Mutant {
        Mutant(id, breaking: clauses, sentence) {
            $0.info = { $0.limits.valueBytes = 1 << 16 }
            $0.write = { write, _ throws(StorageError) in
                guard (write.rows.joined() + write.patch).contains(where: isTooLarge) else { return }
                throw StorageError(.limitExceeded, "The value is too large.", model: write.table.path.first)
            }
        }
    }
}
