public import StorageAPI

extension Store {
    /// How JSON is read, and what its records are stored over.
    public struct JSONOptions<Model: Storable> {
        /// The names of the members that lead to the records, with points between them.
        public var path: String
        /// How dates are written where the property does not say it; nil for ISO 8601, or seconds since 2001.
        public var dates: Property.DateForm?
        /// Whether a text may be the number or the truth value that it spells, and the other way round.
        public var isLenient: Bool
        /// Whether a stored record keeps the properties that its JSON lacks. What it owns in one property is replaced as a whole.
        public var isMerging: Bool
        /// The properties by which a stored record is found in place of the key, which it keeps; several match together. A
        /// record that none of them finds is inserted. None of them is the key, as for `save(_:matching:_:)`.
        public var matching: [PartialKeyPath<Model>]

        /// Options; by default the JSON is the records, strict, and replaces records of the same keys whole.
        public init(
            at path: String = "", dates: Property.DateForm? = nil, lenient: Bool = false, merging: Bool = false,
            matching: [PartialKeyPath<Model>] = []
        ) {
            (self.path, self.dates, isLenient, isMerging) = (path, dates, lenient, merging)
            self.matching = matching
        }
    }
}
