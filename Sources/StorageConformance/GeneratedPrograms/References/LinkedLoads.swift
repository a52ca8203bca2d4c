internal import StorageAPI

// Records loaded together, and what each row has, in plain Swift.

extension LinkedWorld {
    /// The record of a reference; nil for nil.
    fileprivate func record<M: LinkedModel>(_ reference: Ref<M>?) throws(ExpectedError) -> M? {
        guard let reference else { return nil }
        guard let record = self[reference] else { throw ExpectedError(.notFound) }
        return record
    }

    /// The records of an array, without those that are not stored.
    fileprivate func records<M: LinkedModel>(_ references: [Ref<M>]) -> [M] { references.compactMap { self[$0] } }
}

private func show(_ parts: String...) -> String { parts.joined(separator: " | ") }

extension Optional where Wrapped: LinkedModel {
    fileprivate var shown: String { self?.swift ?? "nil" }
}

extension Array where Element: LinkedModel {
    fileprivate var shown: String { "[" + lines.joined(separator: ", ") + "]" }
}

extension Knot {
    static let loads: [LinkedLoad<Knot>] = [
        LinkedLoad(
            text: { _ in ".with(\\.parent).with(\\.meshes)" },
            load: { (select, _) throws(StorageError) in
                try select.with(\.parent).with(\.meshes).all().map { show($0.0.swift, $0.1.shown, $0.2.shown) }
            },
            expected: { (world, knot, _) throws(ExpectedError) in
                show(knot.swift, try world.record(knot.parent).shown, world.records(knot.meshes).shown)
            }),
        LinkedLoad(
            isReversed: true,
            text: { ".with(\\.children) { $0.order { $0.size.descending }.limit(\($0)) }.with(\\.owned)" },
            load: { (select, number) throws(StorageError) in
                try select.with(\.children) { $0.order { $0.size.descending }.limit(number) }.with(\.owned).all()
                    .map { show($0.0.swift, $0.1.shown, $0.2.shown) }
            },
            expected: { (world, knot, number) throws(ExpectedError) in
                let children = world.children(knot).stablySorted { $0.size > $1.size }.prefix(number)
                return show(knot.swift, Array(children).shown, world.owned(knot).shown)
            }),
        LinkedLoad(
            text: {
                ".with(\\.loose) { $0.with(\\.owner).with(\\.peers) { $0.where { $0.size > \($0) } } }.with(\\.pairs)"
            },
            load: { (select, number) throws(StorageError) in
                try select.with(\.loose) { $0.with(\.owner).with(\.peers) { $0.where { $0.size > number } } }
                    .with(\.pairs).all()
                    .map { row in
                        let mesh = row.1.map { show($0.0.swift, $0.1.swift, $0.2.shown) } ?? "nil"
                        return show(row.0.swift, mesh, row.2.shown)
                    }
            },
            expected: { (world, knot, number) throws(ExpectedError) in
                var loose = "nil"
                if let mesh = try world.record(knot.loose) {
                    let peers = world.records(mesh.peers).filter { $0.size > number }
                    loose = show(mesh.swift, try world.record(mesh.owner).shown, peers.shown)
                }
                return show(knot.swift, loose, world.records(knot.pairs).shown)
            }),
        LinkedLoad(
            text: { ".with(\\.firm.ifPresent).with(\\.meshes) { $0.order { $0.size }.offset(1).limit(\($0)) }" },
            load: { (select, number) throws(StorageError) in
                try select.with(\.firm.ifPresent).with(\.meshes) { $0.order { $0.size }.offset(1).limit(number) }.all()
                    .map { show($0.0.swift, $0.1.shown, $0.2.shown) }
            },
            expected: { (world, knot, number) throws(ExpectedError) in
                let meshes = world.records(knot.meshes).stablySorted { ($0.size, $0.code) < ($1.size, $1.code) }
                return show(knot.swift, world[knot.firm].shown, Array(meshes.dropFirst().prefix(number)).shown)
            }),
    ]

    static let patches: [LinkedPatch<Knot>] = [
        LinkedPatch(text: { "\\.size, to: \($0)" }, assign: { $0.set(\.size, to: $1) }, change: { $0.size = $1 }),
        LinkedPatch(
            text: { "\\.parent, to: Ref(key: \($0))" }, assign: { $0.set(\.parent, to: Ref(key: $1)) },
            change: { $0.parent = Ref(key: $1) }),
        LinkedPatch(
            text: { "\\.firm, to: \(Self.mesh($0).map { "\"\($0.key)\"" } ?? "nil")" },
            assign: { $0.set(\.firm, to: Self.mesh($1)) }, change: { $0.firm = Self.mesh($1) }),
        LinkedPatch(
            text: { "\\.loose, to: \(Self.mesh($0).map { "\"\($0.key)\"" } ?? "nil")" },
            assign: { $0.set(\.loose, to: Self.mesh($1)) }, change: { $0.loose = Self.mesh($1) }),
    ]

    private static func mesh(_ number: Int) -> Ref<Mesh>? { number == 0 ? nil : Mesh.references[number - 1] }
}

