public import StorageDriver

/// One stored property of a model, as its schema declares it.
public struct Property: Sendable {
    /// The kinds of stored value.
    public enum Kind: Sendable {
        /// One column.
        case column(ColumnType)
        /// An owned child.
        case one(any Storable.Type)
        /// An array of owned children.
        case many(any Storable.Type)
        /// A reference to a record: one column for each part of its key.
        case reference(any Storable.Type)
        /// An array of references, whose elements are the rows of a separate table.
        case references(any Storable.Type, elements: any Storable.Type)
        /// Something that opening a store refuses, with the reason.
        case refused(String)
    }

    /// Marks of a property.
    public struct Traits: OptionSet, Sendable {
        /// The marks as bits.
        public let rawValue: Int
        /// The marks of these bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Part of the key.
        public static let key = Traits(rawValue: 1)
        /// Queries by this property use an index.
        public static let indexed = Traits(rawValue: 2)
        /// No two records have equal values, nil excepted.
        public static let unique = Traits(rawValue: 4)
        /// The record expires at the property's time.
        public static let expires = Traits(rawValue: 8)
        /// The store sets it to the time when the record is inserted.
        public static let created = Traits(rawValue: 16)
        /// The store sets it to the time of each write.
        public static let modified = Traits(rawValue: 32)
    }

    /// The property's name in Swift, as errors show it.
    public var name: String
    /// The name under which it is stored.
    public var storedName: String
    /// The names under which older versions stored it, the latest first.
    public var renamedFrom: [String]
    /// The kind of value: a column, a child or an array of children.
    public var kind: Kind
    /// A Boolean value that indicates whether the property may be nil.
    public var isOptional: Bool
    /// The traits of the property: key, indexed, unique, expiry.
    public var traits: Traits
    /// The value of records that were stored before the property existed; nil if the property has no default. For
    /// children only an empty default counts, and is given as `.null`.
    public var defaultValue: (@Sendable () throws -> Value)?
    /// Writes the default of an owned property to a record that lacks the property, in JSON or as a `DynamicRecord`. Nil
    /// without a default, and for an empty array as the default of a property that is not Optional.
    package var writeDefault: OwnedDefault?
    /// The rule for a reference whose record is deleted.
    public var rule = DeleteRule.deny
    /// The place of the property in JSON, and the forms that JSON may have for it.
    public var form = JSONForm()
    /// The weight of its words in a full-text search; nil for a property that is not searched.
    public var searchWeight: Double?

    init(
        _ name: String, _ kind: Kind, optional: Bool, traits: Traits, stored: String?, renamedFrom old: [String],
        default value: (@Sendable () throws -> Value)?
    ) {
        self.name = name
        self.storedName = stored ?? name
        self.renamedFrom = old
        self.kind = kind
        self.isOptional = optional
        self.traits = traits
        self.defaultValue = value
    }

    static func owned<T>(
        _ value: PropertyDefault<T>?, _ write: @escaping @Sendable (T, inout RowWriter) -> Void
    ) -> OwnedDefault? {
        guard let value else { return nil }
        return { write(value(), &$0) }
    }

    static func dynamic<T>(
        _ value: PropertyDefault<T>?, _ convert: @escaping @Sendable (T) throws -> Value
    ) -> (@Sendable () throws -> Value)? {
        guard let value else { return nil }
        return { try convert(value()) }
    }
}

/// Writes the default of an owned property: to the row's cell that says whether an array exists, and to the rows of the
/// owned records.
package typealias OwnedDefault = @Sendable (inout RowWriter) -> Void

/// A closure that gives a property's default value.
public typealias PropertyDefault<T> = @Sendable () -> T

// Which of these initialisers a type selects decides how it is stored; reading and writing have the same overloads.
extension Property {
    /// A scalar, an Optional of one, or an array.
    public init<T: ColumnValue>(
        _ name: String, _: T.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T>? = nil
    ) {
        self.init(
            name, .column(T.columnType), optional: T.isOptional, traits: traits, stored: stored, renamedFrom: old,
            default: Self.dynamic(value) { try $0.storable() })
    }

    /// An enum with a raw value.
    public init<T: RawRepresentable & Sendable>(
        _ name: String, _: T.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T>? = nil
    ) where T.RawValue: ScalarValue {
        self.init(
            name, .column(T.RawValue.columnType), optional: false, traits: traits, stored: stored, renamedFrom: old,
            default: Self.dynamic(value) { try $0.rawValue.storable() })
    }

    /// An Optional of an enum with a raw value.
    public init<T: RawRepresentable & Sendable>(
        _ name: String, _: T?.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T?>? = nil
    ) where T.RawValue: ScalarValue {
        self.init(
            name, .column(T.RawValue.columnType), optional: true, traits: traits, stored: stored, renamedFrom: old,
            default: Self.dynamic(value) { try $0?.rawValue.storable() ?? .null })
    }

    /// An array of enums with raw values.
    public init<T: RawRepresentable & Sendable>(
        _ name: String, _: [T].Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<[T]>? = nil
    ) where T.RawValue: ScalarValue {
        self.init(
            name, .column([T.RawValue].columnType), optional: false, traits: traits, stored: stored, renamedFrom: old,
            default: Self.dynamic(value) { try $0.map(\.rawValue).storable() })
    }

    /// Any other `Codable` value, embedded as JSON.
    @_disfavoredOverload
    public init<T: Codable & Sendable>(
        _ name: String, _: T.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T>? = nil
    ) {
        guard !Self.isContainerOfChildren(T.self) else {
            self.init(
                name, .refused(Self.hidden), optional: false, traits: traits, stored: stored, renamedFrom: old,
                default: nil)
            return
        }
        guard !Self.isNestedOptional(T.self) else {
            self.init(
                name, .refused(Self.nested), optional: false, traits: traits, stored: stored, renamedFrom: old,
                default: nil)
            return
        }
        self.init(
            name, .column(.embedded), optional: T.self is any OptionalValue.Type, traits: traits, stored: stored,
            renamedFrom: old,
            default: Self.dynamic(value) { try EmbeddedCoding.value(of: $0) })
    }
}

