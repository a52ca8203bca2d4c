/// What an open engine is and can do.
public struct BackendInfo: Sendable {
    /// The backend's name, as errors show it.
    public var name: String
    /// The format of the store and its version, and what writes it where that is other software; nil where nothing is
    /// kept.
    public var format: String?
    /// Where the store is: a path, or what stands for it.
    public var location: String
    /// Capabilities that are lacking, each with the reason. What is not named here is there.
    public var lacking: [Capability: String]
    /// What a value, a key, a record and a table may have at most.
    public var limits: Limits
    /// Beginnings of names that the engine keeps for itself; tables get other names.
    public var reservedNamePrefixes: [String]
    /// What opening the store found that its owner should know, in sentences: an unfinished write, parts that cannot be read.
    public var remarks: [String]

    /// What a store tells of itself; what is not named as lacking is promised.
    public init(
        name: String, location: String, format: String? = nil, lacking: [Capability: String] = [:],
        limits: Limits = Limits(), reservedNamePrefixes: [String] = [], remarks: [String] = []
    ) {
        self.name = name
        self.location = location
        self.format = format
        self.lacking = lacking
        self.limits = limits
        self.reservedNamePrefixes = reservedNamePrefixes
        self.remarks = remarks
    }

    /// Something that the contract promises and a backend may have to lack.
    public enum Capability: String, Sendable, CaseIterable, Codable {
        /// What was committed outlives the process.
        case durability
        /// Readers go on while a writer writes.
        case concurrentReads
        /// A second process may use the store at the same time.
        case sharing
        /// Damage anywhere in the file is found, in the values too (clause E3).
        case damageDetection
        /// The store can be written; false for one that was opened read-only.
        case writing
    }

    /// Limits that hold exactly: the limit passes, one more is `limitExceeded`.
    public struct Limits: Sendable {
        /// Bytes of one text, blob, array or embedded value; an indexed or unique one may be as long.
        public var valueBytes: Int
        /// Bytes of the text of one key property; each part of a key may be as long.
        public var keyBytes: Int
        /// Levels of owned children below a root.
        public var depth: Int
        /// Columns of one table.
        public var columns: Int

        /// Limits, by default 1 GiB for a value, 64 KiB for a key, 64 levels and 1,900 columns.
        public init(valueBytes: Int = 1 << 30, keyBytes: Int = 1 << 16, depth: Int = 64, columns: Int = 1900) {
            self.valueBytes = valueBytes
            self.keyBytes = keyBytes
            self.depth = depth
            self.columns = columns
        }
    }

    /// Whether the capability is not lacking.
    public func has(_ capability: Capability) -> Bool { lacking[capability] == nil }

    /// Throws `unsupported` where the capability is lacking.
    package func require(_ capability: Capability, for operation: String) throws(StorageError) {
        guard let reason = lacking[capability] else { return }
        throw StorageError(
            .unsupported, "The capability \(capability.rawValue) is lacking: \(reason)", operation: operation
        )
        .at(backend: name)
    }
}