extension Mesh {
    static let loads: [LinkedLoad<Mesh>] = [
        LinkedLoad(
            text: { _ in ".with(\\.owner) { $0.with(\\.children) }.with(\\.peers).with(\\.ply)" },
            load: { (select, _) throws(StorageError) in
                var lines: [String] = []
                let rows = try select.with(\.owner) { $0.with(\.children) }.with(\.peers)
                    .with(\.ply).all()
                for (mesh, owner, peers, ply) in rows {
                    lines.append(show(mesh.swift, owner.0.swift, owner.1.shown, peers.shown, ply.shown))
                }
                return lines
            },
            expected: { (world, mesh, _) throws(ExpectedError) in
                guard let owner = try world.record(mesh.owner) else { throw ExpectedError(.notFound) }
                return show(
                    mesh.swift, owner.swift, world.children(owner).shown, world.records(mesh.peers).shown,
                    try world.record(mesh.ply).shown)
            }),
        LinkedLoad(
            text: { ".with(\\.plies) { $0.where { $0.size > \($0) }.with(\\.mesh) }.with(\\.listed)" },
            load: { (select, number) throws(StorageError) in
                try select.with(\.plies) { $0.where { $0.size > number }.with(\.mesh) }.with(\.listed).all()
                    .map { row in
                        show(
                            row.0.swift, row.1.map { show($0.0.swift, $0.1.shown) }.joined(separator: "; "), row.2.shown
                        )
                    }
            },
            expected: { (world, mesh, number) throws(ExpectedError) in
                let plies = world.plies(mesh).filter { $0.size > number }
                    .map { show($0.swift, Optional(mesh).shown) }
                return show(mesh.swift, plies.joined(separator: "; "), world.listed(mesh).shown)
            }),
        LinkedLoad(
            text: {
                ".with(\\.peering) { $0.limit(\($0)) }.with(\\.listed) { $0.order { $0.size.descending }.limit(2) }"
            },
            load: { (select, number) throws(StorageError) in
                try select.with(\.peering) { $0.limit(number) }
                    .with(\.listed) { $0.order { $0.size.descending }.limit(2) }.all()
                    .map { show($0.0.swift, $0.1.shown, $0.2.shown) }
            },
            expected: { (world, mesh, number) throws(ExpectedError) in
                let listed = world.listed(mesh).stablySorted { $0.size > $1.size }.prefix(2)
                return show(mesh.swift, Array(world.peering(mesh).prefix(number)).shown, Array(listed).shown)
            }),
    ]

    static let patches: [LinkedPatch<Mesh>] = [
        LinkedPatch(
            text: { "\\.owner, to: Ref(key: \($0))" }, assign: { $0.set(\.owner, to: Ref(key: $1)) },
            change: { $0.owner = Ref(key: $1) }),
        LinkedPatch(
            text: { "\\.ply, to: \($0 == 0 ? "nil" : "Ref(key: (\($0), \"x\"))")" },
            assign: { $0.set(\.ply, to: Self.ply($1)) }, change: { $0.ply = Self.ply($1) }),
    ]

    private static func ply(_ number: Int) -> Ref<Ply>? { number == 0 ? nil : Ref(key: (number, "x")) }
}

extension Ply {
    static let loads: [LinkedLoad<Ply>] = [
        LinkedLoad(
            text: { ".with(\\.besides) { $0.where { $0.size > \($0) } }.with(\\.twins).with(\\.beside)" },
            load: { (select, number) throws(StorageError) in
                var lines: [String] = []
                let rows = try select.with(\.besides) { $0.where { $0.size > number } }.with(\.twins)
                    .with(\.beside).all()
                for (ply, besides, twins, beside) in rows {
                    lines.append(show(ply.swift, besides.shown, twins.shown, beside.shown))
                }
                return lines
            },
            expected: { (world, ply, number) throws(ExpectedError) in
                show(
                    ply.swift, world.besides(ply).filter { $0.size > number }.shown, world.twins(ply).shown,
                    try world.record(ply.beside).shown)
            }),
        LinkedLoad(
            text: { _ in ".with(\\.mesh) { $0.with(\\.owner).with(\\.plies) }.with(\\.witness.ifPresent)" },
            load: { (select, _) throws(StorageError) in
                try select.with(\.mesh) { $0.with(\.owner).with(\.plies) }.with(\.witness.ifPresent).all()
                    .map { row in
                        show(
                            row.0.swift, row.1.map { show($0.0.swift, $0.1.swift, $0.2.shown) } ?? "nil", row.2.shown)
                    }
            },
            expected: { (world, ply, _) throws(ExpectedError) in
                var mesh = "nil"
                if let found = try world.record(ply.mesh) {
                    mesh = show(found.swift, try world.record(found.owner).shown, world.plies(found).shown)
                }
                return show(ply.swift, mesh, world[ply.witness].shown)
            }),
        LinkedLoad(
            text: { ".with(\\.witness).with(\\.paired) { $0.limit(\($0)) }.with(\\.strands)" },
            load: { (select, number) throws(StorageError) in
                var lines: [String] = []
                let rows = try select.with(\.witness)
                    .with(\.paired) { $0.limit(number) }.with(\.strands).all()
                for (ply, witness, paired, strands) in rows {
                    lines.append(show(ply.swift, witness.shown, paired.shown, strands.shown))
                }
                return lines
            },
            expected: { (world, ply, number) throws(ExpectedError) in
                show(
                    ply.swift, try world.record(ply.witness).shown, Array(world.paired(ply).prefix(number)).shown,
                    world.strands(ply).shown)
            }),
    ]

    static let patches: [LinkedPatch<Ply>] = [
        LinkedPatch(
            text: { "\\.mesh, to: \"\(Mesh.references[$0].key)\"" },
            assign: { $0.set(\.mesh, to: Mesh.references[$1]) },
            change: { $0.mesh = Mesh.references[$1] }),
        LinkedPatch(
            text: { "\\.witness, to: Ref(key: \($0))" }, assign: { $0.set(\.witness, to: Ref(key: $1)) },
            change: { $0.witness = Ref(key: $1) }),
    ]
}
