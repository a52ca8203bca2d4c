internal import StorageAPI

/// A condition that goes through references, and its meaning in plain Swift.
struct LinkedQuestion<M: LinkedModel>: Sendable {
    let text: String
    let term: @Sendable (M.Columns, Int) -> QueryExpression<Bool>
    let holds: @Sendable (LinkedWorld, M, Int) -> Bool

    init(
        _ text: String, _ term: @escaping @Sendable (M.Columns, Int) -> QueryExpression<Bool>,
        _ holds: @escaping @Sendable (LinkedWorld, M, Int) -> Bool
    ) {
        self.text = text
        self.term = term
        self.holds = holds
    }
}

/// Questions about one number each, joined.
indirect enum LinkedFilter<M: LinkedModel>: Sendable {
    case all
    case question(LinkedQuestion<M>, Int)
    case not(LinkedFilter)
    case both(LinkedFilter, LinkedFilter)
    case either(LinkedFilter, LinkedFilter)

    static func random(depth: Int, _ generator: inout SeededGenerator) -> LinkedFilter {
        switch generator.below(depth > 0 ? 9 : 5) {
        case 5: return .not(random(depth: depth - 1, &generator))
        case 6: return .both(random(depth: depth - 1, &generator), random(depth: depth - 1, &generator))
        case 7: return .either(random(depth: depth - 1, &generator), random(depth: depth - 1, &generator))
        case 8: return .all
        default: return generator.one(of: M.questions).map { .question($0, generator.below(4)) } ?? .all
        }
    }

    func term(_ columns: M.Columns) -> QueryExpression<Bool> {
        switch self {
        case .all: columns.size >= 0
        case .question(let question, let number): question.term(columns, number)
        case .not(let filter): !filter.term(columns)
        case .both(let left, let right): left.term(columns) && right.term(columns)
        case .either(let left, let right): left.term(columns) || right.term(columns)
        }
    }

    func holds(_ record: M, _ world: LinkedWorld) -> Bool {
        switch self {
        case .all: true
        case .question(let question, let number): question.holds(world, record, number)
        case .not(let filter): !filter.holds(record, world)
        case .both(let left, let right): left.holds(record, world) && right.holds(record, world)
        case .either(let left, let right): left.holds(record, world) || right.holds(record, world)
        }
    }

    var text: String {
        switch self {
        case .all: "$0.size >= 0"
        case .question(let question, let number): question.text.replacing("N", with: "\(number)")
        case .not(let filter): "!(\(filter.text))"
        case .both(let left, let right): "(\(left.text)) && (\(right.text))"
        case .either(let left, let right): "(\(left.text)) || (\(right.text))"
        }
    }

    var simpler: [LinkedFilter] {
        switch self {
        case .all: []
        case .question: [.all]
        case .not(let filter): [.all, filter] + filter.simpler.map { .not($0) }
        case .both(let left, let right):
            [left, right] + left.simpler.map { .both($0, right) } + right.simpler.map { .both(left, $0) }
        case .either(let left, let right):
            [left, right] + left.simpler.map { .either($0, right) } + right.simpler.map { .either(left, $0) }
        }
    }
}

// MARK: Related records in plain Swift

extension LinkedWorld {
    func children(_ knot: Knot) -> [Knot] { all(Knot.self).filter { $0.parent == knot.own } }
    func owned(_ knot: Knot) -> [Mesh] { all(Mesh.self).filter { $0.owner == knot.own } }
    func hosts(_ knot: Knot) -> [Ply] { all(Ply.self).filter { $0.strand.guest == knot.own } }
    func listed(_ mesh: Mesh) -> [Knot] { all(Knot.self).filter { $0.meshes.contains { $0 == mesh.own } } }
    func peering(_ mesh: Mesh) -> [Mesh] { all(Mesh.self).filter { $0.peers.contains { $0 == mesh.own } } }
    func plies(_ mesh: Mesh) -> [Ply] { all(Ply.self).filter { $0.mesh == mesh.own } }
    func paired(_ ply: Ply) -> [Knot] { all(Knot.self).filter { $0.pairs.contains { $0 == ply.own } } }
    func twins(_ ply: Ply) -> [Knot] { all(Knot.self).filter { $0.twin == ply.own } }
    func besides(_ ply: Ply) -> [Ply] { all(Ply.self).filter { $0.beside == ply.own } }
    func strands(_ ply: Ply) -> [Ply] { all(Ply.self).filter { $0.strand.plies.contains { $0 == ply.own } } }

