import StorageDriver

/// Prepares the models of a store: compares their declarations with the recorded tables, and creates or changes these.
package protocol ModelPreparing: AnyObject, Sendable {
    /// The models whose tables are as declared, and the types of the others, whose tables must be changed first.
    ///
    /// - Parameter canWrite: whether they can be changed. If not, marks of removed properties are ignored, and no rules
    ///   are removed.
    func upToDate(
        _ types: [any Storable.Type], in session: any StorageSession, canWrite: Bool
    ) throws(StorageError) -> (models: [ObjectIdentifier: ModelHandle], outdated: [any Storable.Type])

    /// Creates or changes the models' tables as declared.
    ///
    /// - Parameter didChange: called with the changes of each model, when all are made.
    /// - Returns: the models, and whether anything was changed.
    func prepare(
        _ types: [any Storable.Type], in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) -> (models: [ObjectIdentifier: ModelHandle], haveChanged: Bool)

    /// Creates models' tables as schemas declare them, or adds missing parts to existing tables.
    ///
    /// - Parameter isExact: whether the models get exactly the schemas' properties and rules, and lose others.
    /// - Returns: the names of the changed models.
    func prepare(
        _ schemas: [RecordSchema], isExact: Bool, in writer: any StorageWriter,
        _ didChange: (SchemaChange) throws(StorageError) -> Void
    ) throws(StorageError) -> [StoredName]

    /// Returns for each model the steps after which it is stored as it is declared.
    ///
    /// - Parameter isExact: whether the models lose rules that are recorded and not declared.
    func steps(
        to declared: [DeclaredTables], isExact: Bool, in session: any StorageSession
    ) throws(StorageError) -> [[SchemaStep]]

    /// Checks that the stored rows let steps be made.
    ///
    /// - Throws: `schemaMismatch` or `constraint` if they do not.
    func check(_ steps: [SchemaStep], in session: any StorageSession) throws(StorageError)

    /// Registers columns whose values the engine keeps unique from now on, so that a change of their tables need not read them.
    func keepsUnique(_ columns: [UniqueColumn])
}
