public import StorageDriver

/// A record without a Swift type: it can read and write any model of a store.
///
/// The store's verbs take it as they take a model: `store.save(record)`. Optional properties, arrays of owned records and
/// properties for which the program declares a default may be left out. A field that the model does not have, a value that a
/// field cannot hold, and another missing field are `invalidValue`, naming the property; a model that the store does not have
/// is `invalidQuery`.
/// ``Store/records(_:)`` queries records.
public struct DynamicRecord: Hashable, Sendable {
    /// The model's stored name; for an owned record its path: `Person.pens`.
    @inlinable public var model: String {
        get { storedModel.text }
        set { storedModel = StoredName(newValue) }
    }
    @usableFromInline package var storedModel: StoredName
    /// The properties under their stored names. A record that was read has the columns first, in the order in which
    /// they were added, then owned records; a record to write may have them in any order.
    public var fields: [Field]

    /// A record of a model.
    public init(model: String, fields: [Field]) {
        storedModel = StoredName(model)
        self.fields = fields
    }

    /// One property of a record.
    public struct Field: Hashable, Sendable {
        /// The property's stored name.
        @inlinable public var name: String {
            get { storedName.text }
            set { storedName = StoredName(newValue) }
        }
        @usableFromInline package var storedName: StoredName
        /// The content.
        public var content: Content

        /// A property with its content.
        public init(name: String, content: Content) {
            storedName = StoredName(name)
            self.content = content
        }
    }

    /// The content of a property.
    public enum Content: Hashable, Sendable {
        /// A scalar, an array or an embedded value. Arrays and embedded values are JSON text.
        case value(Value, ColumnType)
        case child(DynamicRecord?)
        /// Owned records in order; nil if an optional array is nil.
        case children([DynamicRecord]?)
    }

    /// The content of a property; nil if the record has no property of the name.
    public subscript(name: String) -> Content? {
        let name = StoredName(name)
        return fields.first { $0.storedName == name }?.content
    }

    /// The value of a scalar property; nil if the record has no scalar property of the name.
    public func value(_ name: String) -> Value? {
        if case .value(let value, _)? = self[name] { value } else { nil }
    }
}
