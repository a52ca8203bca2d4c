/// The description of an open engine and of its capabilities.
public struct BackendInfo: Sendable {
    /// The backend's name, as errors show it.
    public var name: String
    /// The format of the store and its version, and the software that writes it if it is not this backend; nil if
    /// nothing is stored.
    public var format: String?
    /// The store's location: a path, or another text that identifies the store.
    public var location: String
    /// The capabilities that the backend lacks, each with the reason. Every other capability is promised.
    public var lacking: [Capability: String]
    /// The greatest sizes of values, keys, records and tables.
    public var limits: Limits
    /// Prefixes that the engine reserves. The store gives no table a name with such a prefix.
    public var reservedNamePrefixes: [String]
    /// The findings at opening that the user should know, in sentences: an incomplete write, parts that cannot be read.
    public var remarks: [String]
    /// The number of reads that an engine which waits for a server answers at a time; nil for an engine on this
    /// machine.
    ///
    /// The store then reads on as many separate threads, and never on a thread of the concurrency runtime. On an engine
    /// on this machine the reads of actors alone do, on as many as the machine has processors.
    public var readerThreads: Int?
    /// The models that the backend's options name, by their stored names, for each option. A store has them, or gets them by the
    /// call that opens it or makes tables; any other name is `configuration`.
    public var namedModels: [String: [String]] = [:]

    /// Describes an open engine. Every capability that `lacking` does not name is promised.
    public init(
        name: String, location: String, format: String? = nil, lacking: [Capability: String] = [:],
        limits: Limits = Limits(), reservedNamePrefixes: [String] = [], remarks: [String] = [],
        readerThreads: Int? = nil
    ) {
        self.name = name
        self.location = location
        self.format = format
        self.lacking = lacking
        self.limits = limits
        self.reservedNamePrefixes = reservedNamePrefixes
        self.remarks = remarks
        self.readerThreads = readerThreads
    }

    /// A part of the contract that a backend may declare as lacking.
    public enum Capability: String, Sendable, CaseIterable, Codable {
        /// Committed data outlives the process.
        case durability
        /// Readers continue while a writer writes.
        case concurrentReads
        /// A second process may use the store at the same time.
        case sharing
        /// Observers of the store are notified of commits by other processes; see ``ExternalCommitsEngine``.
        case foreignCommits
        /// The engine finds damage anywhere in the file, also in values (clause E3).
        case damageDetection
        /// The schema of a model can be changed while its records are read. An engine without it waits for the reads to end,
        /// and throws `busy` if they do not end in time.
        case changingWhileReading
        /// Only the store changes rows in a transaction. A database lacks it if triggers, or foreign keys with actions,
        /// change rows by themselves: observers and the feed then learn only of the model, and a call is `unsupported`
        /// whose changes the history, or a layer, would have to know; see ``ReactingEngine``.
        case knownChanges
        /// The store can be written. A store that was opened read-only lacks it.
        case writing
    }

    /// Exact limits: a value at the limit passes, one more throws `limitExceeded`.
    public struct Limits: Sendable {
        /// The most bytes of one text, blob, array or embedded value, also of an indexed or unique one.
        public var valueBytes: Int
        /// The most bytes of text in one key property. It holds for each part of a composite key.
        public var keyBytes: Int
        /// The most bytes of text in all parts of a key together.
        public var wholeKeyBytes: Int
        /// The most levels of owned children below a root.
        public var depth: Int
        /// The most columns of one table.
        public var columns: Int

        /// Limits, by default 1 GiB for a value, 64 KiB for each part of a key, 64 levels and 1,900 columns.
        public init(
            valueBytes: Int = 1 << 30, keyBytes: Int = 1 << 16, wholeKeyBytes: Int = .max, depth: Int = 64,
            columns: Int = 1900
        ) {
            self.valueBytes = valueBytes
            self.keyBytes = keyBytes
            self.wholeKeyBytes = wholeKeyBytes
            self.depth = depth
            self.columns = columns
        }
    }

    /// Returns whether the backend has the capability.
    public func has(_ capability: Capability) -> Bool { lacking[capability] == nil }

    /// Throws `unsupported` if the capability is lacking.
    package func require(_ capability: Capability, for operation: String) throws(StorageError) {
        guard let reason = lacking[capability] else { return }
        throw StorageError(
            .unsupported, "The capability \(capability.rawValue) is lacking: \(reason)", operation: operation
        )
        .at(backend: name)
    }
}
