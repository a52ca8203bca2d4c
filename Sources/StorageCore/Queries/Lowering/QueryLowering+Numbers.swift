import StorageDriver

// Comparisons and arithmetic of properties with plain numbers, and of properties with different numeric types.
extension QueryLowering {
    mutating func compare(
        _ comparison: Comparison, _ left: QueryNode, to right: QueryNode, in place: Place
    ) throws(StorageError) -> QueryTerm {
        switch (left.isPlain, right.isPlain) {
        case (false, true): return try compare(comparison, operand(left, in: place), with: right)
        case (true, false): return try compare(comparison.mirrored, operand(right, in: place), with: left)
        case (false, false), (true, true):
            let (first, second, type) = try pair(left, right, in: place)
            return .comparison(comparison, first, second, type)
        }
    }

    /// Engines get values of the operand's type only: a number of another type is expressed by its neighbour.
    private mutating func compare(
        _ comparison: Comparison, _ operand: Operand, with plain: QueryNode
    ) throws(StorageError) -> QueryTerm {
        guard let type = operand.type ?? Self.type(plain) else {
            throw invalid("Two plain values are compared; one side has to be a property.")
        }
        let (neighbour, greater, less): (Value, Comparison, Comparison)
        switch try plain.plain(as: type) {
        case .exact(let value): return .comparison(comparison, operand.term, try argument(value), type)
        case .after(let value): (neighbour, greater, less) = (value, .greater, .lessOrEqual)
        case .before(let value): (neighbour, greater, less) = (value, .greaterOrEqual, .less)
        }
        switch comparison {
        case .greater, .greaterOrEqual: return .comparison(greater, operand.term, try argument(neighbour), type)
        case .less, .lessOrEqual: return .comparison(less, operand.term, try argument(neighbour), type)
        case .equal, .notEqual:
            // The operand is evaluated in any case, since that may fail.
            let never = type.impossible
            let equal = QueryTerm.comparison(never.comparison, operand.term, try argument(never.with), type)
            return comparison == .equal ? equal : .not(equal)
        }
    }

    // MARK: Arithmetic

    mutating func arithmetic(
        _ operation: Arithmetic, _ left: QueryNode, with right: QueryNode, in place: Place
    ) throws(StorageError) -> Operand {
        let first = try left.isPlain ? nil : operand(left, in: place)
        let second = try right.isPlain ? nil : operand(right, in: place)
        let leftType = if let type = first?.type { type } else { try number(left, beside: second?.type) }
        let rightType = if let type = second?.type { type } else { try number(right, beside: first?.type) }
        guard let type = leftType.computing(with: rightType) else {
            throw invalid(
                "\(operation.rawValue) has a side of type \(leftType) and one of type \(rightType), and no type has both."
            )
        }
        guard type.row.computing != nil || type == .string && operation == .add else {
            throw invalid("\(operation.rawValue) computes with numbers, not with \(type).")
        }
        guard type != .duration || operation == .add || operation == .subtract else {
            throw invalid("Durations are added and subtracted alone, not by \(operation.rawValue).")
        }
        guard type.storage == .integer || operation != .remainder else {
            throw invalid("% is the remainder of integers, not of \(type).")
        }
        let leftTerm = if let first { first.term } else { try argument(number(left, as: type)) }
        let rightTerm = if let second { second.term } else { try argument(number(right, as: type)) }
        return (.arithmetic(operation, leftTerm, rightTerm, type), type)
    }

    /// The type of a plain number: the other operand's type, if the number is one of its values.
    private func number(_ node: QueryNode, beside other: ColumnType?) throws(StorageError) -> ColumnType {
        let own = Self.type(node) ?? other ?? .int64
        guard let other, other != own else { return own }
        if other.storage == .integer, own == .double { return own }
        if other.isNumber, own.isNumber, other.storage == .double { return other }
        return try node.plain(as: other).exact == nil ? own : other
    }

    /// A plain number as a value of the type; for Double or Float the nearest one.
    private func number(_ node: QueryNode, as type: ColumnType) throws(StorageError) -> Value {
        switch try node.plain(as: type) {
        case .exact(let value): return value
        case .after(let value) where type.storage == .double, .before(let value) where type.storage == .double:
            return value
        case .after, .before: throw invalid("A plain number that is not of type \(type) is used where one is needed.")
        }
    }
}

extension QueryLowering {
    /// A decimal or an integer, as a decimal.
    mutating func decimal(_ operand: Operand) throws(StorageError) -> QueryTerm {
        if operand.type == .decimal { return operand.term }
        return .arithmetic(.add, operand.term, try argument(.text("0")), .decimal)
    }
}

extension ColumnType {
    /// The type for arithmetic on two numeric types: the first that has all integers of both, or Int64 if none has;
    /// Decimal for one and an integer; Double if one has fractions and the types differ; otherwise nil.
    fileprivate func computing(with other: ColumnType) -> ColumnType? {
        if self == other { return self }
        if meetsAsDecimal(other) { return .decimal }
        guard isNumber, other.isNumber else { return nil }
        guard storage == .integer, other.storage == .integer else { return .double }
        let types: [ColumnType] = [.uint8, .int8, .uint16, .int16, .uint32, .int32]
        let isUnsigned = [self, other].allSatisfy { [.uint8, .uint16, .uint32, .uint64].contains($0) }
        if isUnsigned, [self, other].contains(.uint64) { return .uint64 }
        guard let mine = range, let theirs = other.range else { return .int64 }
        let both = min(mine.lowerBound, theirs.lowerBound)...max(mine.upperBound, theirs.upperBound)
        return types.first { $0.range?.clamped(to: both) == both } ?? .int64
    }
}
