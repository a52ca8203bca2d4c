import ArchiveBackend
import ArgumentParser
import Foundation
import SQLiteBackend
import StorageAPI
import StorageDriver

#if PostgreSQL
import PostgreSQLBackend
#endif

/// A store as the command line names it: a URL, or the path of a file whose first bytes identify the backend.
struct StoreLocation: ExpressibleByArgument {
    /// The purpose for which a command opens a store.
    enum Purpose {
        /// Nothing is changed, and the store must be there.
        case reading
        /// The store must be there.
        case writing
        /// Creates a store if none exists.
        case making
    }

    /// The backends whose stores are files.
    private static let files: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]
    #if PostgreSQL
    static let backends = files + [PostgreSQLBackend.self]
    #else
    static let backends = files
    #endif
    static let help = ArgumentHelp("The store: backend:path, or the path of its file.", valueName: "store")

    let text: String
    /// The text as it may be printed: without passwords.
    var shown: String { Redaction.redacted(text) }

    init(_ text: String) { self.text = text }
    init?(argument: String) { self.init(argument) }

    static var defaultCompletionKind: CompletionKind { .file() }

    /// Opens the store, runs the body and closes the store again.
    ///
    /// - Parameter indexing: receives the progress of search indexes that a change of the schema makes.
    func with<T: Sendable>(
        _ purpose: Purpose, indexing: (@Sendable (Store.SearchProgress) -> Void)? = nil,
        _ body: (Store) async throws -> T
    ) async throws -> T {
        let store = try await open(purpose, indexing: indexing)
        let result: T
        do {
            result = try await body(store)
        } catch {
            // What failed first is what the person has to know.
            try? await store.close()
            throw error
        }
        try await store.close()
        return result
    }

    func open(
        _ purpose: Purpose, indexing: (@Sendable (Store.SearchProgress) -> Void)? = nil,
        indexBuilding: (@Sendable (IndexProgress) -> Void)? = nil
    ) async throws -> Store {
        let address = try purpose == .reading ? readingURL() : address(purpose)
        let url = try StorageURL(address)
        if purpose != .making { try Self.checkFile(url.path, isKnown: Self.isFile(url.scheme)) }
        do throws(StorageError) {
            let store = try await Store(
                url: address, backends: Self.backends,
                options: Store.Options(indexing: indexing, indexBuilding: indexBuilding))
            for remark in store.info.remarks {
                try? FileHandle.standardError.write(
                    contentsOf: Data("storage: \("\(shown): \(remark)".printable)\n".utf8))
            }
            return store
        } catch {
            if error.code == .configuration || error.message.contains(url.path) { throw error }
            let name = Self.isFile(url.scheme) ? url.path : url.description
            throw error.with { $0.message = "\(name): \($0.message)" }
        }
    }

    /// The URL by which the store is opened for reading. It may have a password.
    func readingURL() throws -> String {
        let address = try address(.reading)
        let options = try StorageURL(address).options
        guard options["readonly"] == nil, options["salvage"] == nil else { return address }
        return address + (options.isEmpty ? "?" : "&") + "readonly=true"
    }

    /// The file of a store that is a file.
    var path: String? {
        guard let url = (try? address(.reading)).flatMap({ try? StorageURL($0) }), Self.isFile(url.scheme) else {
            return nil
        }
        return url.path
    }

    // MARK: Names

    private static func isKnown(_ word: Substring) -> Bool {
        let scheme = BackendProduct.scheme(word)
        return backends.contains { $0.scheme == scheme }
    }
    private static func isFile(_ scheme: String) -> Bool { files.contains { $0.scheme == scheme } }

    /// The URL that the text is, or that its file's kind makes of it.
    private func address(_ purpose: Purpose) throws -> String {
        if let colon = text.firstIndex(of: ":"), Self.isKnown(text[..<colon]) { return text }
        if FileManager.default.fileExists(atPath: text) {
            try Self.checkFile(text, isKnown: true)
            return "\(try Self.kind(of: text)):\(Self.escaped(text))"
        }
        // A text with another scheme is refused by name, with what would be accepted.
        if text.contains(":"), !text.contains("/") { return text }
        // What looks like a server's address by `name=value` pairs may have a password, as may any address.
        let text = shown
        guard !text.isEmpty else {
            throw ToolError("The store has no name; give backend:path, or the path of its file.", .noInput)
        }
        guard purpose == .making else { throw ToolError("There is no file \(text).", .noInput) }
        let names = Self.files.map { $0.scheme }.sorted()
        throw ToolError(
            "There is no file \(text); to make a store, name its backend: "
                + names.map { "\($0):\(text)" }.joined(separator: " or ") + ".", .usage)
    }

    static func escaped(_ path: String) -> String {
        path.replacing("%", with: "%25").replacing("?", with: "%3F")
    }

    private static func kind(of path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let start = [UInt8](try file.read(upToCount: 512) ?? Data())
        if start.starts(with: "SQLite format 3\0".utf8) { return SQLiteBackend.scheme }
        let archives: [[UInt8]] = [[0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A]]
        let isTar = start.count == 512 && start[257..<262].elementsEqual("ustar".utf8)
        if isTar || archives.contains(where: start.starts(with:)) { return ArchiveBackend.scheme }
        throw ToolError(
            "\(path) is neither an SQLite database nor a store archive; if it is one, name its backend, as in "
                + "sqlite:\(path).", .noInput)
    }

    /// Checks that the store's file is there, before a backend would make one.
    private static func checkFile(_ path: String, isKnown: Bool) throws {
        guard isKnown, path != ":memory:" else { return }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ToolError("There is no file \(path).", .noInput)
        }
        guard !isFolder.boolValue else { throw ToolError("\(path) is a folder, not a store's file.", .noInput) }
        let type =
            try? FileManager.default.attributesOfItem(
                atPath: URL(fileURLWithPath: path).resolvingSymlinksInPath().path)[.type] as? FileAttributeType
        guard type == .typeRegular else { throw ToolError("\(path) is a pipe or a device, not a store's file.", .io) }
        guard FileManager.default.isReadableFile(atPath: path) else {
            throw ToolError("\(path) may not be read by this user.", .noInput)
        }
    }
}

extension StoreLocation {
    /// Opens the store for writing, creates it if none exists, and closes it. If the work fails, removes the files
    /// that it created.
    ///
    /// - Parameter indexing: receives the progress of search indexes that the work makes.
    func withTarget<T: Sendable>(
        indexing: (@Sendable (Store.SearchProgress) -> Void)? = nil, _ work: (Store) async throws -> T
    ) async throws -> T {
        let path = path ?? ""
        // A dangling link counts as existing.
        let isNew = !path.isEmpty && (try? FileManager.default.attributesOfItem(atPath: path)) == nil
        do {
            return try await with(.making, indexing: indexing, work)
        } catch {
            if isNew { Self.removeFiles(path) }
            throw error
        }
    }

    /// The file, and the other files of SQLite and the archive.
    private static func removeFiles(_ path: String) {
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    }
}
