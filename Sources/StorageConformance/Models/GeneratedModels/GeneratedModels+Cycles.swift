// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Knot {
    var id: Int
    var size: Int = 0
    var parent: Ref<Knot>? = nil
    var firm: Ref<Mesh>? = nil
    var loose: Ref<Mesh>? = nil
    var pairs: [Ref<Ply>] = []
    var meshes: [Ref<Mesh>] = []
    var twin: Ref<Ply>? = nil
    var strands: [Strand] = []
}

extension Knot: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.size, Property("size", Int.self, default: { 0 })),
            .init(\.parent, Property("parent", Ref<Knot>?.self, onDelete: .cascade)),
            .init(\.firm, Property("firm", Ref<Mesh>?.self)),
            .init(\.loose, Property("loose", Ref<Mesh>?.self, onDelete: .nullify)),
            .init(\.pairs, Property("pairs", [Ref<Ply>].self, default: { [] })),
            .init(\.meshes, Property("meshes", [Ref<Mesh>].self, onDelete: .nullify, default: { [] })),
            .init(\.twin, Property("twin", Ref<Ply>?.self, onDelete: .cascade)),
            .init(\.strands, Property("strands", [Strand].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        size = try row.read(Int.self)
        parent = try row.read(Ref<Knot>?.self)
        firm = try row.read(Ref<Mesh>?.self)
        loose = try row.read(Ref<Mesh>?.self)
        pairs = try row.read([Ref<Ply>].self)
        meshes = try row.read([Ref<Mesh>].self)
        twin = try row.read(Ref<Ply>?.self)
        strands = try row.read([Strand].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(size)
        row.write(parent)
        row.write(firm)
        row.write(loose)
        row.write(pairs)
        row.write(meshes)
        row.write(twin)
        row.write(strands)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var size: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        var parent: QueryExpression<Ref<Knot>?> { QueryExpression(_propertyPath, 2) }
        var firm: QueryExpression<Ref<Mesh>?> { QueryExpression(_propertyPath, 3) }
        var loose: QueryExpression<Ref<Mesh>?> { QueryExpression(_propertyPath, 4) }
        var pairs: QueryExpression<[Ref<Ply>]> { QueryExpression(_propertyPath, 5) }
        var meshes: QueryExpression<[Ref<Mesh>]> { QueryExpression(_propertyPath, 6) }
        var twin: QueryExpression<Ref<Ply>?> { QueryExpression(_propertyPath, 7) }
        var strands: QueryExpression<[Strand]> { QueryExpression(_propertyPath, 8) }
    }
}

struct Strand {
    var size: Int = 0
    var guest: Ref<Knot>? = nil
    var held: Ref<Mesh>? = nil
    var plies: [Ref<Ply>] = []
}

extension Strand: ListedModel {
    typealias Key = Never

    static var fields: [ListedField<Self>] {
        [
            .init(\.size, Property("size", Int.self, default: { 0 })),
            .init(\.guest, Property("guest", Ref<Knot>?.self, onDelete: .nullify)),
            .init(\.held, Property("held", Ref<Mesh>?.self)),
            .init(\.plies, Property("plies", [Ref<Ply>].self, onDelete: .nullify, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        size = try row.read(Int.self)
        guest = try row.read(Ref<Knot>?.self)
        held = try row.read(Ref<Mesh>?.self)
        plies = try row.read([Ref<Ply>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(size)
        row.write(guest)
        row.write(held)
        row.write(plies)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var size: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var guest: QueryExpression<Ref<Knot>?> { QueryExpression(_propertyPath, 1) }
        var held: QueryExpression<Ref<Mesh>?> { QueryExpression(_propertyPath, 2) }
        var plies: QueryExpression<[Ref<Ply>]> { QueryExpression(_propertyPath, 3) }
    }
}

struct Mesh {
    var code: String
    var size: Int = 0
    var owner: Ref<Knot>
    var peers: [Ref<Mesh>] = []
    var ply: Ref<Ply>? = nil
}

extension Mesh: ListedModel {
    typealias Key = String

    static var fields: [ListedField<Self>] {
        [
            .init(\.code, Property("code", String.self, .key)),
            .init(\.size, Property("size", Int.self, default: { 0 })),
            .init(\.owner, Property("owner", Ref<Knot>.self, onDelete: .cascade)),
            .init(\.peers, Property("peers", [Ref<Mesh>].self, onDelete: .nullify, default: { [] })),
            .init(\.ply, Property("ply", Ref<Ply>?.self)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        code = try row.read(String.self)
        size = try row.read(Int.self)
        owner = try row.read(Ref<Knot>.self)
        peers = try row.read([Ref<Mesh>].self)
        ply = try row.read(Ref<Ply>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(code)
        row.write(size)
        row.write(owner)
        row.write(peers)
        row.write(ply)
    }

    func writeKey(into row: inout RowWriter) { row.write(code) }
    static func key(of record: Self) -> Key? { record.code }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var code: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var size: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
        var owner: QueryExpression<Ref<Knot>> { QueryExpression(_propertyPath, 2) }
        var peers: QueryExpression<[Ref<Mesh>]> { QueryExpression(_propertyPath, 3) }
        var ply: QueryExpression<Ref<Ply>?> { QueryExpression(_propertyPath, 4) }
    }
}

struct Ply {
    var rank: Int
    var side: String
    var size: Int = 0
    var mesh: Ref<Mesh>? = nil
    var witness: Ref<Knot>? = nil
    var beside: Ref<Ply>? = nil
    var rumour: Ref<Ply>? = nil
    var strand: Strand = Strand()
}

extension Ply: ListedModel {
    typealias Key = (Int, String)

    static var fields: [ListedField<Self>] {
        [
            .init(\.rank, Property("rank", Int.self, .key)),
            .init(\.side, Property("side", String.self, .key)),
            .init(\.size, Property("size", Int.self, default: { 0 })),
            .init(\.mesh, Property("mesh", Ref<Mesh>?.self, onDelete: .cascade)),
            .init(\.witness, Property("witness", Ref<Knot>?.self, onDelete: .unchecked)),
            .init(\.beside, Property("beside", Ref<Ply>?.self, onDelete: .nullify)),
            .init(\.rumour, Property("rumour", Ref<Ply>?.self, onDelete: .unchecked)),
            .init(\.strand, Property("strand", Strand.self, default: { Strand() })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        rank = try row.read(Int.self)
        side = try row.read(String.self)
        size = try row.read(Int.self)
        mesh = try row.read(Ref<Mesh>?.self)
        witness = try row.read(Ref<Knot>?.self)
        beside = try row.read(Ref<Ply>?.self)
        rumour = try row.read(Ref<Ply>?.self)
        strand = try row.read(Strand.self)
    }

    func write(into row: inout RowWriter) {
        row.write(rank)
        row.write(side)
        row.write(size)
        row.write(mesh)
        row.write(witness)
        row.write(beside)
        row.write(rumour)
        row.write(strand)
    }

    func writeKey(into row: inout RowWriter) {
        row.write(rank)
        row.write(side)
    }
    static func key(of record: Self) -> Key? { (record.rank, record.side) }
    static func values(of key: Key) -> [Value] { [Value(key.0), Value(key.1)] }
    static func readKey(_ row: inout RowReader) throws(StorageError) -> Key {
        (try row.read(Int.self), try row.read(String.self))
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var rank: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var side: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var size: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
        var mesh: QueryExpression<Ref<Mesh>?> { QueryExpression(_propertyPath, 3) }
        var witness: QueryExpression<Ref<Knot>?> { QueryExpression(_propertyPath, 4) }
        var beside: QueryExpression<Ref<Ply>?> { QueryExpression(_propertyPath, 5) }
        var rumour: QueryExpression<Ref<Ply>?> { QueryExpression(_propertyPath, 6) }
        var strand: QueryExpression<Strand> { QueryExpression(_propertyPath, 7) }
    }
}
