import StorageAPI
import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// JSON that arrives in pieces, kept until the last one is there: in memory up to a mebibyte, then in a file without a name.
///
/// A transaction waits for nobody, so it begins when all is there.
struct SpooledJSON {
    private static let maximum = 1 << 20

    private var bytes: [UInt8] = []
    private var file: OpenFile?
    private var size: Int64 = 0

    mutating func append(_ byte: UInt8) throws(StorageError) {
        bytes.append(byte)
        if bytes.count >= Self.maximum { try spill() }
    }

    mutating func append(_ piece: some Sequence<UInt8>) throws(StorageError) {
        bytes.append(contentsOf: piece)
        if bytes.count >= Self.maximum { try spill() }
    }

    /// All that has come, to be read once.
    mutating func contents() throws(StorageError) -> JSONInput {
        if file == nil { return .data(Data(bytes)) }
        try spill()
        return file.map { .open($0) } ?? .data(Data())
    }

    private mutating func spill() throws(StorageError) {
        if file == nil { file = try Self.make() }
        guard let file else { return }
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(StorageError) in try file.write(at: size, bytes) }
        }
        try written.get()
        size += Int64(bytes.count)
        bytes.removeAll(keepingCapacity: true)
    }

    /// A file that goes when it is closed.
    private static func make() throws(StorageError) -> OpenFile {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("storage-json-" + UUID().uuidString)
            .path
        let layer = SystemFileLayer()
        do throws(SystemError) {
            let file = try OpenFile(
                path, .createNew(permissions: 0o600), layer: layer, name: "The JSON's temporary file")
            try layer.remove(path)
            return file
        } catch {
            throw FileFailure.error(error, path)
        }
    }
}
