internal import StorageAPI

// Three models that refer to each other in cycles, by references of every kind and with every rule.

extension Knot.Columns {
    var children: Inverse<Knot> { inverse(\.parent) }
    var owned: Inverse<Mesh> { inverse(\.owner) }
    var hosts: Inverse<Ply> { inverse(\.strand.guest) }
}

extension Mesh.Columns {
    var listed: Inverse<Knot> { inverse(\.meshes) }
    var peering: Inverse<Mesh> { inverse(\.peers) }
    var plies: Inverse<Ply> { inverse(\.mesh) }
}

extension Ply.Columns {
    var paired: Inverse<Knot> { inverse(\.pairs) }
    var strands: Inverse<Ply> { inverse(\.strand.plies) }
    var twins: Inverse<Knot> { inverse(\.twin) }
    var besides: Inverse<Ply> { inverse(\.beside) }
}

/// The columns that all of the models have.
protocol SizedColumns: ColumnSet {
    var size: QueryExpression<Int> { get }
}

extension Knot.Columns: SizedColumns {}
extension Mesh.Columns: SizedColumns {}
extension Ply.Columns: SizedColumns {}

/// A record of one of the models, by its key.
enum LinkedID: Hashable, Sendable {
    case knot(Ref<Knot>)
    case mesh(Ref<Mesh>)
    case ply(Ref<Ply>)
}

/// A reference of a record.
struct LinkedReference {
    let rule: DeleteRule
    let target: LinkedID
}

/// A model of programs about references.
protocol LinkedModel: DeclaredModel where Columns: SizedColumns {
    static var rows: FieldPath<LinkedWorld, [Ref<Self>: Self]> { get }
    static func id(_ reference: Ref<Self>) -> LinkedID
    static func random(_ reference: Ref<Self>, _ generator: inout SeededGenerator, in world: LinkedWorld) -> Self
    /// Every key that programs use.
    static var references: [Ref<Self>] { get }
    static var questions: [LinkedQuestion<Self>] { get }
    static var loads: [LinkedLoad<Self>] { get }
    static var patches: [LinkedPatch<Self>] { get }
    static func swift(_ reference: Ref<Self>) -> String
    /// A call about a part of an array of references; nil for a model without one.
    static func randomListCall(_ generator: inout SeededGenerator, _ world: LinkedWorld) -> (any StorageOperation)?

    /// All references of the record and of what it owns.
    var links: [LinkedReference] { get }
    /// Takes away the references that nullify.
    mutating func forget(_ gone: Set<LinkedID>)
    func isBefore(_ other: Self) -> Bool
    var size: Int { get }
    /// Simpler records of the same key.
    var simpler: [Self] { get }
    var swift: String { get }
}

extension LinkedModel {
    /// The reference to the record.
    var own: Ref<Self>? { Self.key(of: self).map { Ref(key: $0) } }
}

extension Knot: LinkedModel {
    static var rows: FieldPath<LinkedWorld, [Ref<Knot>: Knot]> { \.knots }
    static func id(_ reference: Ref<Knot>) -> LinkedID { .knot(reference) }
    static let references: [Ref<Knot>] = [1, 2, 3, 4]
    static func swift(_ reference: Ref<Knot>) -> String { "\(reference.key)" }

    static func random(_ reference: Ref<Knot>, _ generator: inout SeededGenerator, in world: LinkedWorld) -> Knot {
        Knot(
            id: reference.key, size: generator.below(4), parent: generator.reference(world, 50),
            firm: generator.reference(world, 20), loose: generator.reference(world, 40),
            pairs: generator.references(world, upTo: 1), meshes: generator.references(world, upTo: 3),
            twin: generator.reference(world, 40),
            strands: (0..<generator.below(3)).map { _ in Strand.random(&generator, world) })
    }

