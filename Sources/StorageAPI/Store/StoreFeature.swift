import StorageDriver

/// A part of a store besides its records: expiry, history, an application's layers, search, observation, or data moves.
///
/// A store has a list of features and calls each one wherever it may take part. Every function has an empty default
/// implementation. The checks that every call makes read the atomics of ``FeatureActivity``, so a store whose features are
/// all idle calls none of them.
protocol StoreFeature: SchemaChangeObserver {
    // MARK: Opening and closing

    /// The models that the store prepares for the feature when it opens.
    var preparedModels: [any Storable.Type] { get }

    /// Checks the options that the store is opened with. Called before the store prepares its models.
    func checkOptions() throws(StorageError)

    /// Finds the tables and settings that the feature has in a session's store. Called before models are prepared, and
    /// again when another process may have changed the tables, or when a copy of a history has failed.
    ///
    /// - Parameter isAgain: whether to look again, because a state that is already known may have changed.
    func find(in session: any StorageSession, isAgain: Bool) throws(StorageError)

    /// The name of a step that the store must run to open; nil if no step is pending. Called while the store opens.
    func pendingStep(in session: any StorageSession) throws(StorageError) -> String?

    /// Inspects a store that is opening, before the transaction prepares its models. Returns a closure that the transaction
    /// runs after preparing them; nil for none.
    func openingSteps(
        in context: TransactionContext, of store: Store
    ) throws(StorageError) -> (() throws(StorageError) -> Void)?

    /// Called when the store has prepared its models, as the last step of opening.
    nonisolated(nonsending) func didOpen(_ store: Store) async throws(StorageError)
    func didOpenBlocking(_ store: Store) throws(StorageError)

    /// Called when the store closes, after the last call.
    func end()

    // MARK: Reads

    /// Returns whether the feature is known not to wrap readers or work before writes, at a version of the tables.
    func isIdle(at version: ModelRegistry.Version) -> Bool

    /// Wraps a reading session so that it shows the records as the feature does. Called when a read begins, unless all
    /// features are idle. Ends the given session if it throws.
    ///
    /// - Parameter version: the version of the session's tables, or an earlier one.
    func wrap(_ reader: any StorageReader, at version: ModelRegistry.Version) throws(StorageError) -> any StorageReader

    // MARK: Writes

    /// True if the feature joins every transaction, even if no changes are captured.
    var joinsAll: Bool { get }

    /// Returns whether the feature closes the store to writers. Called when a store is opened, after ``find(in:isAgain:)``.
    func closesStore(_ session: any StorageSession) throws(StorageError) -> Bool

    /// Checks that the store takes writes. Called in each transaction before features work, unless all features are idle.
    ///
    /// - Throws: `moved` if the store is closed to writers.
    func requireWritable(_ writer: any StorageWriter) throws(StorageError)

    /// Works before a transaction's body, in the same transaction of the engine, but as a separate commit. Not called while
    /// all features are idle. Returns nil if it had no work to do.
    func work(
        before transaction: WriteTransaction, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) -> PrecedingCommit?

    /// Adds the feature's parts to a transaction. Called when the transaction begins, if its changes are captured or if
    /// features act on every write.
    func join(_ parts: inout TransactionParts)

    /// Returns whether the feature takes part in writes to a model's records without following its changes.
    func takesPart(in model: StoredName) -> Bool

    /// Returns whether the feature must learn which records of a model are deleted, so that the engine may not drop them as a whole.
    func needsDeletions(of model: StoredName) -> Bool

    /// Checks that the feature does not have to see every change of a model's records. Called before the commit, if the
    /// database has changed records of the model by itself.
    ///
    /// - Throws: `unsupported` if the feature must see every change.
    func requireKnown(_ model: StoredName) throws(StorageError)

    /// Called when a transaction has run, before readers can see its changes. Only called if
    /// ``FeatureActivity/isFollowed``.
    func willCommit(_ transaction: WriteTransaction)

    /// Called when a transaction is durable or has failed, before its caller is resumed. Only called if
    /// ``FeatureActivity/isFollowed``.
    func didEnd(_ transaction: WriteTransaction)

    // MARK: Tables

    /// Called before a transaction changes the tables of models, and outside of it.
    ///
    /// - Parameter isExact: whether the models lose rules that are recorded and not declared.
    func willChange(_ models: [DeclaredTables], isExact: Bool, in store: Store) throws(StorageError)

    /// Completes the feature's data for prepared models, such as a search index of records that were already stored. Called
    /// after a call has prepared models.
    ///
    /// - Parameter isCommitted: whether the call that prepared the models is already committed, so that a failure is not
    ///   reported as the call's.
    nonisolated(nonsending) func complete(
        _ models: [StoredName], in store: Store, isCommitted: Bool
    ) async throws(StorageError)
    func completeBlocking(_ models: [StoredName], in store: Store, isCommitted: Bool) throws(StorageError)

    /// Called when the tables of a model are dropped to be replaced by others of the same name.
    func didDrop(_ tables: [TableSchema], of model: StoredName, in context: TransactionContext) throws(StorageError)

    /// Called when tables of a model have been created, either to replace others or as copies.
    func didCreateTables(of model: StoredName, in context: TransactionContext) throws(StorageError)

    /// Compares the feature's data with the records of the store, and reports each problem. Called when the store is
    /// verified.
    ///
    /// - Throws: `corrupt` or `typeMismatch`, which the caller also reports as problems.
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
    func closesStore(_ session: any StorageSession) throws(StorageError) -> Bool { false }
    func requireWritable(_ writer: any StorageWriter) throws(StorageError) {}
    func work(
        before transaction: WriteTransaction, _ writer: any StorageWriter, in store: Store
    ) throws(StorageError) -> PrecedingCommit? { nil }
    func join(_ parts: inout TransactionParts) {}
    func takesPart(in model: StoredName) -> Bool { false }
    func needsDeletions(of model: StoredName) -> Bool { false }
    func requireKnown(_ model: StoredName) throws(StorageError) {}
    func willCommit(_ transaction: WriteTransaction) {}
    func didEnd(_ transaction: WriteTransaction) {}
    func willChange(_ models: [DeclaredTables], isExact: Bool, in store: Store) throws(StorageError) {}
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

/// The work of a feature before a transaction's body, as a separate commit.
struct PrecedingCommit {
    /// The changes; nil if no feature follows them.
    let changes: ChangeSet?
    /// True if the work has reached the limit of one commit. The transaction then ends here, and the call runs in a later
    /// one.
    let isAtLimit: Bool
}

/// Measures the calls of a store.
protocol CallMeasuring: AnyObject, Sendable {
    /// Begins to measure a call.
    func begin(_ operation: String, model: String?, isWriting: Bool, in store: Store) -> any MeasuredCall
}

/// A measured call of a store, from beginning to end.
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