    /// The elements of an array, nil where one is not stored.
    func elements<M: LinkedModel>(_ references: [Ref<M>]) -> [M?] { references.map { self[$0] } }
    func sizes<M: LinkedModel>(_ references: [Ref<M>]) -> [Int] { references.compactMap { self[$0]?.size } }
}

/// A comparison with what may be nil is false.
private func greater(_ left: Int?, _ right: Int) -> Bool { left.map { $0 > right } ?? false }

extension Knot {
    static let questions: [LinkedQuestion<Knot>] = [
        .init("$0.size > N", { $0.size > $1 }) { $1.size > $2 },
        .init("$0.parent.size > N", { $0.parent.size > $1 }) { greater($0[$1.parent]?.size, $2) },
        .init("$0.parent.parent.size == N", { $0.parent.parent.size == $1 }) { $0[$0[$1.parent]?.parent]?.size == $2 },
        .init("$0.parent == nil", { columns, _ in columns.parent == nil }) { _, knot, _ in knot.parent == nil },
        .init("$0.parent == Ref(key: N)", { $0.parent == Ref(key: $1) }) { $1.parent?.key == $2 },
        .init("$0.parent != Ref(key: N)", { $0.parent != Ref(key: $1) }) { $1.parent?.key != $2 },
        .init("$0.firm.owner.size > N", { $0.firm.owner.size > $1 }) { greater($0[$0[$1.firm]?.owner]?.size, $2) },
        .init("$0.loose.ply.mesh.size == N", { $0.loose.ply.mesh.size == $1 }) {
            $0[$0[$0[$1.loose]?.ply]?.mesh]?.size == $2
        },
        .init("$0.loose.peers.count > N", { $0.loose.peers.count > $1 }) {
            ($0[$1.loose]?.peers.count ?? 0) > $2
        },
        .init("$0.meshes.any { $0.size > N }", { columns, number in columns.meshes.any { $0.size > number } }) {
            world, knot, number in world.elements(knot.meshes).contains { greater($0?.size, number) }
        },
        .init("$0.meshes.all { $0.size > N }", { columns, number in columns.meshes.all { $0.size > number } }) {
            world, knot, number in world.elements(knot.meshes).allSatisfy { greater($0?.size, number) }
        },
        .init(
            "$0.meshes.none { $0.owner.size > N }",
            { columns, number in columns.meshes.none { $0.owner.size > number } }
        ) {
            world, knot, number in
            !world.elements(knot.meshes).contains { greater(world[$0?.owner]?.size, number) }
        },
        .init("$0.meshes.count == N", { $0.meshes.count == $1 }) { $1.meshes.count == $2 },
        .init("$0.meshes.count { $0.size > 1 } == N", { $0.meshes.count { $0.size > 1 } == $1 }) {
            $0.elements($1.meshes).count { greater($0?.size, 1) } == $2
        },
        .init("$0.meshes.max { $0.size } == N", { $0.meshes.max { $0.size } == $1 }) {
            $0.sizes($1.meshes).max() == $2
        },
        .init("$0.meshes.sum { $0.size } > N", { $0.meshes.sum { $0.size } > $1 }) {
            $0.sizes($1.meshes).reduce(0, +) > $2
        },
        .init("$0.meshes.contains(\"a\")", { columns, _ in columns.meshes.contains("a") }) { _, knot, _ in
            knot.meshes.contains("a")
        },
        .init(
            "$0.pairs.any { $0.mesh.owner.size > N }",
            { columns, number in columns.pairs.any { $0.mesh.owner.size > number } }
        ) { world, knot, number in
            world.elements(knot.pairs).contains { greater(world[world[$0?.mesh]?.owner]?.size, number) }
        },
        .init(
            "$0.strands.any { $0.guest.size > N }",
            { columns, number in columns.strands.any { $0.guest.size > number } }
        ) {
            world, knot, number in knot.strands.contains { greater(world[$0.guest]?.size, number) }
        },
        .init(
            "$0.strands.any { $0.plies.any { $0.size > N } }",
            { columns, number in columns.strands.any { $0.plies.any { $0.size > number } } }
        ) { world, knot, number in
            knot.strands.contains { world.elements($0.plies).contains { greater($0?.size, number) } }
        },
        .init("$0.twin.size > N", { $0.twin.size > $1 }) { greater($0[$1.twin]?.size, $2) },
        .init(
            "$0.twin.isIn([Ref(key: (N, \"x\")), Ref(key: (2, \"y\"))])",
            { $0.twin.isIn([Ref(key: ($1, "x")), Ref(key: (2, "y"))]) }
        ) { [Ref<Ply>(key: ($2, "x")), Ref(key: (2, "y"))].contains($1.twin) },
        .init(
            "$0.twin.beside.isIn([Ref(key: (N, \"x\")), Ref(key: (1, \"y\"))])",
            { $0.twin.beside.isIn([Ref(key: ($1, "x")), Ref(key: (1, "y"))]) }
        ) { [Ref<Ply>(key: ($2, "x")), Ref(key: (1, "y"))].contains($0[$1.twin]?.beside) },
        .init("$0.twin.beside == Ref(key: (N, \"y\"))", { $0.twin.beside == Ref(key: ($1, "y")) }) {
            $0[$1.twin]?.beside == Ref<Ply>(key: ($2, "y"))
        },
        .init("$0.children.count > N", { $0.children.count > $1 }) { $0.children($1).count > $2 },
        .init("$0.children.all { $0.size > N }", { columns, number in columns.children.all { $0.size > number } }) {
            world, knot, number in world.children(knot).allSatisfy { $0.size > number }
        },
        .init(
            "$0.children.any { $0.owned.count > N }",
            { columns, number in columns.children.any { $0.owned.count > number } }
        ) { world, knot, number in world.children(knot).contains { world.owned($0).count > number } },
        .init("$0.owned.any { $0.ply.size > N }", { columns, number in columns.owned.any { $0.ply.size > number } }) {
            world, knot, number in world.owned(knot).contains { greater(world[$0.ply]?.size, number) }
        },
        .init("$0.owned.sum { $0.size } == N", { $0.owned.sum { $0.size } == $1 }) {
            $0.owned($1).map(\.size).reduce(0, +) == $2
        },
        .init("$0.hosts.count == N", { $0.hosts.count == $1 }) { $0.hosts($1).count == $2 },
        .init("$0.parent.children.count > N", { $0.parent.children.count > $1 }) {
            world, knot, number in (world[knot.parent].map { world.children($0).count } ?? 0) > number
        },
    ]
}

