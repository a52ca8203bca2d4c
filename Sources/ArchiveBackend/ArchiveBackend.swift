public import Logging
public import StorageDriver

/// Stores models in one file: a compressed tar whose entries are keyed archives, to which commits are added.
///
/// ```swift
/// let store = try await Store(ArchiveBackend(path: "people.karch"), models: Person.self)
/// ```
///
/// A commit adds one piece; `tar -xf` and `bsdtar -xf` extract the file at any time, and Foundation's
/// `NSKeyedUnarchiver` opens the extracted files. All records are held in memory, so reading costs no input or output,
/// and opening reads the whole file. <doc:StoreFileFormat> describes the bytes.
public struct ArchiveBackend: StorageBackend {
    public static let scheme = "archive"

    /// The guarantee that a commit waits for.
    public enum Durability: String, Sendable, CaseIterable {
        /// The disk: a commit survives a power cut.
        case full
        /// The operating system: a commit survives the process. A power cut may lose the last commits, never the store.
        case relaxed
    }

    /// The moment at which the file is rewritten without superseded records.
    public enum Compaction: String, Sendable, CaseIterable {
        /// After a commit that leaves more superseded and separately stored records than the file has live ones, in a file
        /// of more than 1 MiB. That commit then takes as long as writing all records; readers don't wait.
        case automatic
        /// Only when the program calls `Store.compact()`.
        case manual
    }

    /// The access that the file is opened for.
    public enum Access: String, Sendable, CaseIterable {
        /// Reading and writing; the only writer.
        case readWrite
        /// The store never writes; a writer in another process is no obstacle. The store follows its commits: each
        /// read, or block of reads, is a snapshot of the last commit when it begins. A change of the schema that is
        /// more than an addition is `schemaMismatch` until the store is opened again.
        case readOnly
        /// The store never writes. It skips and logs the parts of the file that are damaged at opening. Opening reads
        /// the file twice.
        case salvage
    }

    /// The file's path. The first commit creates the file; its lock file is `<path>-lock`.
    public var path: String
    /// The guarantee that a commit waits for.
    public var durability: Durability
    /// The compression of a new file. An existing file keeps its codec until it is compacted.
    public var codec: ArchiveCodec
    /// The level of zstd, from fast to small: 1 to 19. Nil means 3, and 6 when the file is rewritten. Small commits use
    /// this level only when the file is rewritten. Before that, commits of up to 16 KiB are not compressed, and are a
    /// tenth to a third larger; others of up to 256 KiB use the fastest level, and are up to 5 % larger than with level
    /// 3, or 8 % than with 19.
    public var level: Int?
    /// The moment at which the space of superseded records is reclaimed.
    public var compaction: Compaction
    /// The access that the file is opened for.
    public var access: Access
    /// The thresholds above which ``Compaction/automatic`` rewrites the file. Tests set less, so that small files are
    /// rewritten often.
    package var minimumCompacted = LeastCompacted()

    /// A file of more bytes, with more superseded records, is rewritten.
    package struct LeastCompacted: Sendable {
        package var bytes: Int64 = 1 << 20
        package var records = 1000

        /// A file that is rewritten every few commits.
        package static var smallest: Self { Self(bytes: 2048, records: 4) }
    }

    /// A file with these options, which is opened when a store opens.
    public init(
        path: String, durability: Durability = .full, codec: ArchiveCodec = .zstd, level: Int? = nil,
        compaction: Compaction = .automatic, access: Access = .readWrite
    ) {
        self.path = path
        self.durability = durability
        self.codec = codec
        self.level = level
        self.compaction = compaction
        self.access = access
    }

    /// `archive:people.karch?compression=zstd&level=3&durability=full&compaction=automatic&readonly=true`
    ///
    /// `salvage=true` instead of `readonly=true` reads the intact part of a damaged file.
    public init(url: StorageURL) throws(StorageError) {
        try url.requirePath(like: "people.karch")
        self.init(path: url.path)
        var options = StorageURL.Options(url)
        codec = try options.choice("compression", default: .zstd)
        level = try options.take("level", accepted: "1 to 19, with zstd") { Int($0) }
        durability = try options.choice("durability", default: .full)
        compaction = try options.choice("compaction", default: .automatic)
        let isReadOnly = try options.flag("readonly", default: false)
        let isSalvaging = try options.flag("salvage", default: false)
        access = isSalvaging ? .salvage : isReadOnly ? .readOnly : .readWrite
        try options.finish()
        _ = try fileOptions()
    }

    public func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        try open(layer: SystemFileLayer(), logger: logger)
    }

    /// Opens the file through a separate layer, so that tests can let system calls fail.
    package func open(layer: any FileLayer, logger: Logger) throws(StorageError) -> any StorageEngine {
        try ArchiveEngine(self, layer: layer, logger: logger)
    }

    func fileOptions() throws(StorageError) -> FileOptions { try FileOptions(codec: codec, level: level) }

    var fileMode: StoreFile.Mode {
        switch access {
        case .readWrite: .readWrite
        case .readOnly: .readOnly
        case .salvage: .salvage
        }
    }
}
