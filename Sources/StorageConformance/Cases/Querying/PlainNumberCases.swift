internal import Foundation
internal import StorageAPI
import StorageDriver

/// A number of a query's text, or an argument, that need not be of the type that it is set against.
private struct PlainNumber: Sendable {
    let text: String
    var arguments: [any ColumnValue] = []
    /// The number's value, exact.
    let value: Value
    /// Its digits, where it has some.
    let digits: String?

    static func literal(_ text: String, _ value: Value, digits: String) -> PlainNumber {
        PlainNumber(text: text, value: value, digits: digits)
    }

    static func argument(_ argument: some ColumnValue, _ value: Value, digits: String? = nil) -> PlainNumber {
        PlainNumber(text: "?", arguments: [argument], value: value, digits: digits)
    }

    static let all: [PlainNumber] = [
        literal("2", .int(2), digits: "2"), literal("-1", .int(-1), digits: "-1"),
        literal("300", .int(300), digits: "300"),
        literal("2.0", .double(2), digits: "2"), literal("2.5", .double(2.5), digits: "2.5"),
        literal("-2.5", .double(-2.5), digits: "-2.5"),
        literal("0.5e1", .double(5), digits: "5"),
        literal("1e300", .double(1e300), digits: "1" + String(repeating: "0", count: 300)),
        literal("18446744073709551615", .unsigned(.max), digits: "18446744073709551615"),
        literal("-9223372036854775808", .int(.min), digits: "-9223372036854775808"),
        literal("- -9223372036854775808", .unsigned(1 << 63), digits: "9223372036854775808"),
        literal("-9223372036854775809", .double(-9.5e18), digits: "-9223372036854775809"),
        literal("18446744073709551616", .double(2e19), digits: "18446744073709551616"),
        argument(Int.min, .int(.min), digits: "-9223372036854775808"),
        argument(UInt64.max, .unsigned(.max), digits: "18446744073709551615"),
        argument(2.5, .double(2.5), digits: "2.5"), argument(-0.0, .double(0), digits: "0"),
        argument(1e20, .double(1e20), digits: "100000000000000000000"),
        argument(Double.nan, .double(.nan)), argument(Double.infinity, .double(.infinity)),
        argument(-Double.infinity, .double(-.infinity)), argument(Float(0.5), .double(0.5), digits: "0.5"),
        argument(Decimal(2), .int(2), digits: "2"),
        argument(Decimal(string: "-0.25") ?? 0, .double(-0.25), digits: "-0.25"),
        argument(Decimal.greatestFiniteMagnitude, .double(1e166), digits: Decimal.greatestFiniteMagnitude.description),
    ]

    /// Returns the order of a stored value relative to the number.
    func order(of stored: Value) -> ValueOrder {
        guard case .text(let text) = stored else { return stored.order(to: value) }
        if let digits { return DecimalText.order(text, digits) }
        if value == .double(.nan) { return text == "NaN" ? .same : .before }
        return value == .double(.infinity) && text != "NaN" ? .before : .after
    }
}

extension Conformance {
    private static let comparisons: [(symbol: String, holds: @Sendable (ValueOrder) -> Bool)] = [
        ("==", { $0 == .same }), ("!=", { $0 != .same }), ("<", { $0 == .before }), ("<=", { $0 != .after }),
        (">", { $0 == .after }), (">=", { $0 != .before }),
    ]

    /// Every number against every value of a type, by every operator and from both sides.
    private static func numbers<V: ScalarValue>(_ name: String, _ values: [V]) -> ConformanceCase {
        ConformanceCase(
            "numbers/\(name)", for: [.q9: [2], .v4: [1]],
            "A number of any kind, set against \(V.self) in the text form, is compared by its mathematical value."
        ) { t in
            let store = try await t.open(Holder<V>.self)
            let records = values.enumerated().map { Holder(id: $0, value: $1, optional: $1, list: [$1]) }
            let none = Holder(id: values.count, value: values[0])
            try await store.insert(records + [none])
            func expect(
                _ text: String, _ number: PlainNumber, nil isHeld: Bool, _ holds: (ValueOrder) -> Bool
            ) async throws {
                t.note("try await store.select(Holder<\(V.self)>.self).where(text: \"\(text)\", …).keys()")
                var query = store.store.select(Holder<V>.self)
                if let argument = number.arguments.first {
                    query = query.where(text: text, argument)
                } else {
                    query = query.where(text: text)
                }
                var wanted = values.indices.filter { holds(number.order(of: values[$0].value)) }
                if isHeld { wanted.append(values.count) }
                try t.expect(try await query.keys(), equals: wanted, "\(text) with \(number.value) holds for others.")
            }
            for number in PlainNumber.all {
                for (symbol, holds) in comparisons {
                    try await expect("optional \(symbol) \(number.text)", number, nil: symbol == "!=", holds)
                    try await expect("\(number.text) \(symbol) optional", number, nil: symbol == "!=") { order in
                        holds(order.reversed)
                    }
                }
                try await expect("not (optional > \(number.text))", number, nil: true) { $0 != .after }
                try await expect("optional in {\(number.text)}", number, nil: false) { $0 == .same }
                try await expect("list contains \(number.text)", number, nil: false) { $0 == .same }
            }
        }
    }