    var links: [LinkedReference] {
        parent.links(.cascade) + firm.links(.deny) + loose.links(.nullify) + pairs.links(.deny)
            + meshes.links(.nullify) + twin.links(.cascade) + strands.flatMap(\.links)
    }

    mutating func forget(_ gone: Set<LinkedID>) {
        loose.forget(gone)
        meshes.forget(gone)
        for index in strands.indices { strands[index].forget(gone) }
    }

    func isBefore(_ other: Knot) -> Bool { id < other.id }

    var simpler: [Knot] {
        simpler([
            { $0.parent = nil }, { $0.firm = nil }, { $0.loose = nil }, { $0.pairs = [] }, { $0.meshes = [] },
            { $0.twin = nil },
            { $0.strands = [] }, { $0.strands = $0.strands.prefix(1).map(\.bare) }, { $0.size = 0 },
        ])
    }

    var swift: String {
        "Knot(id: \(id), size: \(size)" + parent.argument("parent") + firm.argument("firm") + loose.argument("loose")
            + pairs.argument("pairs") + meshes.argument("meshes") + twin.argument("twin")
            + (strands.isEmpty ? "" : ", strands: [\(strands.map(\.swift).joined(separator: ", "))]") + ")"
    }
}

extension Strand {
    static func random(_ generator: inout SeededGenerator, _ world: LinkedWorld) -> Strand {
        Strand(
            size: generator.below(4), guest: generator.reference(world, 50), held: generator.reference(world, 15),
            plies: generator.references(world, upTo: 2))
    }

    var links: [LinkedReference] { guest.links(.nullify) + held.links(.deny) + plies.links(.nullify) }
    var bare: Strand { Strand(size: size) }

    mutating func forget(_ gone: Set<LinkedID>) {
        guest.forget(gone)
        plies.forget(gone)
    }

    var swift: String {
        "Strand(size: \(size)" + guest.argument("guest") + held.argument("held") + plies.argument("plies") + ")"
    }
}

extension Mesh: LinkedModel {
    static var rows: FieldPath<LinkedWorld, [Ref<Mesh>: Mesh]> { \.meshes }
    static func id(_ reference: Ref<Mesh>) -> LinkedID { .mesh(reference) }
    static let references: [Ref<Mesh>] = ["a", "b", "c", "d"]
    static func swift(_ reference: Ref<Mesh>) -> String { "\"\(reference.key)\"" }

    static func random(_ reference: Ref<Mesh>, _ generator: inout SeededGenerator, in world: LinkedWorld) -> Mesh {
        Mesh(
            code: reference.key, size: generator.below(4), owner: generator.reference(world, 100) ?? 1,
            peers: generator.references(world, upTo: 3), ply: generator.reference(world, 30))
    }

    var links: [LinkedReference] { Optional(owner).links(.cascade) + peers.links(.nullify) + ply.links(.deny) }
    mutating func forget(_ gone: Set<LinkedID>) { peers.forget(gone) }
    func isBefore(_ other: Mesh) -> Bool { code < other.code }
    var simpler: [Mesh] { simpler([{ $0.peers = [] }, { $0.ply = nil }, { $0.size = 0 }]) }

    var swift: String {
        "Mesh(code: \"\(code)\", size: \(size)" + Optional(owner).argument("owner") + peers.argument("peers")
            + ply.argument("ply") + ")"
    }
}

extension Ply: LinkedModel {
    static var rows: FieldPath<LinkedWorld, [Ref<Ply>: Ply]> { \.plies }
    static func id(_ reference: Ref<Ply>) -> LinkedID { .ply(reference) }
    static let references: [Ref<Ply>] = [(1, "x"), (1, "y"), (2, "x"), (2, "y")].map { Ref(key: $0) }
    static func swift(_ reference: Ref<Ply>) -> String { "Ref(key: (\(reference.key.0), \"\(reference.key.1)\"))" }

