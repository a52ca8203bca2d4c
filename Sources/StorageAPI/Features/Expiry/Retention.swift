internal import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// How long a store keeps the records of a model, by one of its times.
    ///
    /// ```swift
    /// @Storable struct Reading {
    ///     var id: Int?
    ///     @Indexed var time = Date()
    /// }
    ///
    /// let options = Store.Options(retention: [.init(Reading.self, by: \.time, days: 90)])
    /// ```
    ///
    /// ``Store/removeExpired()`` removes the records that are older. Until then they are as any other record: reads find
    /// them, unlike records whose `@Expires` has passed. A record without a time stays.
    public struct Retention: Sendable {
        let source: ModelSource
        private let time: Time
        let days: Double

        private enum Time: Sendable {
            case node(QueryNode)
            /// A property by its stored name.
            case named(StoredName)
        }

        /// Keeps the records whose time is at most so many days ago.
        ///
        /// - Parameters:
        ///   - model: the model. Opening makes its tables.
        ///   - time: the property that says how old a record is. Mark it with `@Indexed`.
        ///   - days: the number of days of 86,400 seconds, from 0 on. Opening with another number is `configuration`.
        public init<M: Storable>(
            _ model: M.Type, by time: KeyPath<M.Columns, QueryExpression<Date>>, days: Double
        ) {
            (source, self.time, self.days) = (.type(model), .node(M.node(time)), days)
        }

        /// The same by a time that a record may lack.
        public init<M: Storable>(
            _ model: M.Type, by time: KeyPath<M.Columns, QueryExpression<Date?>>, days: Double
        ) {
            (source, self.time, self.days) = (.type(model), .node(M.node(time)), days)
        }

        /// The same of a model without a type, by stored names.
        package init(ofRecords model: String, by time: String, days: Double) {
            (source, self.time, self.days) = (.recorded(StoredName(model)), .named(StoredName(time)), days)
        }

        /// The model's type; nil without one.
        var model: (any Storable.Type)? { if case .type(let type) = source { type } else { nil } }

        private var name: String {
            switch source {
            case .type(let type): type.schema.name
            case .recorded(let name), .whole(let name): name.text
            }
        }

        func check() throws(StorageError) {
            guard days >= 0, days.isFinite else {
                throw StorageError(
                    .configuration, "The retention of \(name) has \(days) days; give 0 or more.", model: name)
            }
            if case .node(let node) = time, !node.isOwnProperty {
                throw StorageError(
                    .configuration,
                    "The retention of \(name) names a time of an owned record; name a property of \(name) itself.",
                    model: name)
            }
        }

        /// The index of the root's column that has the time.
        ///
        /// - Throws: `invalidQuery` if the model has no time of the name.
        func column(of tables: ModelTables) throws(StorageError) -> Int {
            switch time {
            case .node(let node):
                if let column = try tables.columns(node).first { return column }
            case .named(let name):
                let columns = tables.root.schema.columns
                let column = columns.firstIndex { $0.storedProperty == name && $0.type == .date && !$0.isRemoved }
                if let column { return column }
                let times = columns.filter { $0.type == .date && !$0.isRemoved }.map(\.property)
                throw StorageError(
                    .invalidQuery,
                    "\(self.name) has no time \(name)\(SpellingSuggestion.hint(name.text, among: times)); its times are "
                        + "\(times.isEmpty ? "none" : times.joined(separator: ", ")).", model: self.name)
            }
            throw StorageError(.invalidQuery, "A retention names a time of the model.", model: name)
        }
    }
}

/// Removes the records of a model that are older than its retention.
struct RetentionRemoval {
    private let store: Store
    private let context: TransactionContext
    private let source: ModelSource
    private let handle: ModelHandle
    private let column: Int
    /// The latest time of a record that is removed.
    private let limit: Value

    init(_ retention: Store.Retention, in context: TransactionContext, of store: Store) throws(StorageError) {
        (self.store, self.context) = (store, context)
        source = retention.source
        handle = try context.handle(source)
        column = try retention.column(of: handle.tables)
        limit = .double(store.expiry.seconds - retention.days * 86_400)
    }

    /// Removes as much as one commit may.
    ///
    /// - Returns: the number of records, whether more may be left, and why others stay.
    func run() throws(StorageError) -> (removed: Int, isUnfinished: Bool, failure: StorageError?) {
        switch try dropRange() {
        case .rows(let count): return (count, true, nil)
        case .none: return (0, false, nil)
        case .undivided: break
        }
        var removal = try ExpiryRemoval(store.expiry, in: context)
        try removal.run(
            ExpiringModels.Model(root: handle.tables.root.schema, column: column, source: source), at: limit)
        return (removal.removed, removal.removed >= ExpiringModels.part, removal.failure)
    }

    /// Lets the engine drop a range of records, unless something has to learn of each of them.
    private func dropRange() throws(StorageError) -> DroppedRange {
        let name = handle.name
        let root = handle.tables.root.schema
        guard !root.isForeign, let writer = try engineWriter(), try context.referrers(to: handle).isEmpty,
            !store.features.all.contains(where: { $0.needsDeletions(of: name) })
        else { return .undivided }
        let tables = handle.tables.tables.map(\.schema) + handle.tables.undeclared
        let dropped = try writer.dropRange(of: tables, whereTime: column, isAtMost: limit)
        if case .rows = dropped {
            (context.signature.author, context.signature.origin) = (ExpiryLayer.author, .expiry)
            try (context.capture as? ChangeCapture)?.didReact(in: name)
        }
        return dropped
    }

    /// The session of the engine, below all layers.
    private func engineWriter() throws(StorageError) -> (any RangeDroppingWriter)? {
        var writer = try context.innerWriter()
        while let layer = writer as? ForwardingWriter { writer = layer.writer }
        return writer as? any RangeDroppingWriter
    }
}