extension Mesh {
    static let questions: [LinkedQuestion<Mesh>] = [
        .init("$0.owner.size > N", { $0.owner.size > $1 }) { greater($0[$1.owner]?.size, $2) },
        .init("$0.owner.parent.size > N", { $0.owner.parent.size > $1 }) {
            greater($0[$0[$1.owner]?.parent]?.size, $2)
        },
        .init("$0.owner.children.count > N", { $0.owner.children.count > $1 }) {
            world, mesh, number in (world[mesh.owner].map { world.children($0).count } ?? 0) > number
        },
        .init("$0.owner == Ref(key: N)", { $0.owner == Ref(key: $1) }) { $1.owner.key == $2 },
        .init("$0.peers.any { $0.owner.size > N }", { columns, number in columns.peers.any { $0.owner.size > number } })
        {
            world, mesh, number in world.elements(mesh.peers).contains { greater(world[$0?.owner]?.size, number) }
        },
        .init("$0.peers.count > N", { $0.peers.count > $1 }) { $1.peers.count > $2 },
        .init("$0.ply.size == N", { $0.ply.size == $1 }) { $0[$1.ply]?.size == $2 },
        .init("$0.ply == Ref(key: (N, \"x\"))", { $0.ply == Ref(key: ($1, "x")) }) {
            $1.ply == Ref<Ply>(key: ($2, "x"))
        },
        .init("$0.ply != Ref(key: (N, \"x\"))", { $0.ply != Ref(key: ($1, "x")) }) {
            $1.ply != Ref<Ply>(key: ($2, "x"))
        },
        .init("$0.listed.count == N", { $0.listed.count == $1 }) { $0.listed($1).count == $2 },
        .init("$0.listed.any { $0.size > N }", { columns, number in columns.listed.any { $0.size > number } }) {
            world, mesh, number in world.listed(mesh).contains { $0.size > number }
        },
        .init("$0.listed.sum { $0.size } > N", { $0.listed.sum { $0.size } > $1 }) {
            $0.listed($1).map(\.size).reduce(0, +) > $2
        },
        .init("$0.peering.all { $0.size > N }", { columns, number in columns.peering.all { $0.size > number } }) {
            world, mesh, number in world.peering(mesh).allSatisfy { $0.size > number }
        },
        .init("$0.plies.count { $0.size > 0 } > N", { $0.plies.count { $0.size > 0 } > $1 }) {
            $0.plies($1).count { $0.size > 0 } > $2
        },
    ]
}

