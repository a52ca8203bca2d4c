public import StorageAPI

extension Store {
    /// Options for reading JSON and for storing its records.
    public struct JSONOptions<Model: Storable> {
        /// The names of the members that lead to the records, with points between them.
        public var path: String
        /// The form of dates where the property does not declare one; nil for ISO 8601, or seconds since 2001.
        public var dates: Property.DateForm?
        /// A Boolean value that indicates whether a text may stand for the number or the truth value that it spells,
        /// and the reverse.
        public var isLenient: Bool
        /// A Boolean value that indicates whether a stored record keeps the properties that its JSON lacks. What it
        /// owns in one property is replaced as a whole.
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
