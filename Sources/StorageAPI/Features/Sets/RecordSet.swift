public import StorageDriver

extension Store {
    /// Records of any models to store and to remove in one step, which `replace` judges as a whole.
    ///
    /// ```swift
    /// func swapNames(_ ann: Person, _ bob: Person, without carl: Person) async throws {
    ///     var (ann, bob) = (ann, bob)
    ///     swap(&ann.email, &bob.email)  // unique
    ///     var set = Store.RecordSet()
    ///     set.save([ann, bob])
    ///     set.delete(Person.self, key: carl.id)
    ///     try await store.replace(set)
    /// }
    /// ```
    public struct RecordSet: Sendable {
        private enum Source: Hashable {
            case type(ObjectIdentifier)
            case recorded(StoredName)
        }

        private(set) var parts: [any RecordSetPart] = []
        private(set) var removed: [(model: ModelSource, key: [Value])] = []
        private var places: [Source: Int] = [:]
        /// The number of records to store.
        public private(set) var count = 0

        /// An empty set.
        public init() {}

        /// A Boolean value that indicates whether the set stores and removes no record.
        public var isEmpty: Bool { parts.isEmpty && removed.isEmpty }

        /// Adds a record that is stored under its key: a new one, or in place of the stored one.
        ///
        /// The key must not be nil: a set assigns none.
        public mutating func save<M: Storable>(_ model: M) { save(CollectionOfOne(model)) }

        /// Adds records that are stored under their keys.
        public mutating func save<M: Storable>(_ models: some Sequence<M>) {
            for model in models {
                let source = ModelSource(model)
                let place = place(of: source)
                if place == parts.endIndex { parts.append(TypedSetPart<M>(source)) }
                guard var part = parts[place] as? TypedSetPart<M> else { continue }
                // Taken out of the array, so that the part's records are not copied.
                parts[place] = EmptySetPart(model: source)
                part.append(model, at: count)
                parts[place] = part
                count += 1
            }
        }

        private mutating func place(of source: ModelSource) -> Int {
            let key: Source =
                switch source {
                case .type(let type): .type(ObjectIdentifier(type))
                case .recorded(let name), .whole(let name): .recorded(name)
                }
            if let place = places[key] { return place }
            places[key] = parts.endIndex
            return parts.endIndex
        }

        /// Adds the key of a record that is removed with all that it owns. A record that is not stored is passed over.
        public mutating func delete<M: Storable>(_: M.Type, key: M.Key) { delete(M.self, keys: CollectionOfOne(key)) }

        /// Adds keys of records that are removed.
        public mutating func delete<M: Storable>(_: M.Type, keys: some Sequence<M.Key>) {
            for key in keys { removed.append((.type(M.self), M.values(of: key))) }
        }

        /// Adds the key of a record of a model that is named as the store has recorded it.
        ///
        /// - Parameters:
        ///   - model: the stored name of the model.
        ///   - key: one value for each property of the key.
        public mutating func delete(_ model: String, key: [Value]) {
            removed.append((.recorded(StoredName(model)), key))
        }
    }
}
