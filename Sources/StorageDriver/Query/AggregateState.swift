/// Computes an aggregate from values in any order, for backends whose engine does not sum as the contract demands.
///
/// - Integers are summed exactly. Only a total beyond its type's range throws `overflow`.
/// - Doubles and Floats are summed exactly and rounded once, to the nearest Double.
/// - Decimals are summed exactly and rounded once, to 38 digits, half to even.
/// - Durations are summed exactly, and only the sum as a whole may be beyond them, which is `overflow`.
/// - The average is the exact sum as a Double, divided by the count; of durations in seconds.
///
/// So the order of rows never shows. Nulls are ignored. Without values the sum is 0, and the other aggregates are null.
public struct AggregateState {
    private let aggregate: Query.Aggregate
    private var count = 0
    private var integers: Int128 = 0
    private var doubles = DoubleSum()
    private var decimals = DecimalSum()
    private var durations = DurationSum()
    private var best = Value.null

    /// An aggregate without values.
    public init(_ aggregate: Query.Aggregate) { self.aggregate = aggregate }

    private var type: ColumnType { aggregate.term?.type ?? .int64 }

    /// Adds the next row's value of the aggregate's term.
    ///
    /// - Throws: `typeMismatch` if a stored value is not a number.
    public mutating func add(_ value: Value) throws(StorageError) {
        switch aggregate.function {
        case .count: count += 1
        case _ where value.isNull: return
        case .sum, .average: try addNumber(value)
        case .min: if best.isNull || value.order(to: best, as: type) == .before { best = value }
        case .max: if best.isNull || value.order(to: best, as: type) == .after { best = value }
        }
    }

    /// Adds the bytes of a text to a sum or an average of decimals, if they are a decimal of up to 18 digits as a store writes it.
    ///
    /// - Returns: false for other bytes, which are not added.
    package mutating func add(decimal text: UnsafeRawBufferPointer) -> Bool {
        guard let decimal = SmallDecimal(text) else { return false }
        count += 1
        decimals.add(decimal)
        return true
    }

    private mutating func addNumber(_ value: Value) throws(StorageError) {
        count += 1
        switch (value, type.row.computing) {
        case (.double(let value), _): doubles.add(value)
        case (.text(let text), .decimal) where decimals.add(text): return
        case (.blob(let bytes), .duration) where bytes.count == DurationBytes.count:
            durations.add(DurationBytes.attoseconds(bytes) ?? 0)
        default:
            guard type.storage == .integer, let integer = value.wide else {
                throw StorageError(.typeMismatch, "A stored value is not a number. Correct it, or declare it as text.")
                    .with { $0.storedValue = value }
            }
            // 2^63 rows of 64-bit integers do not fill 128 bits.
            integers &+= integer
        }
    }

    /// The aggregate's value.
    ///
    /// - Throws: `overflow` if a sum is beyond its type.
    public func result() throws(StorageError) -> Value {
        switch aggregate.function {
        case .count: return .int(Int64(count))
        case .min, .max: return best
        case .sum: return try sum()
        case .average: return count == 0 ? .null : .double(average)
        }
    }

    private var average: Double {
        switch type.row.computing {
        case .decimal: (Double(decimals.text) ?? .nan) / Double(count)
        case .double, .float: doubles.value / Double(count)
        case .duration: durations.seconds / Double(count)
        case .integer, nil: Double(integers) / Double(count)
        }
    }

    private func sum() throws(StorageError) -> Value {
        switch type.row.computing {
        case .double, .float: return .double(doubles.value)
        case .decimal: return .text(decimals.rounded)
        case .duration:
            guard let sum = durations.value else {
                throw StorageError(.overflow, "The sum of the durations is beyond all durations; sum a part.")
            }
            return .blob(DurationBytes.bytes(sum))
        case .integer, nil:
            guard let sum = Value(integers, as: type.sum) else {
                throw StorageError(
                    .overflow, "The sum \(integers) is beyond the range of \(type.sum); sum a part, or store Doubles.")
            }
            return sum
        }
    }
}

extension ColumnType {
    /// The type of a sum: 64 bits for integers, Double for Float.
    public var sum: ColumnType { row.sum.type }
}

extension Query.Aggregate {
    /// The type of the aggregate's value.
    public var type: ColumnType {
        switch function {
        case .count: .int64
        case .sum: (term?.type ?? .int64).sum
        case .average: .double
        case .min, .max: term?.type ?? .int64
        }
    }
}
