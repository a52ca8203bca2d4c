import Foundation
import MemoryBackend
import StorageDriver
import StorageKit
import Synchronization
import TestSupport
import Testing

/// The values of queries, and the values that do not fit their types.
private final class Seen: Sendable {
    let count = Mutex(0)
    let misfits = Mutex<[String]>([])

    func look(at plan: QueryPlan, _ arguments: QueryArguments) {
        if let filter = plan.query.filter { look(at: filter, arguments) }
        for key in plan.query.order { look(at: key.term, arguments) }
    }

    private func look(at term: QueryTerm, _ arguments: QueryArguments) {
        switch term {
        case .comparison(_, let left, let right, let type), .arithmetic(_, let left, let right, let type):
            for side in [left, right] {
                if case .argument(let index) = side { check(arguments.values[index], type) }
                look(at: side, arguments)
            }
        case .isIn(let term, let list, let type):
            for value in arguments.lists[list].values { check(value, type) }
            look(at: term, arguments)
        case .and(let terms), .or(let terms): for term in terms { look(at: term, arguments) }
        case .not(let term), .isNull(let term), .quantified(_, _, let term), .related(_, let term),
            .relatedCount(_, let term), .folded(let term, _), .elementCount(let term), .datePart(_, let term, _):
            look(at: term, arguments)
        case .relatedAggregate(_, let aggregate, let condition):
            if let term = aggregate.term { look(at: term.term, arguments) }
            look(at: condition, arguments)
        case .distance(_, let left, let right):
            for side in [left, right] { look(at: side, arguments) }
        case .choice(let condition, let first, let second):
            for term in [condition, first, second] { look(at: term, arguments) }
        case .text, .hasElement, .column, .argument, .null, .constant, .isAmong: return
        }
    }

    private func check(_ value: Value, _ type: ColumnType) {
        count.withLock { $0 += 1 }
        let fits: Bool
        switch (type, value) {
        case (.uint64, .int(let value)): fits = value >= 0
        case (.uint64, .unsigned), (.double, .double), (.date, .double), (.string, .text), (.url, .text):
            fits = true
        case (.float, .double(let value)): fits = value.isNaN || Float(exactly: value) != nil
        case (.decimal, .text(let text)):
            fits = text == "NaN" || Decimal(string: text).map { DecimalText.canonical($0.description) } == text
        case (.uuid, .blob(let bytes)), (.duration, .blob(let bytes)): fits = bytes.count == 16
        case (_, .int(let value)): fits = type.range?.contains(value) ?? false
        default: fits = false
        }
        if !fits { misfits.withLock { $0.append("\(value) is no \(type)") } }
    }
}

@Suite("Q9 What an engine gets of a query")
struct FittedValueTests {
    @Storable struct Sample {
        var id: Int
        var byte: Int8
        var count: UInt16?
        var large: UInt64
        var ratio: Float
        var size: Double?
        var price: Decimal
        var born: Date
        var code: UUID
        var link: URL?
        var name: String
        var flag: Bool
    }

    @Test func `values have the types of the terms that they are compared with`() async throws {
        let seen = Seen()
        let backend = WatchedQueries(InMemoryBackend()) { (reader, plan, arguments) throws(StorageError) in
            seen.look(at: plan, arguments)
            return try reader.rows(plan, arguments)
        }
        let store = try await Store(backend, models: Sample.self)
        let numbers = [
            "2", "2.5", "-1", "1e300", "- -9223372036854775808", "-99999999999999999999.5", "0.1", "1e-300", "?",
        ]
        let arguments: [any ColumnValue] = [
            Int.min, UInt64.max, 2.5, Double.nan, Double.infinity, -Double.infinity, 1e300, Float(0.1),
            Decimal(string: "0.12345678901234567890123456789012345678") ?? 0, Decimal.greatestFiniteMagnitude,
            Decimal.nan,
        ]
        let properties = ["byte", "count", "large", "ratio", "size", "price", "id"]
        let forms = [
            "%p == %n", "%p != %n", "%p < %n", "%p >= %n", "%n <= %p", "%n > %p", "%p in {%n, 7, %n}",
            "%p between {%n, %n}",
            "%p + %n > 2.5", "%n * %p < %n", "%p + id == %n", "id - %p > %n",
        ]
        for (property, form) in properties.flatMap({ property in forms.map { (property, $0) } }) {
            for number in numbers {
                let text = form.replacing("%p", with: property).replacing("%n", with: number)
                let count = text.count { $0 == "?" }
                for argument in count == 0 ? arguments.prefix(1) : arguments[...] {
                    let given = Array(repeating: argument, count: count)
                    // A number that the other side cannot be computed with is refused before the engine is asked.
                    var query = store.select(Sample.self)
                    switch given.count {
                    case 0: query = query.where(text: text)
                    case 1: query = query.where(text: text, given[0])
                    case 2: query = query.where(text: text, given[0], given[1])
                    default: query = query.where(text: text, given[0], given[1], given[2])
                    }
                    do {
                        _ = try await query.keys()
                    } catch {
                        expect(error.code, equals: .invalidQuery, "\(text) \(argument): \(error)")
                    }
                }
            }
        }
        for text in [
            "born > '2020-01-01'", "born > 7e8", "code == 'E621E1F8-C36C-495A-93FC-0C247A3E6E5F'",
            "link == 'https://a.b'",
            "name > 'a'", "flag == true", "flag in {true, no}",
        ] {
            try await expect(store.select(Sample.self).where(text: text).keys(), equals: [], "\(text)")
        }
        expect(seen.misfits.withLock { $0 }.prefix(5), equals: [])
        expect(seen.count.withLock { $0 } > 2000)
        try await store.close()
    }
}
