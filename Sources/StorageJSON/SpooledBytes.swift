package import StorageDriver

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The source of records as text, which can be read again from the beginning.
package enum InputBytes: Sendable {
    case data(Data)
    case file(String)
    case open(OpenFile)

    /// - Parameter name: the name in messages; a file has its path.
    package func contents(named name: String) throws(StorageError) -> any InputContents {
        switch self {
        case .data(let data): DataContents(data, name: name)
        case .file(let path): try FileContents(path)
        case .open(let file): try FileContents(file, name: name)
        }
    }
}

/// Bytes that arrive in pieces, kept until the last one has come: in memory up to a mebibyte, then in a file without a name.
///
/// A transaction waits for no sender, so it begins after that.
package struct SpooledBytes {
    private static let maximum = 1 << 20

    private var bytes: [UInt8] = []
    private var file: OpenFile?
    private var size: Int64 = 0
    private let name: String

    /// - Parameter name: the name of the text in messages.
    package init(named name: String) { self.name = name }

    /// Receives a sequence of bytes.
    ///
    /// - Throws: `cancelled`, because a sequence may end early where its task is cancelled; the sequence's errors; `io` or `full`.
    package nonisolated(nonsending) mutating func receive<Bytes: AsyncSequence>(
        bytes: Bytes
    ) async throws where Bytes.Element == UInt8 {
        for try await byte in bytes { try append(byte) }
        try checkCancellation()
    }

    /// Receives a sequence of pieces, wherever they are cut.
    package nonisolated(nonsending) mutating func receive<Pieces: AsyncSequence>(
        pieces: Pieces
    ) async throws where Pieces.Element: Sequence<UInt8> {
        for try await piece in pieces { try append(piece) }
        try checkCancellation()
    }

    private func checkCancellation() throws(StorageError) {
        guard Task.isCancelled else { return }
        throw StorageError(.cancelled, "The task was cancelled while \(name) arrived.", operation: "save")
    }

    private mutating func append(_ byte: UInt8) throws(StorageError) {
        bytes.append(byte)
        if bytes.count >= Self.maximum { try spill() }
    }

    private mutating func append(_ piece: some Sequence<UInt8>) throws(StorageError) {
        bytes.append(contentsOf: piece)
        if bytes.count >= Self.maximum { try spill() }
    }

    /// All that has come.
    package mutating func contents() throws(StorageError) -> InputBytes {
        if file == nil { return .data(Data(bytes)) }
        try spill()
        return file.map { .open($0) } ?? .data(Data())
    }

    private mutating func spill() throws(StorageError) {
        if file == nil { file = try make() }
        guard let file else { return }
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.write(at: size, bytes) }
        }
        try written.get()
        size += Int64(bytes.count)
        bytes.removeAll(keepingCapacity: true)
    }

    /// A file that goes when it is closed.
    private func make() throws(StorageError) -> OpenFile {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("storage-input-" + UUID().uuidString)
            .path
        let layer = SystemFileLayer()
        do throws(SystemError) {
            let file = try OpenFile(
                path, .createNew(permissions: 0o600), layer: layer, name: "The temporary file of \(name)")
            try layer.remove(path)
            return file
        } catch {
            throw FileFailure.error(error, path)
        }
    }
}
