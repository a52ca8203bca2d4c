internal import StorageAPI

/// A number of any kind that the text form sets against an integer property.
private struct PlainNumber {
    let value: Value
    /// The greatest integer that is not above it.
    let floor: Int128
    let isWhole: Bool

    init(_ number: Double) {
        value = .double(number)
        let down = number.rounded(.down)
        // NaN sorts after all numbers.
        floor = Int128(exactly: down) ?? (number < 0 ? .min : .max)
        isWhole = down == number && number.isFinite
    }

    init(_ number: Int128) {
        value = Int64(exactly: number).map { Value($0) } ?? .unsigned(UInt64(clamping: number))
        floor = number
        isWhole = true
    }

    static func random(_ generator: inout SeededGenerator) -> PlainNumber {
        let doubles: [Double] = [
            0.5, -0.5, 1.5, 2.5, -2.5, 1, -1, 127.5, -128.5, 1e19, -1e19, 1e300, .nan, .infinity, -.infinity,
            9_007_199_254_740_992, -0.0,
        ]
        let integers: [Int128] = [
            -1, 0, 2, 127, 128, -129, 300, 1 << 53, 1 << 63, (1 << 63) + 1, (1 << 63) - 1, -(1 << 63), (1 << 64) - 1,
        ]
        if let number = generator.one(of: doubles), generator.chance(60) { return PlainNumber(number) }
        return PlainNumber(generator.one(of: integers) ?? 0)
    }
}

extension Term where V: ScalarValue & FixedWidthInteger {
    /// Comparisons with a number that need not be of the property's type, and what they mean with one that is.
    var plainComparison: [ConditionMaker<M>] {
        [
            { [self] generator, _ in
                let number = PlainNumber.random(&generator)
                let symbol = generator.pick("==", "!=", "<", "<=", ">", ">=")
                let whole = V(exactly: number.floor)
                let isExact = number.isWhole && whole != nil
                // Between two integers an order is that to the lower one, and beyond all of them it is always the same.
                let typed = isExact ? symbol : symbol.hasPrefix("<") ? "<=" : symbol.hasPrefix(">") ? ">" : symbol
                let isEquality = symbol == "==" || symbol == "!="
                let isConstant = !isExact && (isEquality || whole == nil)
                let holds = isEquality ? symbol == "!=" : symbol.hasPrefix(number.floor < 0 ? ">" : "<")
                let bound = whole ?? 0
                return Condition(
                    isConstant ? "(\(text) == \(text)) == \(holds)" : "\(text) \(typed) \(bound)",
                    written: written?.with(symbol, number.value),
                    { columns in
                        let term = term(columns)
                        if isConstant { return holds ? term == term : term != term }
                        switch typed {
                        case "==": return term == bound
                        case "!=": return term != bound
                        case "<": return term < bound
                        case "<=": return term <= bound
                        case ">": return term > bound
                        default: return term >= bound
                        }
                    },
                    { (record) throws(ExpectedError) in
                        if isConstant { return holds }
                        let own = try value(record)
                        switch typed {
                        case "==": return own == bound
                        case "!=": return own != bound
                        case "<": return own < bound
                        case "<=": return own <= bound
                        case ">": return own > bound
                        default: return own >= bound
                        }
                    })
            }
        ]
    }
}
