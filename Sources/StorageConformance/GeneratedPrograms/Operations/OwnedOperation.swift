internal import StorageAPI

/// The records that another model owns by a property, with their owners' keys.
struct OwnedOperation<Owner: GeneratedModel, Child: GeneratedRecord>: StorageOperation {
    let question: OwnedQuestion<Owner, Child>
    let query: GeneratedQuery<Child>
    let counts: Bool

    var modelName: String { Owner.schema.name }

    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String {
        let select = question.select(query.apply(to: verbs.select(Child.self)))
        if counts { return String(try select.count()) }
        return Self.text(try select.all().map { ($0.owner, $0.value) })
    }

    func apply(to world: inout World) throws(ExpectedError) -> String {
        let owned = world[keyPath: Owner.table].rows.flatMap { owner in
            owner.keyOrNil.map { key in question.children(owner).map { (key, $0) } } ?? []
        }
        let answer = try query.answer(owned) { $0.1 }
        return counts ? String(answer.count) : Self.text(answer)
    }

    private static func text(_ owned: [(Owner.Key, Child)]) -> String {
        owned.map { "\(Owner.swift(ofKey: $0)): \($1.swift(.comparable))" }.joined(separator: "\n")
    }

    var swift: String {
        "try store.select(\(Child.typeName).self).owned(by: \(Owner.typeName).self, \\.\(question.property))\(query.text)"
            + (counts ? ".count()" : ".all()")
    }

    var simpler: [any StorageOperation] {
        query.simpler.map { OwnedOperation(question: question, query: $0, counts: counts) }
    }
}

/// A question about an owned property.
struct OwnedQuestion<Owner: GeneratedModel, Child: GeneratedRecord>: Sendable {
    let property: String
    let select: @Sendable (Select<Child, Store.Session>) -> Select<Child, Store.Session>.ByOwner<Owner>
    let children: @Sendable (Owner) -> [Child]
}

extension OwnedQuestion where Owner == Generated.Crate, Child == Generated.Item {
    static let items = OwnedQuestion(
        property: "items", select: { $0.owned(by: Generated.Crate.self, \.items) }, children: { $0.items })
    static let extras = OwnedQuestion(
        property: "extras", select: { $0.owned(by: Generated.Crate.self, \.extras) }, children: { $0.extras ?? [] })
}

extension OwnedQuestion where Owner == Generated.Crate, Child == Generated.Lid {
    static let lid = OwnedQuestion(
        property: "lid", select: { $0.owned(by: Generated.Crate.self, \.lid) }, children: { [$0.lid] })
    static let spare = OwnedQuestion(
        property: "spare", select: { $0.owned(by: Generated.Crate.self, \.spare) },
        children: { $0.spare.map { [$0] } ?? [] })
}