    static func random(_ reference: Ref<Ply>, _ generator: inout SeededGenerator, in world: LinkedWorld) -> Ply {
        Ply(
            rank: reference.key.0, side: reference.key.1, size: generator.below(4),
            mesh: generator.reference(world, 50),
            // Never checked, so any key will do.
            witness: generator.chance(50) ? generator.one(of: Knot.references) : nil,
            beside: generator.reference(world, 50), rumour: generator.chance(30) ? generator.one(of: references) : nil,
            strand: generator.chance(40) ? Strand.random(&generator, world) : Strand())
    }

    var links: [LinkedReference] {
        mesh.links(.cascade) + witness.links(.unchecked) + beside.links(.nullify) + rumour.links(.unchecked)
            + strand.links
    }

    mutating func forget(_ gone: Set<LinkedID>) {
        beside.forget(gone)
        strand.forget(gone)
    }

    func isBefore(_ other: Ply) -> Bool { (rank, side) < (other.rank, other.side) }

    var simpler: [Ply] {
        simpler([
            { $0.mesh = nil }, { $0.witness = nil }, { $0.beside = nil }, { $0.rumour = nil }, { $0.strand = Strand() },
            { $0.strand = $0.strand.bare },
            { $0.size = 0 },
        ])
    }

    var swift: String {
        "Ply(rank: \(rank), side: \"\(side)\", size: \(size)" + mesh.argument("mesh") + witness.argument("witness")
            + beside.argument("beside") + rumour.argument("rumour") + ", strand: \(strand.swift))"
    }
}

// MARK: References

extension LinkedModel {
    /// The record with each of the changes that changes it.
    fileprivate func simpler(_ changes: [(inout Self) -> Void]) -> [Self] {
        changes.compactMap { change in
            var record = self
            change(&record)
            return record.swift == swift ? nil : record
        }
    }
}

extension SeededGenerator {
    /// Returns a reference with a probability in percent, mostly to a stored record.
    fileprivate mutating func reference<M: LinkedModel>(_ world: LinkedWorld, _ percent: Int) -> Ref<M>? {
        chance(percent) ? target(world) : nil
    }

    fileprivate mutating func references<M: LinkedModel>(_ world: LinkedWorld, upTo count: Int) -> [Ref<M>] {
        (0..<below(count + 1)).compactMap { _ in target(world) }
    }

    private mutating func target<M: LinkedModel>(_ world: LinkedWorld) -> Ref<M>? {
        let stored = M.references.filter { world[keyPath: M.rows][$0] != nil }
        // A record that refers to nothing stored is refused, and a store of which most are refused shows nothing.
        return chance(96) ? one(of: stored) : one(of: M.references)
    }
}

extension Optional {
    fileprivate func links<M: LinkedModel>(_ rule: DeleteRule) -> [LinkedReference] where Wrapped == Ref<M> {
        map { [LinkedReference(rule: rule, target: M.id($0))] } ?? []
    }

    fileprivate mutating func forget<M: LinkedModel>(_ gone: Set<LinkedID>) where Wrapped == Ref<M> {
        if let reference = self, gone.contains(M.id(reference)) { self = nil }
    }

    fileprivate func argument<M: LinkedModel>(_ name: String) -> String where Wrapped == Ref<M> {
        map { ", \(name): \(M.swift($0))" } ?? ""
    }
}

extension Array {
    fileprivate func links<M: LinkedModel>(_ rule: DeleteRule) -> [LinkedReference] where Element == Ref<M> {
        map { LinkedReference(rule: rule, target: M.id($0)) }
    }

    fileprivate mutating func forget<M: LinkedModel>(_ gone: Set<LinkedID>) where Element == Ref<M> {
        removeAll { gone.contains(M.id($0)) }
    }

    fileprivate func argument<M: LinkedModel>(_ name: String) -> String where Element == Ref<M> {
        isEmpty ? "" : ", \(name): [\(map(M.swift).joined(separator: ", "))]"
    }
}
