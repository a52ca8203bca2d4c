public import Logging
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// The options of a store that is opened, the same for every way to open it.
    ///
    /// ```swift
    /// let store = try await Store(
    ///     SQLiteBackend(path: "people.db"), models: Person.self, Pen.self,
    ///     options: .init(history: .init(records: [Person.self]), logger: logger))
    /// ```
    public struct Options: Sendable {
        /// The models to record a history of; nil keeps the settings that the store has recorded.
        public var history: HistoryOptions?
        /// How long records of models are kept; ``Store/removeExpired()`` removes older ones. A model that is not named keeps its
        /// records.
        public var retention: [Retention]
        /// The application's layers, in the order in which they run; see ``Layer``.
        public var layers: [any Layer]
        /// The instruments that measure or trace calls; see ``Instrument``.
        public var instruments: [any Instrument]
        /// The clock by which records expire and which dates commits in the history, `@Created` and `@Modified`. A test
        /// sets another clock.
        public var clock: @Sendable () -> Date
        /// The author of every transaction, single calls too, that names no other; nil for none. A program that runs once for each
        /// command finds its commits by it: ``Store/undoLast(author:note:)``. At most 65,536 bytes of UTF-8; with more each
        /// write to a model with a history fails with `limitExceeded`.
        public var author: String?
        /// Receives the store's location and schema changes, and at `trace` every statement; for a store that is opened at a
        /// URL also the options in effect, at `info` and without secrets. Silent by default.
        public var logger: Logger

        /// Receives the progress of search indexes that the store builds on opening, for records that are already stored.
        public var indexing: (@Sendable (SearchProgress) -> Void)?
        /// Receives the progress of indexes that an engine makes beside writers, about once a second, on any thread.
        public var indexBuilding: (@Sendable (IndexProgress) -> Void)?
        /// The steps that move data when the schema changes, in their order.
        var moves: [DataMove] = []
        /// The steps that fill records in parts, in their order.
        var backfills: [any BackfillStep] = []
        /// The name of a move, whose store object alone writes to a store that the move has closed; nil for all others.
        package var move: String?
        /// The rules that the program removes, by the stored names of their models.
        var removals: [(model: StoredName, properties: [String])] = []

        /// Creates options. By default, a store begins no history and has no layers or instruments.
        public init(
            history: HistoryOptions? = nil, retention: [Retention] = [], layers: [any Layer] = [],
            instruments: [any Instrument] = [],
            clock: @escaping @Sendable () -> Date = { Date() }, author: String? = nil, logger: Logger = Logger.silent,
            indexing: (@Sendable (SearchProgress) -> Void)? = nil,
            indexBuilding: (@Sendable (IndexProgress) -> Void)? = nil
        ) {
            (self.indexing, self.indexBuilding) = (indexing, indexBuilding)
            self.history = history
            self.retention = retention
            self.layers = layers
            self.instruments = instruments
            self.clock = clock
            self.author = author
            self.logger = logger
        }
    }
}

extension Store.Options {
    /// Makes the features of a store, in the order in which they are called. Only this function names all of them.
    func features(on engine: any StorageEngine, _ registry: ModelRegistry) -> FeatureList {
        let activity = FeatureActivity()
        let seconds = { @Sendable [clock] in clock().timeIntervalSinceReferenceDate }
        return FeatureList(
            [
                WriterFence(registry, move: move),
                ExpiryLayer(registry, retention: retention, logger: logger, clock: seconds),
                StoreHistory(
                    registry, engine.info.limits, options: history, logger: logger, clock: seconds,
                    followed: activity.followed.newPart()),
                ApplicationLayers(layers, registry, activity: activity),
                StoreSearch(registry, activity, progress: indexing), DataMoves(moves, backfills),
                CommitFeed(engine, activity),
                StoreIndexes(engine, progress: indexBuilding),
            ], activity, meter: instruments.isEmpty ? nil : CallInstruments(instruments))
    }
}
