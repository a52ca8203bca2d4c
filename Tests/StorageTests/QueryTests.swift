import Foundation
import StorageKit
import Testing

@Suite("Q Queries: what comes, in which order")
struct QueryTests {
    @Storable struct Row: Equatable {
        var id: Int
        var a: Int?
        var b: Int?
        var flag = false
        var group = 0
        var text = ""
    }

    static func rows(_ count: Int) -> [Row] {
        (0..<count).map { Row(id: $0, a: $0 % 7 == 0 ? nil : $0 % 5, flag: $0 % 2 == 0, group: $0 % 3, text: "r\($0)") }
    }

    @Test(arguments: Backend.allCases)
    func `Q2 and, or, not are two-valued over nil, all cells`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let values: [Int?] = [nil, 0, 1]
            let rows = values.enumerated().flatMap { i, a in
                values.enumerated().map { j, b in Row(id: i * 3 + j, a: a, b: b) }
            }
            try await store.insert(rows)
            func expect(
                _ what: Comment, _ condition: (Row.Columns) -> QueryExpression<Bool>, _ swift: (Row) -> Bool,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let wanted = rows.filter(swift)
                let select = store.select(Row.self)
                #expect(try await select.where(condition).all() == wanted, what, sourceLocation: sourceLocation)
                #expect(
                    try await select.where { !condition($0) }.count() == rows.count - wanted.count, "not \(what)",
                    sourceLocation: sourceLocation)
                #expect(
                    try await select.where { !(!condition($0)) }.count() == wanted.count, "not not \(what)",
                    sourceLocation: sourceLocation)
            }
            func less(_ left: Int?, _ right: Int?) -> Bool {
                guard let left, let right else { return false }
                return left < right
            }
            try await expect("==", { $0.a == 1 }, { $0.a == 1 })
            try await expect("!=", { $0.a != 1 }, { $0.a != 1 })
            try await expect("== nil", { $0.a == nil }, { $0.a == nil })
            try await expect("a == b", { $0.a == $0.b }, { $0.a == $0.b })
            try await expect("a != b", { $0.a != $0.b }, { $0.a != $0.b })
            try await expect("and", { $0.a == 1 && $0.b == 1 }, { $0.a == 1 && $0.b == 1 })
            try await expect("or", { $0.a == 1 || $0.b == 1 }, { $0.a == 1 || $0.b == 1 })
            try await expect("and not", { $0.a == 1 && !($0.b == 1) }, { $0.a == 1 && $0.b != 1 })
            try await expect("or not", { $0.a == nil || !($0.b != nil) }, { $0.a == nil || $0.b == nil })
            try await expect("<", { $0.a < 1 }, { less($0.a, 1) })
            try await expect("not <", { !($0.a < 1) }, { !less($0.a, 1) })
            try await expect("not (and)", { !($0.a < 1 && $0.b < 1) }, { !(less($0.a, 1) && less($0.b, 1)) })
            try await expect("not (or)", { !($0.a < 1 || $0.b > 0) }, { !(less($0.a, 1) || less(0, $0.b)) })
            let none: Int? = nil
            try await expect("== nil value", { $0.a == none }, { $0.a == none })
            try await expect("!= nil value", { $0.a != none }, { $0.a != none })
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q2 a Bool property is a condition by itself`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert([Row(id: 1, flag: true), Row(id: 2)])
            #expect(try await store.select(Row.self).where { $0.flag }.keys() == [1])
            #expect(try await store.select(Row.self).where { !$0.flag }.keys() == [2])
            #expect(try await store.select(Row.self).where { $0.flag == true && !($0.id == 2) }.keys() == [1])
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q4 in takes 0, 1 and 10,000 values, and nil`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let rows = Self.rows(100)
            try await store.insert(rows)
            let select = store.select(Row.self)
            #expect(try await select.where { $0.id.isIn([]) }.count() == 0)
            #expect(try await select.where { !$0.id.isIn([]) }.count() == 100)
            #expect(try await select.where { $0.id.isIn([5]) }.keys() == [5])
            let many = Array(stride(from: -1000, to: 19_000, by: 2)) + [4, 4, 4]
            #expect(try await select.where { $0.id.isIn(many) }.keys() == Array(stride(from: 0, to: 100, by: 2)))
            #expect(try await select.where { !$0.id.isIn(many) }.count() == 50)
            #expect(try await select.where { $0.a.isIn([nil]) }.all() == rows.filter { $0.a == nil })
            #expect(try await select.where { $0.a.isIn([nil, 3]) }.all() == rows.filter { $0.a == nil || $0.a == 3 })
            #expect(try await select.where { !$0.a.isIn([nil, 3]) }.all() == rows.filter { $0.a != nil && $0.a != 3 })
            #expect(try await select.where { !$0.a.isIn([3]) }.all() == rows.filter { $0.a != 3 })
            #expect(try await select.where { $0.text.isIn(["r1", "r99", "R2", ""]) }.keys() == [1, 99])
            #expect(try await select.where { $0.id.isIn(10..<13) && $0.id.isIn(11...20) }.keys() == [11, 12])
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q1 chains of 10,000 conditions`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.rows(30))
            let either = store.select(Row.self).where { row in
                (1..<10_000).reduce(row.id == 0) { $0 || row.id == $1 * 10 }
            }
            #expect(try await either.keys() == [0, 10, 20])
            let all = store.select(Row.self).where { row in (1..<10_000).reduce(row.id != 0) { $0 && row.id != $1 * 3 }
            }
            #expect(try await all.count() == 20)
        }
    }

    @Test(arguments: Backend.allCases)
    func `E2 a filter nested too deep is limitExceeded, 64 levels pass`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.rows(3))
            func nested(_ levels: Int) -> Select<Row, Store> {
                store.select(Row.self).where { row in
                    (0..<levels).reduce(row.id == 1) { $1 % 2 == 0 ? !$0 : ($0 && row.id >= 0) }
                }
            }
            #expect(try await nested(2).keys() == [0, 2])
            #expect(try await nested(64).keys() == [1])
            await expectError(.limitExceeded) { try await nested(5000).all() }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q5 sort keys in turn, each in its direction, then the key`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let rows = Self.rows(100)
            try await store.insert(rows.shuffled())
            let select = store.select(Row.self)
            #expect(try await select.all() == rows)
            let sorted = rows.sorted { left, right in
                if left.group != right.group { return left.group > right.group }
                if left.a != right.a { return left.a.map { a in right.a.map { a < $0 } ?? false } ?? true }
                return left.id < right.id
            }
            let query = select.order { $0.group.descending }.order { $0.a }
            #expect(try await query.all() == sorted)
            #expect(try await query.keys() == sorted.map(\.id))
            var walked: [Row] = []
            for page in 0..<15 { walked += try await query.limit(7).offset(page * 7).all() }
            #expect(walked == sorted)
            #expect(try await select.order { $0.id.descending }.all() == rows.reversed())
            #expect(try await select.where { $0.group == 1 }.order { $0.flag }.keys().first == 1)
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q6 limit 0, beyond the end, the greatest; a negative one is invalidQuery`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            let rows = Self.rows(10)
            try await store.insert(rows)
            let select = store.select(Row.self)
            #expect(try await select.limit(0).all() == [])
            #expect(try await select.limit(0).count() == 0)
            #expect(try await select.limit(0).exists() == false)
            #expect(try await select.limit(0).first() == nil)
            #expect(try await select.limit(1).all() == [rows[0]])
            #expect(try await select.limit(100).all() == rows)
            #expect(try await select.offset(10).all() == [])
            #expect(try await select.offset(100).exists() == false)
            #expect(try await select.offset(8).limit(.max).all() == Array(rows[8...]))
            #expect(try await select.offset(.max).limit(.max).all() == [])
            #expect(try await select.offset(8).limit(5).count() == 2)
            #expect(try await select.offset(3).first() == rows[3])
            #expect(try await select.offset(9).exists())
            #expect(try await select.limit(2).sum { $0.id } == 1)
            await expectError(.invalidQuery) { try await select.limit(-1).all() }
            await expectError(.invalidQuery) { try await select.offset(-1).all() }
            await expectError(.invalidQuery) { try await select.limit(.min).first() as Any }
            await expectError(.invalidQuery) { try await select.limit(-1).count() }
            await expectError(.invalidQuery) { try await select.offset(-1).exists() }
            await expectError(.invalidQuery) { try await select.limit(-1).keys() }
            await expectError(.invalidQuery) { try await select.limit(-1).stream().collect() }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q1 count, exists, keys, first and stream agree with all`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.rows(1000))
            let select = store.select(Row.self)
            let queries = [
                select, select.where { $0.a == nil }, select.where { $0.a == 99 }, select.order { $0.text.descending },
                select.where { $0.flag }.order { $0.group }.limit(300).offset(10), select.limit(256), select.limit(257),
            ]
            for query in queries {
                let all = try await query.all()
                #expect(try await query.count() == all.count)
                #expect(try await query.exists() == !all.isEmpty)
                #expect(try await query.keys() == all.map(\.id))
                #expect(try await query.first() == all.first)
                #expect(try await query.stream().collect() == all)
            }
        }
    }

    @Test(arguments: Backend.allCases)
    func `Q8 a stream sees one snapshot; stopping early releases it`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert(Self.rows(1000))
            for _ in 0..<50 {
                for try await row in store.select(Row.self).stream() where row.id == 3 { break }
            }
            var seen = 0
            for try await row in store.select(Row.self).stream() {
                if row.id == 0 { try await store.truncate(Row.self) }
                seen += 1
            }
            #expect(seen == 1000)
            #expect(try await store.select(Row.self).count() == 0)
        }
    }

    @Test(arguments: Backend.allCases)
    func `S1 a model that nobody has stored is empty, for every call`(_ backend: Backend) async throws {
        try await withStore(backend) { (store) async throws in
            #expect(try await store.find(Row.self, key: 1) == nil)
            #expect(try await store.select(Row.self).where { $0.a == 1 }.all() == [])
            #expect(try await store.select(Row.self).stream().collect() == [])
            #expect(try await store.delete(Row.self, key: 1) == 0)
        }
    }
}
