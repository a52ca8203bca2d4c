import StorageAPI
import StorageConformance
import StorageDriver

extension Mutant {
    /// V1, K1: one type each, of which a value comes back otherwise than it was stored.
    static let types: [Mutant] =
        [ColumnType.int8, .int16, .int32, .uint8, .uint16, .uint32].map { type in
            reads("greatest-\(type)-lost", of: type, "The greatest \(type) is read as one less.") { value in
                guard case .int(let number) = value, number == type.range?.upperBound else { return value }
                return .int(number &- 1)
            }
        } + [
            reads("duration-less", of: .duration, "A Duration is read with another last byte.", flipped),
            reads("vector-other", of: .vector, "A Vector is read with another last byte.", flipped),
            reads("uuid-other", of: .uuid, "A UUID is read with another last byte.", flipped),
            reads("url-longer", of: .url, "A URL is read with a query.") { value in
                if case .text(let text) = value { .text(text + "?") } else { value }
            },
            Mutant("true-is-false", breaking: [.v1], "A Bool in a column called value or optional is read as false.") {
                $0.read = { value, column in
                    column.type == .bool && ["value", "optional"].contains(column.property) && !value.isNull
                        ? .int(0) : value
                }
            },
        ]

    private static func reads(
        _ id: String, of type: ColumnType, _ sentence: String, _ change: @escaping @Sendable (Value) -> Value
    ) -> Mutant {
        Mutant(id, breaking: [.v1, .k1, .k2], sentence) { $0.read = { $1.type == type ? change($0) : $0 } }
    }

    @Sendable private static func flipped(_ value: Value) -> Value {
        switch value {
        case .blob(var bytes):
            guard let last = bytes.popLast() else { return value }
            return .blob(bytes + [last ^ 1])
        case .text(let text): return .text(text.dropLast() + (text.hasSuffix("0") ? "1" : "0"))
        default: return value
        }
    }
}
