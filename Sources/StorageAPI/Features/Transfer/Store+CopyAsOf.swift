public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// The result of copying a former state.
    public struct PastCopy: Hashable, Sendable {
        /// The number of the commit after which the source was as it was copied; 0 for the state before its first commit.
        public let commit: Int
        /// The time of that commit; nil if it is no longer kept, or is 0.
        public let time: Date?
        /// The digest of the records copied for each model.
        public let models: [ModelDigest]
        /// The stored names of the models that were copied as they are now, because the history does not keep them.
        public let unkept: [String]
    }

    /// Copies models as they were after a commit of the source's history, whatever the two stores are on.
    ///
    /// ```swift
    /// let hourAgo = Date.now - 3600
    /// let copied = try await archive.copy(from: store, asOf: .date(hourAgo))
    /// print("as of commit \(copied.commit):", copied.models.map(\.records))
    /// ```
    ///
    /// It is a ``copy(_:from:replacing:history:progress:)`` that takes the records which later commits have changed from the
    /// history. The models have the source's current schema: properties that were renamed or have another type since are read by
    /// their current names and types, and later properties have the values that stored records got. References and
    /// unique values hold, because they held then, if the history keeps all models that take part in them. Assigned keys go on
    /// from the current greatest one.
    ///
    /// It reads the later entries once, and holds the keys of the records that they have changed. The source may be written
    /// meanwhile; the copy is of the history as it was when the copy began.
    ///
    /// - Parameters:
    ///   - models: the stored names of the models to copy; all by default.
    ///   - source: another store, which keeps the records of the models.
    ///   - moment: a commit, by its number or its token, or a time.
    ///   - isReplacing: whether records that this store has of these models are deleted first.
    ///   - unkeptAsNow: whether models whose records the history does not keep since then are copied as they are now.
    ///     Otherwise they are an error.
    ///   - progress: as in `copy`. Its number of rows to copy counts the source's current rows.
    /// - Returns: the commit, and the digests of the records, to be compared with ``digest(of:)``.
    /// - Throws: as `copy`; `configuration` if the source keeps no history; `notKept` if the commit, or the time, is before the
    ///   kept history, or if the records of a model are not kept since then; `invalidValue` for a commit that the history
    ///   has not reached, or a token of another store; `schemaMismatch` if a record had a value of a property that is gone,
    ///   or lacks a property that is required now and has no default, or if the source no longer has a model that had
    ///   records.
    @discardableResult
    public nonisolated(nonsending) func copy(
        _ models: [String]? = nil, from source: Store, asOf moment: Moment, replacing isReplacing: Bool = false,
        unkeptAsNow: Bool = false, progress: @escaping @Sendable (CopyProgress) -> Void = { _ in }
    ) async throws(StorageError) -> PastCopy {
        try requireOther(source)
        let progress = { @Sendable step in source.runningCalls.runClosure { progress(step) } }
        let copied = try await writing("copy") { (context) throws(StorageError) in
            try source.withReader("copy", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                let tables = try reader.tables()
                let named = try models.map { names throws(StorageError) in try StoredModel.named(names, in: tables) }
                let past = try PastSession(named, of: source, at: moment, in: reader, unkeptAsNow: unkeptAsNow)
                var copy = try StoreCopy(
                    named ?? StoredModel.all(in: tables), from: past, to: context, of: self, progress: progress)
                let digests = try copy.run(isReplacing: isReplacing)
                try RecordedMove.copy(
                    from: reader, isWhole: models == nil, to: context.innerWriter(), self.registry.directory)
                return PastCopy(
                    commit: Int(past.commit), time: try past.time.map(Date.init(timeIntervalSinceReferenceDate:)),
                    models: digests, unkept: past.unkept.map(\.text))
            }
        }
        try await complete(copied.models.map { StoredName($0.model) })
        return copied
    }

    /// - Throws: `configuration` if it is this store.
    func requireOther(_ source: Store) throws(StorageError) {
        guard source !== self else {
            throw StorageError(.configuration, "A store cannot be copied to itself.", operation: "copy")
                .at(backend: info.name)
        }
    }
}
