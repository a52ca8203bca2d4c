internal import Logging
package import StorageDriver

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A file of commits, open for writing by one process, or for reading by any.
///
/// Not thread-safe: calls must follow one another. A ``WrittenCommit`` may be awaited meanwhile.
/// <doc:StoreFileFormat> describes the file.
package final class StoreFile {
    package enum Mode: Sendable {
        /// To read and append; the only writer. The file is created with the first commit.
        case readWrite
        /// To read up to the last commit, while another process may write.
        case readOnly
        /// To read the intact part of a damaged file.
        case salvage
    }

    /// The path without symbolic links.
    package let path: String
    let mode: Mode
    let options: FileOptions
    let layer: any FileLayer
    let logger: Logger
    /// The reason why the file accepts no more writes; set once.
    let failure: WriteFailure
    let buffers = WriteBuffers()
    // Held until the file is closed or forgotten.
    private var lock: WriterLock?
    /// The open log; nil before the first commit and after ``close()``.
    var commitLog: CommitLog?
    /// The findings of opening the file.
    var found = Recovery()
    /// The file that the first commit replaces: an empty file that another program created, or a file of a codec that
    /// is no longer written.
    var replaced: OpenFile?
    /// True if the entries that were read must be written again before anything else.
    var mustBeRewritten = false

    /// The commits of an open file, and where the next one goes.
    struct CommitLog {
        let file: OpenFile
        var scanner: CommitScanner
        let disk: DiskState
        /// True if the last commit has no entries, so that damage before it cannot pass for a torn tail.
        var isSealed: Bool
        var preallocated: PreallocatedSpace
    }

    init(
        _ path: String, _ mode: Mode, options: FileOptions, layer: any FileLayer, logger: Logger,
        lock: WriterLock?
    ) {
        (self.path, self.mode, self.options, self.layer) = (path, mode, options, layer)
        (self.logger, self.lock) = (logger, lock)
        failure = WriteFailure(path, logger)
    }

    /// The sequence number of the last commit; nil if none exists.
    package var sequence: UInt64? { commitLog?.scanner.last?.sequence }
    /// Bytes of all commits.
    package var size: Int64 { commitLog?.scanner.position ?? 0 }
    /// The identity that all generations of the file share, or nil before the first commit.
    package var storeID: UUID? { commitLog?.scanner.last?.store }
    /// The number of times that the file was rewritten.
    package var generation: UInt32 { commitLog?.scanner.last?.generation ?? 0 }
    /// The version of its format, which for an old file is another until it is rewritten.
    var version: UInt16 { commitLog?.scanner.last?.version ?? StoreFormat.version }
    /// The compression of the file, which may differ from the option until it is rewritten.
    package var codec: ArchiveCodec { commitLog?.scanner.codec ?? options.codec }

    func require(writing: Bool) throws(StorageError) {
        try failure.check()
        guard !writing || mode == .readWrite else {
            throw StorageError(.io, "\(path) is open for reading only; open it for writing.")
        }
    }

    /// Throws the reason if the file can't be written.
    func requireWritable() throws(StorageError) { try require(writing: true) }

    /// Waits for commits that were not awaited, and closes the file. A second call has no effect.
    package func close() throws(StorageError) {
        defer {
            (commitLog, replaced) = (nil, nil)
            lock = nil
            failure.close()
        }
        guard mode == .readWrite, let commitLog else { return }
        // A commit may have been written while the sync of the one before failed.
        guard !failure.isSet else { return commitLog.disk.takeBack() }
        try sync()
        seal()
        releasePreallocatedSpace()
    }
}

/// The options for writing a store file.
package struct FileOptions: Sendable {
    /// The codec of a new or rewritten file.
    package let codec: ArchiveCodec
    /// The compression level of commits.
    package let level: Int
    /// The compression level of a rewritten file.
    package let rewritingLevel: Int
    /// True if no level of compression was given.
    private let isDefaultLevel: Bool

    /// Throws `configuration` for a level that the codec does not have, and `unsupported` for a codec that this system's
    /// libarchive lacks.
    package init(codec: ArchiveCodec = .zstd, level: Int? = nil) throws(StorageError) {
        try codec.requireSupport()
        if let level, codec.levels?.contains(level) != true {
            let accepted = codec.levels.map { "takes levels \($0.lowerBound) to \($0.upperBound)" } ?? "has no levels"
            throw StorageError(.configuration, "Level \(level) is not possible: \(codec.rawValue) \(accepted).")
        }
        self.codec = codec
        self.level = level ?? codec.defaultLevel
        rewritingLevel = level ?? codec.defaultRewritingLevel
        isDefaultLevel = level == nil
    }

    /// The compressor for commits to a file with a codec, at this level if the codec is the same.
    func compressor(for codec: ArchiveCodec) -> FrameCompressor {
        FrameCompressor(
            codec: codec, level: codec == self.codec ? level : codec.defaultLevel, isAppending: true,
            sparesReaders: isDefaultLevel)
    }

    /// The compressor for the first commit of a new file, whose frames stay until it is rewritten.
    var firstCompressor: FrameCompressor {
        FrameCompressor(codec: codec, level: level, sparesReaders: isDefaultLevel)
    }

    /// The compressor for a rewritten file, which is made for its size, also where it is dense.
    var rewritingCompressor: FrameCompressor { FrameCompressor(codec: codec, level: rewritingLevel) }
}