    /// A number with a fraction, written as one that is stored.
    private static func literal<V: ScalarValue>(_ name: String, _ value: V, digits text: String) -> ConformanceCase {
        ConformanceCase(
            "numbers/literal-\(name)", for: [.q9: [2]], "A number with a fraction takes the nearest value of \(V.self)."
        ) { t in
            let conditions = [
                "value == \(text)", "value in {\(text), 7.5}", "list contains \(text)", "!(value < \(text))",
            ]
            try await expect(Holder(id: 3, value: value, list: [value]), meets: conditions, t)
        }
    }

    /// Conditions that compute with a value, with the key, which is 3, and with plain numbers.
    private static func mixed<V: ScalarValue>(_ name: String, _ value: V, conditions: [String]) -> ConformanceCase {
        ConformanceCase(
            "numbers/mixed-\(name)", for: [.q9: [3]],
            "\(V.self) with another type of numbers is computed in one that has both, or as a Double, from either side."
        ) { t in
            try await expect(Holder(id: 3, value: value), meets: conditions, t)
        }
    }

    private static func expect<V: ScalarValue>(_ record: Holder<V>, meets conditions: [String], _ t: Trial) async throws
    {
        let store = try await t.open(Holder<V>.self)
        try await store.insert(record)
        for condition in conditions {
            t.note("try await store.select(Holder<\(V.self)>.self).where(text: \"\(condition)\").keys()")
            let keys = try await store.store.select(Holder<V>.self).where(text: condition).keys()
            try t.expect(keys, equals: [3], "\(condition) does not hold for \(record.value).")
        }
    }

