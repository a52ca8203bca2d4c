import Foundation
import StorageKit
import TestSupport
import Testing

@Suite("Groups and texts of records without types")
struct RecordGroupsTests {
    @Storable("Sale") struct Sale {
        var id: Int
        var city: String?
        var price: Decimal
    }

    private func shop(_ body: (Store) async throws -> Void) async throws {
        try await withStore(.sqlite) { store in
            try await store.insert([
                Sale(id: 1, city: "Ulm", price: 2.5), Sale(id: 2, city: "Ulm", price: 4),
                Sale(id: 3, city: "Bonn", price: 1), Sale(id: 4, city: nil, price: 9),
            ])
            try await body(store)
        }
    }

    @Test func `groups have their keys and outputs, in the order that is asked for`() async throws {
        try await shop { store in
            let groups = try await store.records("Sale").where(text: "price < 9").groups(
                by: ["city"], computing: [.count, .sum("price"), .max("id")],
                order: [.init(column: 2, isDescending: true)])
            expect(groups.types, equals: [.string, .int64, .decimal, .int64])
            expect(
                groups.rows,
                equals: [
                    [.text("Ulm"), .int(2), .text("6.5"), .int(2)], [.text("Bonn"), .int(1), .text("1"), .int(3)],
                ])
            let first = try await store.records("Sale").groups(by: ["city"], computing: [], limit: 1)
            expect(first.rows, equals: [[.null]])
            let all = try await store.records("Sale").groups(by: [], computing: [.average("price"), .min("city")])
            expect(all.rows, equals: [[.double(4.125), .text("Bonn")]])
        }
    }

    @Test func `a term that is none, and a column that is not there, are refused`() async throws {
        try await shop { store in
            let sales = store.records("Sale")
            await expectError(.invalidQuery) { try await sales.groups(by: ["town"], computing: [.count]) }
            await expectError(.invalidQuery) { try await sales.groups(by: ["city =="], computing: [.count]) }
            await expectError(.invalidQuery) {
                try await sales.groups(by: ["city"], computing: [.count], order: [.init(column: 2)])
            }
            await expectError(.invalidQuery) {
                try await sales.groups(by: ["city"], computing: [.count], order: [.init(column: -1)])
            }
        }
    }

    @Test func `a value's text gives the value back`() {
        let values: [(Value, ColumnType, String)] = [
            (.int(-7), .int64, "-7"), (.int(1), .bool, "true"), (.unsigned(.max), .uint64, "18446744073709551615"),
            (.double(0.1), .double, "0.1"), (.double(.nan), .double, "NaN"), (.text("a \"b\""), .string, "a \"b\""),
            (.double(0), .date, "2001-01-01T00:00:00Z"), (.text("1.5"), .decimal, "1.5"),
            (.blob(Array(repeating: 0x11, count: 16)), .uuid, "11111111-1111-1111-1111-111111111111"),
            (.blob([1, 2]), .data, "AQI="), (.text("[1,2]"), .array(of: .int64), "[1,2]"),
        ]
        for (value, type, text) in values {
            expect(value.text(as: type), equals: text)
            expect(Value(text: text, as: type), equals: value, "\(text)")
        }
        expect(Value.null.text(as: .string) == nil)
        expect(Value(text: "x", as: .int64) == nil && Value(text: "never", as: .date) == nil)
    }
}
