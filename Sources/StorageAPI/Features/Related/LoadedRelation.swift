import StorageDriver

/// A property that leads to other records, which are loaded together with each record: a `Ref`, a `Ref?`, a `[Ref]` or an
/// inverse.
public protocol LoadableRelation: Sendable {
    /// The value that the relation loads for each record.
    associatedtype Loaded: Sendable

    static func _relation(_ path: PropertyPath?) -> _LoadedRelation<Loaded>
}

/// A property that leads to several records.
public protocol _LoadableRelations: LoadableRelation {
    /// The model of these records.
    associatedtype Related: Storable
}

extension Ref: LoadableRelation {
    public static func _relation(_ path: PropertyPath?) -> _LoadedRelation<Model> { .one(path, .init()) }
}

extension Optional: LoadableRelation where Wrapped: _ReferenceType {
    public static func _relation(_ path: PropertyPath?) -> _LoadedRelation<Wrapped._Related?> {
        .optional(path, .init())
    }
}

extension Array: LoadableRelation, _LoadableRelations where Element: _ReferenceType {
    public typealias Related = Element._Related

    public static func _relation(_ path: PropertyPath?) -> _LoadedRelation<[Element._Related]> {
        .many(path, Referrers<Element._Related>.Loading<Element._Related>())
    }
}

extension Referrers: LoadableRelation, _LoadableRelations {
    public typealias Related = Referring

    public static func _relation(_ path: PropertyPath?) -> _LoadedRelation<[Referring]> {
        .many(path, Referrers<Referring>.Loading<Referring>())
    }
}

extension Ref {
    /// A reference whose record is loaded if it is stored; see `ifPresent`.
    public enum IfPresent: LoadableRelation {
        public static func _relation(_ path: PropertyPath?) -> _LoadedRelation<Model?> { .present(path, .init()) }
    }
}

extension QueryExpression where V: _ReferenceType {
    /// The reference, loaded as nil if its record is not stored: `.with(\.author.ifPresent)`.
    public var ifPresent: QueryExpression<Ref<V._Related>.IfPresent> {
        QueryExpression<Ref<V._Related>.IfPresent>(nested)
    }
}

extension QueryExpression where V: OptionalChild & LoadableRelation {
    /// The reference, loaded as nil if its record is not stored or if the reference is nil.
    public var ifPresent: QueryExpression<Ref<V.Child>.IfPresent> { QueryExpression<Ref<V.Child>.IfPresent>(nested) }
}

/// ``Ref``, and no other type.
public protocol _ReferenceType: Relatable {}
extension Ref: _ReferenceType {}

extension Ref {
    /// The way in which the referenced record is loaded: with the records that it refers to in turn.
    public struct Loading<Row: Sendable>: Sendable {
        let relations: any Sendable
        let make: any JoinedRowMaking<Row>
    }
}

extension Ref.Loading where Row == Model {
    init() {
        relations = Relations<Model>(parts: ())
        make = SingleRows<Model>()
    }
}

extension Referrers {
    /// The way in which the records that belong to each record are loaded: the selection, the order and the number for
    /// each, and the records that they refer to in turn.
    public struct Loading<Row: Sendable>: SelectionBuilder, Sendable {
        public typealias Model = Referring

        /// The query so far. A limit and an offset count for each owner.
        public var selection = Selection()
        let relations: any Sendable
        let make: any JoinedRowMaking<Row>
    }
}

extension Referrers.Loading where Row == Referring {
    init() {
        relations = Relations<Referring>(parts: ())
        make = SingleRows<Referring>()
    }
}

/// The way in which a relation is loaded, with one value for each record. Created by the library.
public struct _LoadedRelation<X: Sendable>: Sendable {
    let load: @Sendable (JoinedRows) throws(StorageError) -> [X]
    /// Loads records without types, and puts them in the place of the keys.
    let put: @Sendable (JoinedRows, inout [DynamicRecord]) throws(StorageError) -> Void
    /// The types of the records that are loaded.
    let types: [any Storable.Type]

    init(
        types: [any Storable.Type], load: @escaping @Sendable (JoinedRows) throws(StorageError) -> [X],
        put: @escaping @Sendable (JoinedRows, inout [DynamicRecord]) throws(StorageError) -> Void
    ) {
        (self.types, self.load, self.put) = (types, load, put)
    }
}

/// Records without relations.
struct SingleRows<M: Storable>: JoinedRowMaking {
    func rows(_ joined: JoinedRows) throws(StorageError) -> [M] { try joined.models() }

    func records(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord] { try joined.models() }

    var types: [any Storable.Type] { [M.self] }
}

/// The relations of a builder. Each loads one value for each record, and the values are joined into tuples at the end.
struct Relations<M: Storable, each R: Sendable>: JoinedRowMaking {
    let parts: (repeat _LoadedRelation<each R>)