    /// Q9, V4: numbers that are not of the types of their properties.
    static let plainNumberCases: [ConformanceCase] = [
        numbers("int8", [Int8.min, -3, -2, -1, 0, 2, 3, .max]),
        numbers("uint8", [0 as UInt8, 2, 3, .max]),
        numbers("int64", [Int64.min, .min + 1, -3, 0, 2, 3, 1 << 53, .max]),
        numbers("uint64", [0 as UInt64, 2, 3, 1 << 63, .max]),
        numbers("float", [-Float.infinity, -2.5, 0, 0.5, 2, 2.5, .greatestFiniteMagnitude, .infinity, .nan]),
        numbers("double", [-Double.infinity, -2.5, 0, 2, 2.5, 1e20, 1e300, .infinity, .nan]),
        numbers(
            "decimal",
            [-2.5, -0.25, 0, 2, 2.5, Decimal(UInt64.max), Decimal(1e20), .greatestFiniteMagnitude, .nan]),
        literal("double", 0.1, digits: "0.1"), literal("float", 0.1 as Float, digits: "0.1"),
        literal("small-double", 1e-7, digits: "1e-7"),
        literal("decimal", Decimal(1) / 10, digits: "0.10"),
        literal(
            "long-decimal", Decimal(string: "1234567890123456789.0123456789012345678") ?? 0,
            digits: "1234567890123456789.0123456789012345678"),
        mixed(
            "int64", -5,
            conditions: [
                "value + 1.5 == -3.5", "1.5 + value == -3.5", "value / 2.0 == -2.5", "value / 2 == -2",
                "value + id < -1.5",
                "id > value + 7.5", "value * 0.5 + id == 0.5", "value * 0.5 < id",
            ]),
        mixed(
            "int8", Int8.max,
            conditions: ["value * 1000 == 127000", "value + id == 130", "id + value == 130", "value + 0.5 > 127"]),
        mixed("uint8", 200 as UInt8, conditions: ["id - value == -197", "value - id == 197", "value + 100.0 == 300"]),
        mixed(
            "uint64", UInt64.max,
            conditions: [
                "value - 1 == 18446744073709551614", "value % 10 == 5", "value / id > 6148914691236517204.5",
                "value - 18446744073709551615 == 0", "0.5 * value > 9e18", "value * 0.5 > 9e18",
                "value / 4 * 2.0 > 9e18",
            ]),
        mixed(
            "double", 1.5, conditions: ["value + id == 4.5", "id + value == 4.5", "value * 2 == 3", "id - value > 1"]),
        mixed("float", 0.5 as Float, conditions: ["value + id == 3.5", "id * value == 1.5", "value * 3 == 1.5"]),
        mixed(
            "decimal", Decimal(1) / 10,
            conditions: [
                "value + 0.2 == 0.3", "value * 3 == 0.3", "0.1 - value == 0", "value * id == 0.3", "id - value == 2.9",
            ]),
        ConformanceCase(
            "numbers/decimal-with-integers", for: [.q9: [3], .v4: [1], .w11: [1]],
            "A Decimal and an integer are computed and compared as Decimals, to the last digit."
        ) { t in
            let store = try await t.open(Line.self)
            let large = (1 << 53) + 1
            try await store.insert([
                Line(id: 1, price: Decimal(string: "0.1") ?? 0, discount: 3, quantity: 3, stock: 7),
                Line(id: 2, price: Decimal(large) + 1, quantity: large, stock: .max),
                Line(
                    id: 3, price: Decimal(large), discount: Decimal(string: "-2.5") ?? 0, quantity: large,
                    stock: 1 << 63),
                Line(id: 4, price: Decimal(UInt64.max) - Decimal(1) / 4, quantity: -2, stock: .max),
            ])
            let conditions: [(text: String, keys: [Int])] = [
                ("price * quantity == 0.3", [1]), ("quantity * price == 0.3", [1]), ("quantity - price == 2.9", [1]),
                ("price / quantity == 1", [3]), ("price - quantity == 1", [2]),
                ("price + quantity > price", [1, 2, 3]),
                ("price > quantity", [2, 4]), ("quantity < price", [2, 4]), ("price == quantity", [3]),
                ("price != quantity", [1, 2, 4]), ("!(quantity >= price)", [2, 4]), ("stock > price", [1, 2, 3, 4]),
                ("stock - price == 0.25", [4]), ("price * 2 == stock", []), ("discount == quantity", [1]),
                ("discount < quantity", [3]), ("discount != stock", [1, 2, 3, 4]),
                ("price * quantity + stock in {7.3}", [1]), ("-quantity > price - stock", [1, 2, 3, 4]),
            ]
            for (condition, wanted) in conditions {
                t.note("try await store.select(Line.self).where(text: \"\(condition)\").keys()")
                let keys = try await store.store.select(Line.self).where(text: condition).keys()
                try t.expect(keys, equals: wanted, "\(condition) holds for others.")
            }
            for condition in ["price * 0.5 > quantity % 2.5", "price + id / 0 > 1"] {
                t.note("try await store.select(Line.self).where(text: \"\(condition)\").keys()")
                try await t.expectError(condition.contains("%") ? .invalidQuery : .overflow) {
                    try await store.store.select(Line.self).where(text: condition).keys()
                }
            }
            t.note("try await store.update(Line.self).where { $0.id == 1 }.set(text: …).run()")
            try await store.store.update(Line.self).where { $0.id == 1 }
                .set(text: "price = price * quantity, discount = quantity").run()
            let line = try t.required(try await store.find(Line.self, key: 1))
            try t.expect(line.price, equals: Decimal(string: "0.3") ?? 0)
            try t.expect(line.discount, equals: 3)
        },
        ConformanceCase(
            "numbers/mixed-overflow", for: [.q3: [6]],
            "UInt64 beyond Int64 computes to overflow alike wherever it stands."
        ) { t in
            let store = try await t.open(Holder<UInt64>.self)
            try await store.insert([Holder(id: 1, value: UInt64.max), Holder(id: -1, value: 1)])
            for condition in [
                "value + 1 > 0", "value + id > 0", "id + value > 0", "value * 2 > 0", "id * value > 3", "value - 2 > 0",
                "value % 0 == 1", "id % (value - value) == 0",
            ] {
                t.note("try await store.select(Holder<UInt64>.self).where(text: \"\(condition)\").keys()")
                try await t.expectError(.overflow) {
                    try await store.store.select(Holder<UInt64>.self).where(text: condition).keys()
                }
            }
            for condition in ["value + 'a' > 0", "value + true > 0.5 + true", "value % 1.5 == 0"] {
                try await t.expectError(.invalidQuery) {
                    try await store.store.select(Holder<UInt64>.self).where(text: condition).keys()
                }
            }
        },
    ]
}
