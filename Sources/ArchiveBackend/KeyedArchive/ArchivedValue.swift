public import StorageDriver

/// A value of a keyed archive, for programs that do not know its classes.
///
/// Each type of Foundation's values becomes a separate case; an object of any other class keeps its class's name and
/// its keys.
public indirect enum ArchivedValue: Hashable, Sendable {
    /// Nil, or an NSNull.
    case null
    case bool(Bool)
    case int(Int64)
    /// An integer above `Int64.max`.
    case unsigned(UInt64)
    case real(Double)
    case string(String)
    case data([UInt8])
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// 16 bytes.
    case uuid([UInt8])
    /// A URL's text, and that of the URL which it is relative to.
    case url(String, base: String?)
    /// NSArray, NSOrderedSet, and their mutable classes.
    case array([ArchivedValue])
    /// NSSet, in the archive's order.
    case set([ArchivedValue])
    /// NSDictionary, in the archive's order, and plain property lists in an archive.
    case dictionary([Entry])
    /// An object of any other class. Keys are as the class wrote them, the archiver's `$` before a `$` removed.
    case object(className: String, fields: [String: ArchivedValue])

    /// A key of a dictionary with its value.
    public struct Entry: Hashable, Sendable {
        /// The key, which may be any value.
        public var key: ArchivedValue
        /// Its value.
        public var value: ArchivedValue

        /// A key with its value.
        public init(key: ArchivedValue, value: ArchivedValue) {
            self.key = key
            self.value = value
        }
    }

    /// The limits on the cost of an archive. An archive beyond a limit is `limitExceeded`.
    public struct Limits: Sendable {
        /// Bytes of the archive.
        public var bytes: Int
        /// The most values in the result, each counted as often as it occurs.
        public var values: Int
        /// Levels of values in each other.
        public var depth: Int

        /// Limits, by default 256 MiB, a million values and 256 levels.
        public init(bytes: Int = 1 << 28, values: Int = 1_000_000, depth: Int = 256) {
            self.bytes = bytes
            self.values = values
            self.depth = min(depth, 512)
        }
    }

    /// Reads the root of a keyed archive, which is a binary property list.
    ///
    /// The root is the value of the key `root`, or of the only key.
    /// - Throws: `corrupt` for anything but a keyed archive, or one whose objects contain themselves; `limitExceeded`.
    public init(archive: [UInt8], limits: Limits = Limits()) throws(StorageError) {
        let roots = try Self.roots(of: archive, limits: limits)
        guard let root = roots["root"] ?? (roots.count == 1 ? roots.first?.value : nil) else {
            throw StorageError(.corrupt, "The archive has several roots, none of them called root; read roots(of:).")
        }
        self = root
    }

    /// Reads all that an archive holds at its top, by key. Archives have one key, `root`, unless a program encoded
    /// several values by itself.
    ///
    /// - Throws: as ``init(archive:limits:)``.
    public static func roots(
        of archive: [UInt8], limits: Limits = Limits()
    ) throws(StorageError) -> [String: ArchivedValue] {
        guard archive.count <= limits.bytes else {
            throw StorageError(
                .limitExceeded, "The archive has \(archive.count) bytes; the limit is \(limits.bytes).")
        }
        let list = try archive.withUnsafeBufferPointer { (bytes) throws(StorageError) in
            try PropertyList(UnsafeRawBufferPointer(bytes))
        }
        var builder = try ArchivedValueBuilder(list, limits)
        return try builder.roots()
    }
}
