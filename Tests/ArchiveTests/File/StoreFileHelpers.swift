import ArchiveBackend
import Foundation
import Logging
import StorageAPI
import StorageDriver
import Testing

/// An entry as tests compare it.
struct FileItem: Equatable, CustomStringConvertible {
    var name: String
    var contents: [UInt8]

    init(_ name: String, _ contents: [UInt8]) { (self.name, self.contents) = (name, contents) }
    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    var description: String { "\(name): \(contents.count) bytes" }
}

/// The results of opening a store file.
struct OpenedFile {
    let file: StoreFile
    let recovery: Recovery
    /// The entries of each commit, by its sequence number.
    let commits: [UInt64: [FileItem]]

    var items: [FileItem] { commits.sorted { $0.key < $1.key }.flatMap(\.value) }
}

/// Prints how often a test damaged a store, and what came of it: a passing test would not show.
func report(_ what: String, _ outcomes: [String: Int]) {
    let list = outcomes.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    print("archive, \(what): \(list.joined(separator: ", "))")
}

let silentLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

func openFile(
    _ path: String, _ mode: StoreFile.Mode = .readWrite, codec: ArchiveCodec = .zstd,
    level: Int? = nil, layer: any FileLayer = SystemFileLayer(), logger: Logger = silentLogger
) throws(StorageError) -> OpenedFile {
    var commits: [UInt64: [FileItem]] = [:]
    let options = try FileOptions(codec: codec, level: level)
    let (file, recovery) = try StoreFile.open(path, mode, options: options, layer: layer, logger: logger) { entry in
        commits[entry.commit, default: []].append(FileItem(entry.name, Array(entry.contents)))
    }
    return OpenedFile(file: file, recovery: recovery, commits: commits)
}

extension StoreFile {
    func append(_ items: FileItem..., durable: Bool = true) throws(StorageError) {
        try append(durable: durable) { (writer) throws(StorageError) in try writer.add(items) }
    }

    func rewrite(_ items: [FileItem]) throws(StorageError) {
        try rewrite { (writer) throws(StorageError) in try writer.add(items) }
    }
}

extension CommitWriter {
    mutating func add(_ items: [FileItem]) throws(StorageError) {
        for item in items { try add(name: item.name, item.contents) }
    }

    mutating func add(name: String, _ contents: [UInt8]) throws(StorageError) {
        // Two steps, because the writer cannot be captured by the closure that has the bytes.
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 1)
        defer { bytes.deallocate() }
        bytes.copyBytes(from: contents)
        try add(name: name, contents: UnsafeRawBufferPointer(bytes))
    }
}

/// Runs a test with the path of a store that is not there yet, in a folder of its own.
func withStorePath<T>(_ body: (String) throws -> T) throws -> T {
    let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "store-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder.appending(path: "a.karch").path)
}

func fileBytes(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }
func writeFile(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

/// The names in the store's folder.
func fileNames(beside path: String) throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: URL(filePath: path).deletingLastPathComponent().path))
}

/// Bytes that do not compress, the same for the same seed.
func noiseBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var state = seed
    let words = (0..<(count + 7) / 8).map { _ in
        state = (state ^ (state >> 29)) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
}
