import StorageDriver

/// A query whose rows are tuples: how it is planned, and how its rows become values.
struct ResultRequest<each V>: Sendable {
    private let rows: ResultRows

    init(_ rows: ResultRows) { self.rows = rows }

    func rows(_ reading: RecordReader) throws(StorageError) -> [(repeat each V)] {
        var values: [(repeat each V)] = []
        let readers = (repeat try ResultReader<each V>())
        let places = try reading.results(rows) { (row) throws(StorageError) in
            values.append((repeat try (each readers).read(row)))
        }
        return places.map { $0.map { values[$0] } } ?? values
    }
}

/// Reads values of one type from rows. The kind of the type is looked for once.
struct ResultReader<V> {
    private let body: (inout RowReader) throws(StorageError) -> V

    init() throws(StorageError) {
        guard let body = Self.scalar() ?? Self.reference() ?? Self.children() ?? Self.embedded() else {
            throw StorageError(.invalidQuery, "\(V.self) cannot be read by itself; load the model.")
        }
        self.body = body
    }

    func read(_ row: ResultRow) throws(StorageError) -> V { try row.read(body) }

    private typealias Body = (inout RowReader) throws(StorageError) -> V

    // Each kind is found by its protocol and opened as a type T, which is V under another name, so the casts back to V
    // cannot fail.
    private static func cast<T>(_ value: T) throws(StorageError) -> V {
        guard let value = value as? V else { throw StorageError(.invalidQuery, "A \(T.self) is no \(V.self).") }
        return value
    }

    private static func scalar() -> Body? {
        func column<T: ColumnValue>(_: T.Type) -> Body {
            { (row) throws(StorageError) in try cast(row.read(T.self)) }
        }
        func raw<T: RawRepresentable>(_: T.Type) -> Body? {
            guard let raw = T.RawValue.self as? any ScalarValue.Type else { return nil }
            return rawValue(T.self, raw)
        }
        func optional<O: OptionalValue>(_: O.Type) -> Body? {
            guard let type = O.Wrapped.self as? any RawRepresentable.Type, let raw = raw(type) else { return nil }
            return { (row) throws(StorageError) in
                try row.isNextNull ? cast(O.nothing) : raw(&row)
            }
        }
        if let type = V.self as? any ColumnValue.Type { return column(type) }
        if let type = V.self as? any RawRepresentable.Type { return raw(type) }
        if let type = V.self as? any OptionalValue.Type { return optional(type) }
        return nil
    }

    private static func rawValue<T: RawRepresentable, R: ScalarValue>(_: T.Type, _: R.Type) -> Body {
        { (row) throws(StorageError) in
            guard let raw = try row.read(R.self) as? T.RawValue, let value = T(rawValue: raw) else {
                throw row.mismatch(T.self)
            }
            return try cast(value)
        }
    }

    private static func reference() -> Body? {
        func one<R: ReadableReference>(_: R.Type) -> Body {
            { (row) throws(StorageError) in try cast(R.read(&row)) }
        }
        return (V.self as? any ReadableReference.Type).map { one($0) }
    }

    private static func children() -> Body? {
        func one<T: Storable>(_: T.Type) -> Body { { (row) throws(StorageError) in try cast(row.read(T.self)) } }
        func optional<O: OptionalChild>(_: O.Type) -> Body {
            { (row) throws(StorageError) in try cast(row.read(O.Child?.self)) }
        }
        func many<A: ChildArray>(_: A.Type) -> Body {
            let isOptional = A.self is any OptionalValue.Type
            return { (row) throws(StorageError) in
                try isOptional ? cast(row.read([A.Child]?.self)) : cast(row.read([A.Child].self))
            }
        }
        if let type = V.self as? any Storable.Type { return one(type) }
        if let type = V.self as? any OptionalChild.Type { return optional(type) }
        if let type = V.self as? any ChildArray.Type { return many(type) }
        return nil
    }

    private static func embedded() -> Body? {
        func codable<T: Codable & Sendable>(_: T.Type) -> Body {
            { (row) throws(StorageError) in try cast(row.read(T.self)) }
        }
        guard let type = V.self as? any (Codable & Sendable).Type else { return nil }
        return codable(type)
    }
}

extension RowReader {
    /// Skips the next cell and returns true if it is null; otherwise returns false.
    fileprivate var isNextNull: Bool {
        mutating get {
            guard index < end, cells[index].isNull else { return false }
            index &+= 1
            return true
        }
    }
}