// Owned children.
extension Property {
    /// An owned child.
    public init<T: Storable>(
        _ name: String, _: T.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T>? = nil
    ) {
        self.init(name, .one(T.self), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil)
        writeDefault = Self.owned(value) { $1.write($0) }
    }

    /// An owned child that may be nil.
    public init<T: Storable>(
        _ name: String, _: T?.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T?>? = nil
    ) {
        self.init(
            name, .one(T.self), optional: true, traits: traits, stored: stored, renamedFrom: old, default: { .null })
        writeDefault = Self.owned(value) { $1.write($0) }
    }

    /// An array of owned children.
    public init<T: Storable>(
        _ name: String, _: [T].Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<[T]>? = nil
    ) {
        let isEmpty = value?().isEmpty ?? false
        self.init(name, .many(T.self), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil)
        if isEmpty { defaultValue = { .null } } else { writeDefault = Self.owned(value) { $1.write($0) } }
    }

    /// An array of owned children that may be nil.
    public init<T: Storable>(
        _ name: String, _: [T]?.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<[T]?>? = nil
    ) {
        self.init(
            name, .many(T.self), optional: true, traits: traits, stored: stored, renamedFrom: old, default: { .null })
        writeDefault = Self.owned(value) { $1.write($0) }
    }
}

// Types that would hide children in an embedded value, or cannot be stored at all. These overloads win over the Codable
// one, so such a property gets a warning or an error, and opening a store refuses it in any case.
extension Property {
    private static let hidden =
        "own @Storable children as T, T?, [T] or [T]?; another container of a @Storable type cannot be stored"

    private static let nested =
        "an Optional of an Optional cannot be stored: nil and an inner nil would be one; write T?"

    private static func isNestedOptional(_ type: Any.Type) -> Bool {
        func wraps<O: OptionalValue>(_: O.Type) -> Bool { O.Wrapped.self is any OptionalValue.Type }
        return (type as? any OptionalValue.Type).map { wraps($0) } ?? false
    }

    /// Returns whether a type that is `Codable` holds children in containers, at any depth. No overload can match all
    /// such types.
    private static func isContainerOfChildren(_ type: Any.Type) -> Bool {
        guard let container = type as? any ContainerType.Type else { return false }
        return container.contained.contains { $0 is any Storable.Type || isContainerOfChildren($0) }
    }

    /// Refused, with a warning at the property and an error at opening: an array of Optionals of children cannot be
    /// stored.
    @available(*, deprecated, message: "own @Storable children as T, T?, [T] or [T]?; this container cannot be stored")
    public init<T: Storable>(
        _ name: String, _: [T?].Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<[T?]>? = nil
    ) {
        self.init(
            name, .refused(Self.hidden), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil
        )
    }

    /// Refused, with a warning at the property and an error at opening: an array of arrays of children cannot be
    /// stored.
    @available(*, deprecated, message: "own @Storable children as T, T?, [T] or [T]?; this container cannot be stored")
    public init<T: Storable>(
        _ name: String, _: [[T]].Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<[[T]]>? = nil
    ) {
        self.init(
            name, .refused(Self.hidden), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil
        )
    }

    /// Refused, with a warning at the property and an error at opening: a dictionary of children cannot be stored.
    @available(*, deprecated, message: "own @Storable children as T, T?, [T] or [T]?; this container cannot be stored")
    public init<K: Hashable, T: Storable>(
        _ name: String, _: [K: T].Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<[K: T]>? = nil
    ) {
        self.init(
            name, .refused(Self.hidden), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil
        )
    }

    /// Refused, with a warning at the property and an error at opening: a set of children cannot be stored.
    @available(*, deprecated, message: "own @Storable children as T, T?, [T] or [T]?; this container cannot be stored")
    public init<T: Storable & Hashable>(
        _ name: String, _: Set<T>.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<Set<T>>? = nil
    ) {
        self.init(
            name, .refused(Self.hidden), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil
        )
    }

    /// Refused, with a warning at the property and an error at opening: an Optional of an Optional has two kinds of nil.
    @available(*, deprecated, message: "an Optional of an Optional cannot be stored: write T?")
    public init<T>(
        _ name: String, _: T??.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T??>? = nil
    ) {
        self.init(
            name, .refused(Self.nested), optional: false, traits: traits, stored: stored, renamedFrom: old, default: nil
        )
    }

    /// Refused, at compile time: a type that cannot be stored.
    @available(
        *, unavailable,
        message:
            "this type cannot be stored: make it Codable, an enum with a raw value, or @Storable, or mark the property @Ignored"
    )
    @_disfavoredOverload
    public init<T>(
        _ name: String, _: T.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        default value: PropertyDefault<T>? = nil
    ) {
        self.init(
            name, .refused("a type that cannot be stored"), optional: false, traits: traits, stored: stored,
            renamedFrom: old, default: nil)
    }
}

/// A container of the standard library, recognised at run time.
private protocol ContainerType {
    static var contained: [Any.Type] { get }
}
extension Optional: ContainerType { fileprivate static var contained: [Any.Type] { [Wrapped.self] } }
extension Array: ContainerType { fileprivate static var contained: [Any.Type] { [Element.self] } }
extension Set: ContainerType { fileprivate static var contained: [Any.Type] { [Element.self] } }
extension Dictionary: ContainerType { fileprivate static var contained: [Any.Type] { [Key.self, Value.self] } }
