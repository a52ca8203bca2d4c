public import StorageDriver

extension Store {
    /// A concern of an application that applies to every write of some models, whatever makes the write: a verb, JSON, a
    /// list of references, a cascade, a rule of a reference, expiry, an undo or a copy. Layers that change rows or keep records
    /// act on calls alone (``Origin``).
    ///
    /// A layer conforms to one or more of the protocols that refine this one. Each is the counterpart of a trigger in SQL,
    /// and is written in Swift once for all engines:
    ///
    /// | protocol | counterpart | for |
    /// |---|---|---|
    /// | ``RowLayer`` | `BEFORE INSERT OR UPDATE`, for each row | filling in properties, checking values |
    /// | ``DeletionLayer`` | `INSTEAD OF DELETE` | deleting softly |
    /// | ``RecordLayer`` | `AFTER`, with the old and the new record | validating whole records, refusing, audits, outboxes |
    /// | ``CommitLayer`` | `NOTIFY` | telling others of durable commits |
    ///
    /// ```swift
    /// struct Adults: Store.RecordLayer {
    ///     var models: [any Storable.Type]? { [Person.self] }
    ///     func didChange(
    ///         _ change: Store.RecordChange, in transaction: borrowing Store.Transaction
    ///     ) throws(StorageError) {
    ///         guard let person = try change.after(Person.self), person.age < 18 else { return }
    ///         throw StorageError(.constraint, "A person is of age.", model: "Person", property: "age")
    ///     }
    /// }
    /// let store = try await Store(
    ///     SQLiteBackend(path: "people.db"), models: Person.self, options: .init(layers: [Adults()]))
    /// ```
    ///
    /// Layers run in the order of ``Options/layers``, in the transaction of the write and in its savepoints. They are part
    /// of the program, not of the store: when another program writes to the same store, only that program's layers run.
    ///
    /// A store may run a write again that failed together with others, so a layer may be called again for a write that
    /// was undone. A layer's writes in the transaction are undone with it. Effects outside of the store belong in a
    /// ``CommitLayer``.
    ///
    /// Layers add no cost to a store that has no layers.
    public protocol Layer: Sendable {
        /// The models whose writes the layer follows; nil, the default, for every model in the store.
        var models: [any Storable.Type]? { get }
    }

    /// A layer that changes or refuses the rows of records before they are written and checked.
    public protocol RowLayer: Layer {
        /// Called before a call writes a record's root row, or rows that the record owns. Not called for records that are
        /// restored, copied, taken from elsewhere or changed by expiry, which stay as they are.
        ///
        /// Later layers see the values that earlier layers have set. The layer must not use the store.
        /// - Throws: an error that refuses the write: the call throws it and stores none of its changes.
        func willWrite(_ row: inout PendingRow) throws(StorageError)
    }

    /// A layer that decides on deletions.
    public protocol DeletionLayer: Layer {
        /// Called before a call or a cascading reference deletes a record, and before any rule of a reference applies.
        ///
        /// Only deletions of calls are asked about: no deletion by expiry or an undo, and none that was taken from another
        /// system. A record that is kept counts as deleted in the call's result, and
        /// later layers are not asked about it. If a cascade meets a record that is kept, the call fails with
        /// `constraint`, because the kept record refers to a record that is deleted.
        ///
        /// The layer must not delete the record itself, nor another one whose layers do: that deletion is `invalidQuery`. It
        /// may delete others, on which layers decide too, up to a depth of 32; beyond it a deletion is `limitExceeded`.
        ///
        /// - Parameters:
        ///   - record: the record, which is still stored.
        ///   - transaction: the transaction of the deletion, to write something instead.
        /// - Throws: an error that refuses the deletion: the call throws it and stores none of its changes.
        func willDelete(
            _ record: RecordChange, in transaction: borrowing Transaction
        ) throws(StorageError) -> DeletionDecision
    }

    /// A layer that sees changed records as they were and as they are.
    public protocol RecordLayer: Layer {
        /// True, the default, if the layer asks for records as they were before a change.
        ///
        /// If it does, each call holds the former state of the records that it changes in memory until it ends.
        var needsFormerRecords: Bool { get }

        /// Called for each record that a call has changed, when all writes of the call are made and before it returns.
        ///
        /// A record that a call changes several times is one change. A record that a call inserts and deletes again is no
        /// change. The layer's writes are part of the call. The layers after it see them; the layer itself and the layers
        /// before it do not.
        /// - Throws: an error that refuses the change: the call throws it and stores none of its changes.
        func didChange(_ change: RecordChange, in transaction: borrowing Transaction) throws(StorageError)
    }

    /// A layer that is notified of commits.
    public protocol CommitLayer: Layer {
        /// Called when a commit of this store is durable: once for each, in their order, and never for an undone
        /// transaction.
        ///
        /// Runs before the call that has committed returns, and delays the writes that wait. Must not use the store's
        /// `blocking` calls, and should hand long work to a task. Commits of other processes are not reported; for
        /// these, observe ``Store/changes()``.
        func didCommit(_ commit: Commit<[ModelChanges]>)
    }

    /// The decision of a ``DeletionLayer``.
    public enum DeletionDecision: Sendable {
        /// The record is deleted.
        case delete
        /// The record stays.
        case keep
    }
}

extension Store.Layer {
    public var models: [any Storable.Type]? { nil }
}

extension Store.RecordLayer {
    public var needsFormerRecords: Bool { true }
}