    func rows(_ joined: JoinedRows) throws(StorageError) -> [(M, repeat each R)] {
        let columns = (repeat try (each parts).load(joined))
        let models: [M] = try joined.models()
        var rows: [(M, repeat each R)] = []
        rows.reserveCapacity(models.count)
        // Not `enumerated()`, which is generic here and costs more than the row.
        for index in 0..<models.count { rows.append((models[index], repeat (each columns)[index])) }
        return rows
    }

    func records(_ joined: JoinedRows) throws(StorageError) -> [DynamicRecord] {
        var records: [DynamicRecord] = try joined.models()
        repeat try (each parts).put(joined, &records)
        return records
    }

    var types: [any Storable.Type] {
        var types: [any Storable.Type] = [M.self]
        repeat types += (each parts).types
        return types
    }
}

// MARK: The kinds

extension _LoadedRelation {
    static func one<T: Storable>(_ path: PropertyPath?, _ record: Ref<T>.Loading<X>) -> _LoadedRelation<X> {
        let make = record.make
        return _LoadedRelation<X>(types: make.types) { (rows) throws(StorageError) in
            let found = try rows.records(of: T.self, path, make)
            return try rows.required(found.rows, at: found.places, path: path)
        } put: { (rows, records) throws(StorageError) in
            let found = try rows.records(of: T.self, path, RelatedRecords(make))
            try rows.put(
                rows.required(found.rows, at: found.places, path: path).map { .child($0) }, at: path, into: &records)
        }
    }

    static func optional<T: Storable, S>(
        _ path: PropertyPath?, _ record: Ref<T>.Loading<S>
    ) -> _LoadedRelation<S?> where X == S? {
        let make = record.make
        return _LoadedRelation<S?>(types: make.types) { (rows) throws(StorageError) in
            let found = try rows.records(of: T.self, path, make)
            return try rows.optional(found.rows, at: found.places, path: path)
        } put: { (rows, records) throws(StorageError) in
            let found = try rows.records(of: T.self, path, RelatedRecords(make))
            try rows.put(
                rows.optional(found.rows, at: found.places, path: path).map { $0.map { .child($0) } }, at: path,
                into: &records)
        }
    }

    static func present<T: Storable, S>(
        _ path: PropertyPath?, _ record: Ref<T>.Loading<S>
    ) -> _LoadedRelation<S?> where X == S? {
        let make = record.make
        return _LoadedRelation<S?>(types: make.types) { (rows) throws(StorageError) in
            let found = try rows.records(of: T.self, path, make)
            return found.places.map { place in place.map { found.rows[$0] } }
        } put: { (rows, records) throws(StorageError) in
            let found = try rows.records(of: T.self, path, RelatedRecords(make))
            try rows.put(
                found.places.map { place in place.map { .child(found.rows[$0]) } }, at: path, into: &records)
        }
    }

    static func many<T: Storable, S>(
        _ path: PropertyPath?, _ records: Referrers<T>.Loading<S>
    ) -> _LoadedRelation<[S]> where X == [S] {
        let (selection, make) = (records.selection, records.make)
        return _LoadedRelation<[S]>(types: make.types) { (rows) throws(StorageError) in
            try rows.lists(of: T.self, path, RelatedRows(selection: selection, make: make))
        } put: { (rows, records) throws(StorageError) in
            let lists = try rows.lists(
                of: T.self, path, RelatedRows(selection: selection, make: RelatedRecords(make)))
            try rows.put(lists.map { .children($0) }, at: path, into: &records)
        }
    }
}

extension JoinedRows {
    /// The record of each row's reference.
    fileprivate func required<X>(_ found: [X], at places: [Int?], path: PropertyPath?) throws(StorageError) -> [X] {
        var values: [X] = []
        values.reserveCapacity(count)
        for row in 0..<places.count {
            guard let place = places[row] else { throw try dangling(path, row) }
            values.append(found[place])
        }
        return values
    }

    /// The record of each row's reference; nil for a reference that is nil.
    fileprivate func optional<X>(_ found: [X], at places: [Int?], path: PropertyPath?) throws(StorageError) -> [X?] {
        var values: [X?] = []
        values.reserveCapacity(count)
        for row in 0..<places.count {
            let place = places[row]
            if place == nil, try !isNil(path, row) { throw try dangling(path, row) }
            values.append(place.map { found[$0] })
        }
        return values
    }
}

// MARK: Relations of loaded records

