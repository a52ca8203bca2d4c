import StorageDriver

/// Deletes expired records before a write does anything else. The removal is a separate commit in the history, by
/// ``ExpiryLayer/author``, so that no undo of the write affects it.
///
/// A record that cannot be deleted stays, and fails no write (``UnremovedRecords``).
struct ExpiryRemoval {
    private let layer: ExpiryLayer
    private let writer: any StorageWriter
    /// Makes the context if a record has expired, which is rare.
    private let newContext: () -> TransactionContext
    private(set) var context: TransactionContext?
    /// True if records that could not be deleted before are tried now, however often they have failed.
    private let isExplicit: Bool
    private(set) var removed = 0
    /// The first reason why something stays.
    private(set) var failure: StorageError?

    /// The removal before a write.
    ///
    /// - Parameter newContext: makes the context of a separate commit.
    init(_ layer: ExpiryLayer, _ writer: any StorageWriter, _ newContext: @escaping () -> TransactionContext) {
        (self.layer, self.writer, isExplicit) = (layer, writer, false)
        self.newContext = newContext
    }

    /// The removal that is all that a write does.
    init(_ layer: ExpiryLayer, in context: TransactionContext) throws(StorageError) {
        (self.layer, writer, isExplicit) = (layer, try context.openWriter(), true)
        newContext = { context }
    }

    /// Deletes as much as one commit may.
    ///
    /// - Parameter version: that of the tables.
    /// - Throws: `cancelled` for the call, and the errors of the engine that concern no record.
    mutating func run(at version: ModelRegistry.Version) throws(StorageError) {
        guard let expiring = try layer.models(at: version, in: writer) else { return }
        let now = layer.now
        for model in expiring.models where removed < ExpiringModels.part {
            if let source = model.source { try remove(model, source, at: now) }
        }
    }

    /// Deletes the records of a model with a time at or before a limit, as many as one commit may.
    ///
    /// - Throws: as ``run(at:)``.
    mutating func run(_ model: ExpiringModels.Model, at limit: Value) throws(StorageError) {
        if let source = model.source { try remove(model, source, at: limit) }
    }

    private mutating func remove(
        _ model: ExpiringModels.Model, _ source: ModelSource, at now: Value
    ) throws(StorageError) {
        let (known, isDue) = layer.unremoved.known(model.name, now: now, isExplicit: isExplicit)
        guard let known else { return }
        var stuck = isDue ? [] : known
        let first = stuck.count
        var reason: StorageError?
        do throws(StorageError) {
            while removed < ExpiringModels.part, stuck.count < UnremovedRecords.most {
                let keys = try expired(model, source, at: now, except: stuck)
                guard !keys.isEmpty else { break }
                try remove(keys[...], source, stuck: &stuck, reason: &reason)
            }
        } catch {
            if error.code == .cancelled { throw error }
            reason = error
        }
        failure = failure ?? reason
        guard isDue || stuck.count > first || reason != nil else { return }
        layer.unremoved.set(stuck, of: model.name, reason, now: now, isRetry: isDue)
        guard let reason else { return }
        layer.logger.warning(
            "expired records cannot be deleted; they are tried again",
            metadata: ["model": "\(model.name)", "count": "\(stuck.count)", "reason": "\(reason.message)"])
    }

    /// The keys of expired records, in order of expiry.
    private func expired(
        _ model: ExpiringModels.Model, _ source: ModelSource, at now: Value, except stuck: [[Value]]
    ) throws(StorageError) -> [[Value]] {
        let handle = try layer.registry.handle(source, in: writer)
        let width = handle.tables.rootKeyCount
        let plan = handle.plan(model.expiredKeys(areSome: !stuck.isEmpty))
        let lists = stuck.isEmpty ? [] : [KeyList(width: width, stuck).list]
        let limit = min(RecordReader.partOfRecords, ExpiringModels.part - removed)
        return try writer.rows(plan, QueryArguments([now], lists: lists, limit: limit)).rows(width: width)
    }

    /// Deletes records, all at once or by halves, until the records that cannot be deleted are found.
    private mutating func remove(
        _ keys: ArraySlice<[Value]>, _ source: ModelSource, stuck: inout [[Value]],
        reason: inout StorageError?
    ) throws(StorageError) {
        guard stuck.count < UnremovedRecords.most else { return }
        let context = context ?? newContext()
        context.signature.author = ExpiryLayer.author
        context.signature.origin = .expiry
        self.context = context
        do {
            try context.atomically { () throws(StorageError) in
                let writing = try context.writing(source)
                _ = try writing.delete(KeyList(width: keys.first?.count ?? 1, keys))
                try context.checkReferences()
            }
            removed += keys.count
        } catch {
            // An error that concerns no record would occur for each of them.
            guard !Self.concernsEngine(error) else { throw error }
            reason = reason ?? error
            if keys.count == 1 { return stuck += keys }
            let middle = keys.startIndex + keys.count / 2
            try remove(keys[..<middle], source, stuck: &stuck, reason: &reason)
            try remove(keys[middle...], source, stuck: &stuck, reason: &reason)
        }
    }

    private static func concernsEngine(_ error: StorageError) -> Bool {
        switch error.code {
        case .busy, .locked, .full, .io, .closed, .cancelled, .conflict, .outcomeUnknown, .unsupported: true
        default: false
        }
    }
}
