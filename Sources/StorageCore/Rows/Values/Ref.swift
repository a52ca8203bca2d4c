public import StorageDriver

/// A reference to a record of another model, or of the same: the record's key.
///
/// ```
/// @Storable struct Book {
///     var id: Int
///     var title: String
///     @Reference(onDelete: .cascade) var author: Ref<Person>
///     var editor: Ref<Person>?
///     var tags: [Ref<Tag>] = []
/// }
/// ```
///
/// A reference has no state: it is equal to another if their keys are, and is encoded as its key. `find(ref)` returns
/// the record that it names; `with` loads that record together with the referring one.
public struct Ref<Model: Storable>: Sendable {
    /// The key of the record.
    public let key: Model.Key

    /// A reference to the record of the key. The record is looked for when the reference is written.
    @inlinable
    public init(key: Model.Key) { self.key = key }

    /// A reference to a record; nil for one whose key the store has not assigned yet.
    @inlinable
    public init?(_ record: Model) {
        guard let key = Model.key(of: record) else { return nil }
        self.key = key
    }
}

/// A model whose records always have a key: it is not Optional. `@Storable` adds the conformance.
public protocol AlwaysKeyed: Storable {
    /// A reference to this record.
    var ref: Ref<Self> { get }
}

extension Ref where Model: AlwaysKeyed {
    /// A reference to a record.
    @inlinable
    public init(_ record: Model) { self = record.ref }
}

extension Storable {
    /// A reference to this record; nil if the store has not assigned its key yet.
    public var ref: Ref<Self>? { Ref(self) }
}

// For models whose key is Optional, because the store assigns it.
extension Storable {
    /// The key of a record that an insert, a save or a query has returned, which always has one.
    ///
    /// ```swift
    /// @Storable struct Project {
    ///     var id: Int?
    ///     var title: String
    /// }
    /// @Storable struct Chore {
    ///     var id: Int?
    ///     var project: Ref<Project>
    /// }
    ///
    /// let project = try await store.insert(Project(title: "Garden"))
    /// try await store.insert(Chore(project: project.storedRef))
    /// ```
    /// - Throws: `missingKey` for a record that the store has not returned yet.
    @inlinable
    public var storedKey: Key {
        get throws(StorageError) {
            guard let key = Self.key(of: self) else {
                throw StorageError(
                    .missingKey,
                    "The record has no key yet. Use the record that insert or save returns: it has the key that the store "
                        + "assigned.", model: Self.schema.name)
            }
            return key
        }
    }

    /// A reference to a record that an insert, a save or a query has returned, which always has a key.
    ///
    /// - Throws: `missingKey` for a record that the store has not returned yet.
    @inlinable
    public var storedRef: Ref<Self> {
        get throws(StorageError) { Ref(key: try storedKey) }
    }
}

/// A value that leads from a record to others: an owned model or a ``Ref``.
public protocol Relatable: Sendable {
    /// The model that it leads to.
    associatedtype _Related: Storable
}

extension Ref: Relatable {
    public typealias _Related = Model
}

// MARK: Equality and coding

extension Ref: Hashable {
    @inlinable
    public static func == (left: Ref, right: Ref) -> Bool { Model._isEqual(left.key, right.key) }

    @inlinable
    public func hash(into hasher: inout Hasher) { Model._hash(key, into: &hasher) }
}

extension Storable {
    /// Returns whether two keys are equal. For ``Ref``.
    public static func _isEqual(_ left: Key, _ right: Key) -> Bool { values(of: left) == values(of: right) }

    /// Hashes a key. For ``Ref``.
    public static func _hash(_ key: Key, into hasher: inout Hasher) { hasher.combine(values(of: key)) }
}

extension Storable where Key: Hashable {
    @inlinable
    public static func _isEqual(_ left: Key, _ right: Key) -> Bool { left == right }

    @inlinable
    public static func _hash(_ key: Key, into hasher: inout Hasher) { hasher.combine(key) }
}

extension Ref: Codable {
    /// Reads a key: one value, or an array with one for each part.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        let types = KeyForm<Model>.types
        var values: [Value] = []
        if types.count == 1 {
            values = [try types[0].decode(try decoder.singleValueContainer())]
        } else {
            var parts = try decoder.unkeyedContainer()
            for type in types { values.append(try type.decode(try parts.superDecoder().singleValueContainer())) }
        }
        do throws(StorageError) {
            key = try KeyForm<Model>.key(values)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "no key of \(Model.self): \(error.message)"))
        }
    }

    /// Writes the key: one value, or an array with one for each part.
    public func encode(to encoder: any Encoder) throws {
        let values = Model.values(of: key)
        guard values.count != 1 else {
            var container = encoder.singleValueContainer()
            return try values[0].encodeKey(into: &container)
        }
        var parts = encoder.unkeyedContainer()
        for value in values {
            var container = parts.superEncoder().singleValueContainer()
            try value.encodeKey(into: &container)
        }
    }
}

extension Ref: CustomStringConvertible {
    /// The model's name and the key: `Person 7`.
    public var description: String {
        "\(Model.self) " + Model.values(of: key).keyText
    }
}

extension Ref: ExpressibleByIntegerLiteral where Model.Key: ExpressibleByIntegerLiteral {
    /// A reference to the record of the key.
    public init(integerLiteral value: Model.Key.IntegerLiteralType) { key = Model.Key(integerLiteral: value) }
}

extension Ref: ExpressibleByUnicodeScalarLiteral where Model.Key: ExpressibleByStringLiteral {
    /// A reference to the record of the key.
    public init(unicodeScalarLiteral value: Model.Key.UnicodeScalarLiteralType) {
        key = Model.Key(unicodeScalarLiteral: value)
    }
}

extension Ref: ExpressibleByExtendedGraphemeClusterLiteral where Model.Key: ExpressibleByStringLiteral {
    /// A reference to the record of the key.
    public init(extendedGraphemeClusterLiteral value: Model.Key.ExtendedGraphemeClusterLiteralType) {
        key = Model.Key(extendedGraphemeClusterLiteral: value)
    }
}

extension Ref: ExpressibleByStringLiteral where Model.Key: ExpressibleByStringLiteral {
    /// A reference to the record of the key.
    public init(stringLiteral value: Model.Key.StringLiteralType) { key = Model.Key(stringLiteral: value) }
}

extension Value {
    /// The value of a reference to a record with a key of one value: for a key that is a reference.
    public init<M: Storable>(_ reference: Ref<M>) { self = M.values(of: reference.key).first ?? .null }
}

extension Array {
    /// The records that were found for references, by these.
    package func records<M: Storable>(_ found: [M?]) -> [Ref<M>: M] where Element == Ref<M> {
        var records: [Ref<M>: M] = [:]
        for (reference, record) in zip(self, found) { records[reference] = record }
        return records
    }
}
