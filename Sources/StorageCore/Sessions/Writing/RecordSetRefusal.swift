public import StorageDriver

/// The records that stand against a set of records, or against a savepoint, which is judged as a whole. It is the
/// `underlying` error of the `constraint` that `replace` and a judged savepoint throw.
public struct RecordSetRefusal: Error, Hashable, Sendable {
    /// A record that stands against the set.
    public struct Obstacle: Hashable, Sendable {
        /// The reason for which a record stands against a set.
        public enum Reason: Hashable, Sendable {
            /// A record outside the set, or another one of the set, has the value of a unique property of this key's record.
            case sameValue(asKey: [Value])
            /// The record is of the set, and refers to a record that is not stored when the set is.
            case refersToMissing(model: String, key: [Value])
            /// The record is outside the set, and its reference denies that the set removes this record.
            case refersToRemoved(model: String, key: [Value])
        }

        /// The stored name of the record's model.
        public let model: String
        /// The record's key, one value for each key property.
        public let key: [Value]
        /// The unique property or the reference, with its path through owned records.
        public let property: String
        /// The reason for which the record stands against the set.
        public let reason: Reason

        fileprivate var text: String {
            let record = "\(model) \(key.keyText)"
            return switch reason {
            case .sameValue(let other): "\(record) has the same \(property) as \(model) \(other.keyText)"
            case .refersToMissing(let target, let other):
                "\(record) refers by \(property) to \(target) \(other.keyText), which is not stored"
            case .refersToRemoved(let target, let other):
                "\(record) refers by \(property) to \(target) \(other.keyText), which would be removed"
            }
        }
    }

    /// Each record that stands against the set, with its reason: first for a value that must be unique, then for references that
    /// lead nowhere, then for references that deny a removal.
    public let obstacles: [Obstacle]
}

extension RecordSetRefusal: CustomStringConvertible {
    /// The first ten obstacles, with their reasons.
    public var description: String {
        obstacles.prefix(10).map(\.text).joined(separator: "; ") + (obstacles.count > 10 ? "; …" : "")
    }

    /// - Parameter judged: the call that they stand against, such as “the set”.
    /// - Returns: the error of a call; nil if no record stands against it.
    func error(against judged: String, _ advice: String) -> StorageError? {
        guard let first = obstacles.first else { return nil }
        return StorageError(
            .constraint,
            "\(obstacles.count) \(obstacles.count == 1 ? "record stands" : "records stand") against \(judged): \(self). \(advice)",
            model: first.model, key: first.key, property: first.property, underlying: self)
    }
}
