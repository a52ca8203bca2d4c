public import StorageDriver

// References as properties: one column for each part of the key, or, of an array, a row for each element.
extension Property {
    /// A reference to a record of another model, or of the same; `onDelete` is the rule for the reference if that
    /// record is deleted.
    public init<M: Storable>(
        _ name: String, _: Ref<M>.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        onDelete: DeleteRule = .deny, default value: PropertyDefault<Ref<M>>? = nil
    ) {
        self.init(
            name, .reference(M.self), optional: false, traits: traits, stored: stored, renamedFrom: old,
            default: Self.dynamic(value) { M.values(of: $0.key).first ?? .null })
        rule = onDelete
    }

    /// A reference that may be nil.
    public init<M: Storable>(
        _ name: String, _: Ref<M>?.Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        onDelete: DeleteRule = .deny, default value: PropertyDefault<Ref<M>?>? = nil
    ) {
        self.init(
            name, .reference(M.self), optional: true, traits: traits, stored: stored, renamedFrom: old,
            default: Self.dynamic(value) { $0.flatMap { M.values(of: $0.key).first } ?? .null })
        rule = onDelete
    }

    /// An array of references, in order. A record may be named several times.
    public init<M: Storable>(
        _ name: String, _: [Ref<M>].Type, _ traits: Traits = [], stored: String? = nil, renamedFrom old: String...,
        onDelete: DeleteRule = .deny, default value: PropertyDefault<[Ref<M>]>? = nil
    ) {
        let isEmpty = value?().isEmpty ?? false
        self.init(
            name, .references(M.self, elements: ReferenceRow<M>.self), optional: false, traits: traits, stored: stored,
            renamedFrom: old,
            default: nil)
        if isEmpty { defaultValue = { .null } } else { writeDefault = Self.owned(value) { $1.write($0) } }
        rule = onDelete
    }
}

extension RowReader {
    /// Reads a reference.
    ///
    /// - Throws: `typeMismatch` if the stored value is no key of the model.
    @inlinable @inline(__always)
    public mutating func read<M: Storable>(_: Ref<M>.Type) throws(StorageError) -> Ref<M> {
        Ref(key: try M.readKey(&self))
    }

    /// Reads a reference, or nil.
    ///
    /// - Throws: `typeMismatch` if the stored value is no key of the model.
    @inlinable @inline(__always)
    public mutating func read<M: Storable>(_: Ref<M>?.Type) throws(StorageError) -> Ref<M>? {
        if try skipsNull(M.self) { return nil }
        return Ref(key: try M.readKey(&self))
    }

    /// Reads an array of references, in its order.
    @inlinable
    public mutating func read<M: Storable>(_: [Ref<M>].Type) throws(StorageError) -> [Ref<M>] {
        try nextChildren().all(ReferenceRow<M>.self, ownedBy: self).map(\.reference)
    }

    /// Skips a reference that is nil.
    @inlinable
    mutating func skipsNull<M: Storable>(_: M.Type) throws(StorageError) -> Bool {
        guard index < end else { throw tooFewCells() }
        guard cells[index].isNull else { return false }
        index &+= M._keyWidth
        return true
    }
}

extension RowWriter {
    /// Writes a reference.
    @inlinable @inline(__always)
    public mutating func write<M: Storable>(_ reference: Ref<M>) { M._write(reference.key, into: &self) }

    /// Writes a reference, or nil.
    @inlinable @inline(__always)
    public mutating func write<M: Storable>(_ reference: Ref<M>?) {
        if let reference { return M._write(reference.key, into: &self) }
        for _ in 0..<M._keyWidth { put(.null) }
    }

    /// Writes an array of references, each to a separate row.
    @inlinable
    public mutating func write<M: Storable>(_ references: [Ref<M>]) {
        writeChildren(
            references.lazy.map(ReferenceRow.init), apart: ListPositions.step(ofCount: references.count))
    }

    /// Writes a value of a key's part.
    @usableFromInline
    package mutating func write(_ value: Value) {
        switch value {
        case .null: put(.null)
        case .int(let value): put(.int(value))
        case .unsigned(let value): put(.unsigned(value))
        case .double(let value): put(.double(value))
        case .text(var text): text.withUTF8 { put(UnsafeRawBufferPointer($0), as: .text) }
        case .blob(let bytes): bytes.withUnsafeBytes { put($0, as: .blob) }
        }
    }
}

// Keys in rows of other models. The specific ones are compiled into the program.
extension Storable {
    /// The number of values in a key. For the library only.
    public static var _keyWidth: Int { schema.keyProperties.count }

    /// Writes a key. For the library only.
    public static func _write(_ key: Key, into row: inout RowWriter) {
        for value in values(of: key) { row.write(value) }
    }
}

extension Storable where Key: ScalarValue {
    @inlinable public static var _keyWidth: Int { 1 }

    @inlinable @inline(__always)
    public static func _write(_ key: Key, into row: inout RowWriter) { row.write(key) }
}

extension Storable where Key: RawRepresentable, Key.RawValue: ScalarValue {
    @inlinable public static var _keyWidth: Int { 1 }

    @inlinable @inline(__always)
    public static func _write(_ key: Key, into row: inout RowWriter) { row.write(key) }
}

/// An element of an array of references as an owned row, which consists of the key.
@usableFromInline
struct ReferenceRow<Target: Storable>: Storable {
    @usableFromInline typealias Key = Never
    @usableFromInline let reference: Ref<Target>

    @usableFromInline
    init(_ reference: Ref<Target>) { self.reference = reference }

    @usableFromInline static var schema: ModelSchema {
        let target = Target.schema
        return ModelSchema(
            target.name,
            target.keyProperties.map {
                Property(
                    $0.storedName, .column($0.columnType ?? .int64), optional: false, traits: [], stored: nil,
                    renamedFrom: [], default: nil)
            })
    }

    @inlinable @inline(__always)
    init(reading row: inout RowReader) throws(StorageError) { reference = try row.read(Ref<Target>.self) }

    @inlinable @inline(__always)
    func write(into row: inout RowWriter) { row.write(reference) }

    @usableFromInline
    struct Columns: ColumnSet {
        @usableFromInline let _propertyPath: PropertyPath

        @usableFromInline
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

/// A reference, an Optional of one, or an array of them, recognised at run time.
package protocol ReadableReference {
    static func read(_ row: inout RowReader) throws(StorageError) -> Self
}

extension Ref: ReadableReference {
    package static func read(_ row: inout RowReader) throws(StorageError) -> Ref { try row.read(Ref.self) }
}

/// Lets Optional and Array recognise a wrapped reference.
package protocol ReferenceValue {
    static func readOptional(_ row: inout RowReader) throws(StorageError) -> Self?
    static func readArray(_ row: inout RowReader) throws(StorageError) -> [Self]
}

extension Ref: ReferenceValue {
    package static func readOptional(_ row: inout RowReader) throws(StorageError) -> Ref? { try row.read(Ref?.self) }
    package static func readArray(_ row: inout RowReader) throws(StorageError) -> [Ref] { try row.read([Ref].self) }
}

extension Optional: ReadableReference where Wrapped: ReferenceValue {
    package static func read(_ row: inout RowReader) throws(StorageError) -> Self { try Wrapped.readOptional(&row) }
}

extension Array: ReadableReference where Element: ReferenceValue {
    package static func read(_ row: inout RowReader) throws(StorageError) -> Self { try Element.readArray(&row) }
}