extension Ply {
    static let questions: [LinkedQuestion<Ply>] = [
        .init("$0.beside.size > N", { $0.beside.size > $1 }) { greater($0[$1.beside]?.size, $2) },
        .init("$0.beside == Ref(key: (N, \"x\"))", { $0.beside == Ref(key: ($1, "x")) }) {
            $1.beside == Ref<Ply>(key: ($2, "x"))
        },
        .init("$0.rumour.isIn([Ref(key: (N, \"y\"))])", { $0.rumour.isIn([Ref(key: ($1, "y"))]) }) {
            $1.rumour == Ref<Ply>(key: ($2, "y"))
        },
        .init("$0.twins.count > N", { $0.twins.count > $1 }) { $0.twins($1).count > $2 },
        .init("$0.besides.any { $0.size > N }", { columns, number in columns.besides.any { $0.size > number } }) {
            world, ply, number in world.besides(ply).contains { $0.size > number }
        },
        .init("$0.besides.count { $0.size > 0 } == N", { $0.besides.count { $0.size > 0 } == $1 }) {
            $0.besides($1).count { $0.size > 0 } == $2
        },
        .init("$0.mesh.owner.size > N", { $0.mesh.owner.size > $1 }) { greater($0[$0[$1.mesh]?.owner]?.size, $2) },
        .init("$0.mesh == nil", { columns, _ in columns.mesh == nil }) { _, ply, _ in ply.mesh == nil },
        .init("$0.witness.size > N", { $0.witness.size > $1 }) { greater($0[$1.witness]?.size, $2) },
        .init("$0.witness == Ref(key: N)", { $0.witness == Ref(key: $1) }) { $1.witness?.key == $2 },
        .init("$0.strand.guest.size > N", { $0.strand.guest.size > $1 }) { greater($0[$1.strand.guest]?.size, $2) },
        .init("$0.strand.plies.count == N", { $0.strand.plies.count == $1 }) {
            $1.strand.plies.count == $2
        },
        .init("$0.paired.count > N", { $0.paired.count > $1 }) { $0.paired($1).count > $2 },
        .init(
            "$0.paired.any { $0.parent.size > N }",
            { columns, number in columns.paired.any { $0.parent.size > number } }
        ) { world, ply, number in world.paired(ply).contains { greater(world[$0.parent]?.size, number) } },
        .init("$0.strands.count == N", { $0.strands.count == $1 }) { $0.strands($1).count == $2 },
        .init("$0.mesh.plies.count > N", { $0.mesh.plies.count > $1 }) {
            world, ply, number in (world[ply.mesh].map { world.plies($0).count } ?? 0) > number
        },
    ]
}
