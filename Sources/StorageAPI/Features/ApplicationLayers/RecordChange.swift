public import StorageDriver

extension Store {
    /// The change of a record, as a layer sees it. Valid while the call to the layer runs.
    public struct RecordChange {
        /// The kind of a change.
        public enum Kind: Sendable {
            case inserted, updated, deleted
        }

        /// The stored name of the model.
        public var model: String { storedModel.text }
        let storedModel: StoredName
        /// The record's key, one value for each key property.
        public let key: [Value]
        /// The kind of the change.
        public let kind: Kind
        /// The origin of the change.
        public var origin: Origin { context.givenSignature?.origin ?? .call }
        let image: RecordImage?
        let context: TransactionContext

        /// The record as it was before the change; nil if it was inserted, and for a layer that does not ask for former records.
        ///
        /// - Throws: `invalidQuery` if the type is not the model's; errors of decoding.
        public func before<M: Storable>(_ type: M.Type) throws(StorageError) -> M? {
            guard kind != .inserted, let image else { return nil }
            return try record(image, as: type, of: context.handle(type))
        }

        /// The record as it is now, with everything that it owns, read from the transaction; nil if it is not stored any more.
        ///
        /// - Throws: `invalidQuery` if the type is not the model's; errors of decoding.
        public func after<M: Storable>(_ type: M.Type) throws(StorageError) -> M? {
            let reading = try context.reading(.type(type))
            try requireModel(reading.handle.name)
            return try reading.find(type, keys: [key]).first ?? nil
        }

        /// The record as it was before the change, without its type; nil as for ``before(_:)``.
        public func recordBefore() throws(StorageError) -> DynamicRecord? {
            guard kind != .inserted, let image else { return nil }
            return try record(image, as: DynamicRecord.self, of: context.handle(.recorded(storedModel)))
        }

        /// The record as it is now, without its type; nil if it is not stored any more.
        public func recordAfter() throws(StorageError) -> DynamicRecord? {
            try context.reading(.recorded(storedModel)).find(DynamicRecord.self, keys: [key]).first ?? nil
        }

        private func record<M: Storable>(
            _ image: RecordImage, as type: M.Type, of handle: ModelHandle
        ) throws(StorageError) -> M? {
            try requireModel(handle.name)
            let defaults = context.registry.defaults(of: storedModel)
            return try image.record(type, key: key, handle, defaults: defaults, since: [])
        }

        private func requireModel(_ name: StoredName) throws(StorageError) {
            if name == storedModel { return }
            throw StorageError(
                .invalidQuery,
                "The change is one of \(model), not of \(name); look at its model first, or give the layer models.",
                model: model)
        }
    }
}
