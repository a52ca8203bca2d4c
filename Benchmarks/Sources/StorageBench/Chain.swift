import CBaseline
import Foundation
import SQLiteBackend
import StorageAPI

/// A record that goes with the one that it refers to.
struct Link: Equatable, Storable {
    var id: Int
    var above: Ref<Link>?

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(
            "Link", [Property("id", Int.self, .key), Property("above", Ref<Link>?.self, onDelete: .cascade)])
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(above)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

extension Link {
    @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) {
        let p0 = try row.read(Int.self)
        let p1 = try row.read(Ref<Link>?.self)
        self.init(id: p0, above: p1)
    }
}

/// Deletes the first record of a chain, with which all others go, and counts the instructions for each of them. A long chain
/// takes as many as a short one.
enum Chain {
    static func count(_ length: Int, _ repetitions: Int) throws {
        let path = folder.appendingPathComponent("chain.db").path
        let store = try Store.Blocking.open(SQLiteBackend(path: path, durability: .relaxed), models: Link.self)
        for round in 0...repetitions {
            try store.blocking.insert(
                (0..<length).map { Link(id: $0, above: $0 == 0 ? nil : Ref(key: $0 - 1)) })
            cbaseline_count(round > 0 ? 1 : 0)
            try store.blocking.delete(Link.self, key: 0)
            cbaseline_count(0)
            guard try store.blocking.select(Link.self).count() == 0 else {
                throw BenchmarkError("links of the chain are left")
            }
        }
        print("operations", length * repetitions)
    }
}