extension Ref.Loading {
    /// Loads the record with the records that it refers to, or that refer to it.
    public func with<X: LoadableRelation, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<X>>
    ) -> Ref<Model>.Loading<(Model, repeat each R, X.Loaded)> where Row == (Model, repeat each R) {
        adding(X._relation(Model.columns[keyPath: relation].path))
    }

    /// Loads the record with several others, chosen by conditions, an order and a limit.
    public func with<X: _LoadableRelations, S: Sendable, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<X>>,
        _ more: (Referrers<X.Related>.Loading<X.Related>) -> Referrers<X.Related>.Loading<S>
    ) -> Ref<Model>.Loading<(Model, repeat each R, [S])> where Row == (Model, repeat each R) {
        adding(.many(Model.columns[keyPath: relation].path, more(.init())))
    }

    /// Loads the record with a record that it refers to, and the records that the latter refers to in turn.
    public func with<T: Storable, S: Sendable, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>>>,
        _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
    ) -> Ref<Model>.Loading<(Model, repeat each R, S)> where Row == (Model, repeat each R) {
        adding(.one(Model.columns[keyPath: relation].path, more(Ref<T>.Loading<T>())))
    }

    /// The same for a reference that may be nil.
    public func with<T: Storable, S: Sendable, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>?>>,
        _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
    ) -> Ref<Model>.Loading<(Model, repeat each R, S?)> where Row == (Model, repeat each R) {
        adding(.optional(Model.columns[keyPath: relation].path, more(Ref<T>.Loading<T>())))
    }

    private func adding<X: Sendable, each R: Sendable>(
        _ relation: _LoadedRelation<X>
    ) -> Ref<Model>.Loading<(Model, repeat each R, X)> where Row == (Model, repeat each R) {
        let new = Relations<Model, repeat each R>.adding(relation, to: relations)
        return Ref<Model>.Loading<(Model, repeat each R, X)>(relations: new.relations, make: new.make)
    }
}

extension Referrers.Loading {
    /// Loads the records with the records that they refer to, or that refer to them.
    public func with<X: LoadableRelation, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<X>>
    ) -> Referrers<Model>.Loading<(Model, repeat each R, X.Loaded)> where Row == (Model, repeat each R) {
        adding(X._relation(Model.columns[keyPath: relation].path))
    }

    /// Loads each of the records with several others, chosen by conditions, an order and a limit.
    public func with<X: _LoadableRelations, S: Sendable, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<X>>,
        _ more: (Referrers<X.Related>.Loading<X.Related>) -> Referrers<X.Related>.Loading<S>
    ) -> Referrers<Model>.Loading<(Model, repeat each R, [S])> where Row == (Model, repeat each R) {
        adding(.many(Model.columns[keyPath: relation].path, more(Referrers<X.Related>.Loading<X.Related>())))
    }

    /// Loads each of the records with a record that it refers to, and the records that the latter refers to in turn.
    public func with<T: Storable, S: Sendable, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>>>,
        _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
    ) -> Referrers<Model>.Loading<(Model, repeat each R, S)> where Row == (Model, repeat each R) {
        adding(.one(Model.columns[keyPath: relation].path, more(Ref<T>.Loading<T>())))
    }

    /// The same for a reference that may be nil.
    public func with<T: Storable, S: Sendable, each R: Sendable>(
        _ relation: KeyPath<Model.Columns, QueryExpression<Ref<T>?>>,
        _ more: (Ref<T>.Loading<T>) -> Ref<T>.Loading<S>
    ) -> Referrers<Model>.Loading<(Model, repeat each R, S?)> where Row == (Model, repeat each R) {
        adding(.optional(Model.columns[keyPath: relation].path, more(Ref<T>.Loading<T>())))
    }

    private func adding<X: Sendable, each R: Sendable>(
        _ relation: _LoadedRelation<X>
    ) -> Referrers<Model>.Loading<(Model, repeat each R, X)> where Row == (Model, repeat each R) {
        let new = Relations<Model, repeat each R>.adding(relation, to: relations)
        return Referrers<Model>.Loading<(Model, repeat each R, X)>(
            selection: selection, relations: new.relations, make: new.make)
    }
}

extension Relations {
    /// The relations of a builder and one more, and the maker of rows from them.
    static func adding<X>(
        _ relation: _LoadedRelation<X>, to old: any Sendable
    ) -> (relations: any Sendable, make: any JoinedRowMaking<(M, repeat each R, X)>) {
        guard let old = old as? Relations else {
            // The row's type determines the relations, so this cannot happen.
            return (old, NoRows<(M, repeat each R, X)>())
        }
        let new = Relations<M, repeat each R, X>(parts: (repeat each old.parts, relation))
        return (new, new)
    }
}

/// A maker that fails, for relations that don't match the rows.
private struct NoRows<Row: Sendable>: JoinedRowMaking {
    private var mismatch: StorageError { StorageError(.invalidQuery, "The relations are not those of the rows.") }

    func rows(_: JoinedRows) throws(StorageError) -> [Row] { throw mismatch }

    func records(_: JoinedRows) throws(StorageError) -> [DynamicRecord] { throw mismatch }

    var types: [any Storable.Type] { [] }
}
