import StorageDriver

/// A part of a store beside its records: expiry, a history, an application's layers, search, observation, steps that move data.
///
/// A store knows a list of features, and calls each where it may take part. Every function has an implementation that does
/// nothing. Checks that each call makes are atomics of ``FeatureActivity``, so a store whose features are idle calls none of
/// them.
protocol StoreFeature: SchemaChangeObserver {
    // MARK: Opening and closing

    /// The models that opening the store prepares for the feature.
    var preparedModels: [any Storable.Type] { get }

    /// Checks the options with which the store is opened.
    func checkOptions() throws(StorageError)

    /// Looks for what a session's store has of the feature.
    ///
    /// - Parameter isAgain: whether another process may have changed what is known already.
    func find(in session: any StorageSession, isAgain: Bool) throws(StorageError)

    /// The name of a step that opening the store runs; nil if there is none.
    func pendingStep(in session: any StorageSession) throws(StorageError) -> String?

    /// Looks at a store before the transaction that opens it prepares its models, and returns what is to be done after that.
    func openingSteps(
        in context: TransactionContext, of store: Store
    ) throws(StorageError) -> (() throws(StorageError) -> Void)?

    /// Ends the opening of a store, whose models are prepared.
    nonisolated(nonsending) func didOpen(_ store: Store) async throws(StorageError)
    func didOpenBlocking(_ store: Store) throws(StorageError)

    /// Called when the store closes, after the last call.
    func end()

    // MARK: Reads

    /// Returns whether it is known that the feature neither wraps readers nor works before writes at a version of the tables.
    func isIdle(at version: ModelRegistry.Version) -> Bool

    /// A session that shows the records as the feature does. Ends the given one if it throws.
    ///
    /// - Parameter version: that of the session's tables, or an earlier one.
    func wrap(_ reader: any StorageReader, at version: ModelRegistry.Version) throws(StorageError) -> any StorageReader

    // MARK: Writes

    /// True if the feature joins every transaction, and not only those whose changes are captured.
    var joinsAll: Bool { get }

    /// Works before a transaction's body, as a commit of its own in the same transaction of the engine; nil if nothing was
    /// done.
    func work(
        before transaction: WriteTransaction, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) -> PrecedingCommit?

    /// Adds what the feature has for a transaction that begins.
    func join(_ parts: inout TransactionParts)

    /// Returns whether the feature takes part in the writes to a model's records, though it follows no changes.
    func takesPart(in model: StoredName) -> Bool

    /// Checks that the feature need not be asked about each change of a model's records, because the database changes some
    /// by itself.
    ///
    /// - Throws: `unsupported` if it must.
    func requireKnown(_ model: StoredName) throws(StorageError)

    /// Called when a transaction has run, before readers can see it. Only if ``FeatureActivity/isFollowed``.
    func willCommit(_ transaction: WriteTransaction)

    /// Called when a transaction is durable or has failed, before its caller is resumed. Only if
    /// ``FeatureActivity/isFollowed``.
    func didEnd(_ transaction: WriteTransaction)

    // MARK: Tables

    /// Completes what the feature keeps of models that are prepared.
    ///
    /// - Parameter isCommitted: whether a call has prepared them and is committed, so that a failure is not the call's.
    nonisolated(nonsending) func complete(
        _ models: [StoredName], in store: Store, isCommitted: Bool
    ) async throws(StorageError)
    func completeBlocking(_ models: [StoredName], in store: Store, isCommitted: Bool) throws(StorageError)

    /// Called when the tables of a model are dropped, because others of its name replace them.
    func didDrop(_ tables: [TableSchema], of model: StoredName, in context: TransactionContext) throws(StorageError)

    /// Called when the tables of a model have been created in the place of others, or as copies.
    func didCreateTables(of model: StoredName, in context: TransactionContext) throws(StorageError)

    /// Compares what the feature keeps with the records of the store.
    ///
    /// - Throws: `corrupt` and `typeMismatch`, which are problems too.
    func verify(
        _ tables: [TableSchema], in reader: any StorageReader, _ report: @escaping (StoreProblem) -> Void
    ) throws(StorageError)
}

extension StoreFeature {
    var preparedModels: [any Storable.Type] { [] }
    func checkOptions() throws(StorageError) {}
    func find(in session: any StorageSession, isAgain: Bool) throws(StorageError) {}
    func pendingStep(in session: any StorageSession) throws(StorageError) -> String? { nil }
    func openingSteps(
        in context: TransactionContext, of store: Store
    ) throws(StorageError) -> (() throws(StorageError) -> Void)? { nil }
    nonisolated(nonsending) func didOpen(_ store: Store) async throws(StorageError) {}
    func didOpenBlocking(_ store: Store) throws(StorageError) {}
    func end() {}
    func isIdle(at version: ModelRegistry.Version) -> Bool { true }
    func wrap(_ reader: any StorageReader, at version: ModelRegistry.Version) throws(StorageError) -> any StorageReader
    {
        reader
    }
    var joinsAll: Bool { false }
    func work(
        before transaction: WriteTransaction, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) -> PrecedingCommit? { nil }
    func join(_ parts: inout TransactionParts) {}
    func takesPart(in model: StoredName) -> Bool { false }
    func requireKnown(_ model: StoredName) throws(StorageError) {}
    func willCommit(_ transaction: WriteTransaction) {}
    func didEnd(_ transaction: WriteTransaction) {}
    nonisolated(nonsending) func complete(
        _ models: [StoredName], in store: Store, isCommitted: Bool
    ) async throws(StorageError) {}
    func completeBlocking(_ models: [StoredName], in store: Store, isCommitted: Bool) throws(StorageError) {}
    func didChange(_ change: SchemaChange, in context: TransactionContext) throws(StorageError) {}
    func didDrop(_ tables: [TableSchema], of model: StoredName, in context: TransactionContext) throws(StorageError) {}
    func didCreateTables(of model: StoredName, in context: TransactionContext) throws(StorageError) {}
    func verify(
        _ tables: [TableSchema], in reader: any StorageReader, _ report: @escaping (StoreProblem) -> Void
    ) throws(StorageError) {}
}

/// The work of a feature before a transaction's body, as a commit of its own.
struct PrecedingCommit {
    /// The changes, if anybody asked for them.
    let changes: ChangeSet?
    /// True if the work is as much as one commit does: the transaction then does nothing else, and the call comes after it.
    let isAtLimit: Bool
}

/// Measures the calls of a store.
protocol CallMeasuring: AnyObject, Sendable {
    /// Begins to measure a call.
    func begin(_ operation: String, model: String?, isWriting: Bool, in store: Store) -> any MeasuredCall
}

/// A call of a store that is measured, from its beginning to its end.
protocol MeasuredCall: AnyObject {
    /// A session that counts the rows of the call.
    func measuring(_ reader: any StorageReader) -> any StorageReader

    /// A session that counts the writes of the call from zero, since a transaction may run again.
    func measuring(_ writer: any StorageWriter) -> any StorageWriter

    func finish(_ error: StorageError?)
}

extension MeasuredCall {
    /// Runs the call.
    func run<T>(_ body: () throws(StorageError) -> T) throws(StorageError) -> T {
        do throws(StorageError) {
            let result = try body()
            finish(nil)
            return result
        } catch {
            finish(error)
            throw error
        }
    }
}
