public import StorageDriver

/// The properties of a model's records as a tree, without the program's types.
///
/// ``Store/recordSchemas()`` returns the models of a store in this form, and ``Store/prepare(_:)`` creates their
/// tables, as opening a store with a `@Storable` type does.
///
/// ```swift
/// let person = RecordSchema(
///     name: "Person",
///     properties: [
///         .init(name: "id", kind: .column(.int64), isKey: true),
///         .init(name: "name", kind: .column(.string), isIndexed: true),
///         .init(name: "pens", kind: .children(RecordSchema(name: "Pen", properties: [
///             .init(name: "color", kind: .column(.string))
///         ]))),
///     ])
/// ```
public struct RecordSchema: Hashable, Sendable, Codable {
    /// The model's stored name.
    @inlinable public var name: String {
        get { storedName.text }
        set { storedName = StoredName(newValue) }
    }
    @usableFromInline package var storedName: StoredName
    /// The properties under their stored names, in the order in which they are stored.
    public var properties: [Property]
    /// A Boolean value that indicates whether the store numbers records without a key. The key is then one integer. Has
    /// no meaning for owned records.
    public var assignsKeys: Bool
    /// A Boolean value that indicates whether the records can only be read, as of a view of other software, or of a table
    /// without a key. Unless a program declares another key, it is the number of the record.
    public var isReadOnly: Bool {
        get { readOnly ?? false }
        set { readOnly = newValue ? true : nil }
    }
    /// Nil if it is not, so that the JSON is the same as in earlier versions.
    private var readOnly: Bool?

    private enum CodingKeys: String, CodingKey {
        case properties, assignsKeys
        case storedName = "name"
        case readOnly = "isReadOnly"
    }

    /// A model of properties.
    public init(name: String, properties: [Property], assignsKeys: Bool = false) {
        storedName = StoredName(name)
        self.properties = properties
        self.assignsKeys = assignsKeys
    }

    /// One stored property.
    public struct Property: Hashable, Sendable, Codable {
        /// The stored name.
        @inlinable public var name: String {
            get { storedName.text }
            set { storedName = StoredName(newValue) }
        }
        @usableFromInline package var storedName: StoredName
        /// The kind of its stored values.
        public var kind: Kind
        /// A Boolean value that indicates whether the property may be nil.
        public var isOptional: Bool
        /// A Boolean value that indicates whether the property is the key, or a part of it. Without such a property the one
        /// called `id` is the key, if there is one.
        ///
        /// The key of owned records is data (clause C2), and tells which records of two arrays are the same one. A store
        /// that an earlier version of the library wrote has it recorded when a program has opened it with the type.
        public var isKey: Bool
        /// A Boolean value that indicates whether queries by the property use an index. Has no meaning for owned
        /// records, nor has ``isUnique``.
        public var isIndexed: Bool
        /// A Boolean value that indicates whether no two records have equal values, nil excepted.
        public var isUnique: Bool
        /// The target of a reference; nil for other properties. A reference to a record with a key of several parts has
        /// a property for each. The elements of an array of references are owned records that consist of the key.
        public var reference: Reference?
        /// A Boolean value that indicates whether a record expires at the time that the property holds: a date of a
        /// root. A model has at most one. Such a property is also indexed.
        public var isExpiry: Bool {
            get { expiry ?? false }
            set { expiry = newValue ? true : nil }
        }
        /// The name under which it is stored so far, if it is renamed. Nil in the schemas of a store.
        public var renamedFrom: String?
        /// Nil if it is not, so that the JSON is the same as in earlier versions.
        private var expiry: Bool?
        /// The weight of its words in a full-text search; nil for a property that is not searched. Texts and arrays of
        /// texts can be, in owned records too.
        public var searchWeight: Double?

        private enum CodingKeys: String, CodingKey {
            case kind, isOptional, isKey, isIndexed, isUnique, reference, renamedFrom, expiry, searchWeight
            case storedName = "name"
        }

        /// A property; by default neither Optional, nor a part of the key, nor indexed, nor searched.
        public init(
            name: String, kind: Kind, isOptional: Bool = false, isKey: Bool = false, isIndexed: Bool = false,
            isUnique: Bool = false, reference: Reference? = nil, searchWeight: Double? = nil
        ) {
            storedName = StoredName(name)
            self.kind = kind
            self.isOptional = isOptional
            self.isKey = isKey
            self.isIndexed = isIndexed
            self.isUnique = isUnique
            self.reference = reference
            self.searchWeight = searchWeight
        }
    }

    /// The target of a reference.
    public typealias Reference = ReferenceSchema

    /// The kinds of stored value.
    public indirect enum Kind: Hashable, Sendable, Codable {
        /// A scalar, an array of scalars, or an embedded value.
        case column(ColumnType)
        /// One owned record.
        case child(RecordSchema)
        /// Owned records in order.
        case children(RecordSchema)
        /// One owned record, or several, of the nearest enclosing schema of this name: a type that owns itself, directly
        /// or through others, refers back and is not repeated without end.
        case ancestor(String, isMany: Bool)
    }
}

extension RecordSchema.Kind {
    /// The schema of the owned records; nil if it refers to an enclosing one.
    var schema: RecordSchema? {
        switch self {
        case .child(let schema), .children(let schema): schema
        case .column, .ancestor: nil
        }
    }
}
