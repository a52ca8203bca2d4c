public import Foundation
public import StorageAPI

/// The description of a backend that its author writes to run the suite.
///
/// ```swift
/// struct Harness: ConformanceHarness {
///     func backend(at place: URL) -> any StorageBackend { MyBackend(path: place.appending(path: "test.mine").path) }
/// }
/// ```
///
/// For each case the suite asks for a place, makes a backend for it, and opens a store on the backend. To reopen a
/// store it makes the backend again: a backend is a configuration, and what outlives a closed store is at the place.
/// For a backend with files the place is a new folder, and nothing else must be written.
public protocol ConformanceHarness: Sendable {
    /// The holder of a store's data: a folder, or an object in memory.
    associatedtype Place: Sendable = URL

    /// A new empty place for one case.
    func makePlace() async throws -> Place

    /// The backend for a place: the same for a new and for a reopened store.
    func backend(at place: Place) async throws -> any StorageBackend

    /// Removes the place and everything in it. Every store on it is already closed.
    func destroy(_ place: Place) async throws

    /// Returns the remains of a destroyed place: names of files and locks. Empty if nothing is left.
    func leftovers(of place: Place) -> [String]

    /// Returns whether a closed store can be reopened at its place in this process, with its contents. By default true
    /// if the backend is durable; a durable backend must return true.
    func outlivesClosing(_ info: BackendInfo) -> Bool

    /// The files of the store at a place, which the damage cases change; none for a backend without files.
    func files(at place: Place) -> [URL]

    /// Failures that the author knows. They are strict: a listed case that passes counts as failed.
    var knownFailures: [KnownFailure] { get }

    /// Returns the command for a process that opens the place and takes part in the cases of two processes and of
    /// killed ones. Nil only for a backend that is neither durable nor shared; for others nil is a harness error of
    /// those cases. The program runs ``ConformanceTool`` with the arguments `helper --place PLACE`, after which the suite adds
    /// others, or calls ``ConformanceHelper/run(_:arguments:)`` with those others.
    func helper(at place: Place) -> HelperCommand?

    /// The place that ``helper(at:)`` has named in its arguments; nil, the default, if another process cannot reach it. For
    /// folders it is the one at the path.
    func place(named name: String) -> Place?

    /// A backend that only reads the store of a place, beside the one that writes it. Generated programs look through it.
    /// Nil for a backend that shares its stores, and for one whose stores no other program reads.
    func follower(at place: Place) -> (any StorageBackend)?

    /// The file to whose end commits are written. Generated programs cut it anywhere after its beginning. A store that
    /// then opens must be as it was after one of the commits. Nil for a backend without such a file.
    func growingFile(at place: Place) -> URL?

    /// Failures below the stores of a place, which a case asks for before it makes a backend for the place. Nil where the
    /// harness cannot make any: then reports name the cases that need them as not proven.
    func faults(at place: Place) -> (any FaultInjection)?
}

extension ConformanceHarness {
    /// None.
    public var knownFailures: [KnownFailure] { [] }
    /// True if the backend is durable.
    public func outlivesClosing(_ info: BackendInfo) -> Bool { info.has(.durability) }
    /// None.
    public func files(at place: Place) -> [URL] { [] }
    /// None.
    public func helper(at place: Place) -> HelperCommand? { nil }
    /// None.
    public func place(named name: String) -> Place? { nil }
    /// None.
    public func follower(at place: Place) -> (any StorageBackend)? { nil }
    /// None.
    public func growingFile(at place: Place) -> URL? { nil }
    /// None.
    public func faults(at place: Place) -> (any FaultInjection)? { nil }
}

// Backends with files: a place is a folder of its own.
extension ConformanceHarness where Place == URL {
    /// A new folder among the temporary ones; in memory where the system has such folders, so that a backend can run at
    /// its full durability and the suite waits for no disk.
    public func makePlace() throws -> URL {
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let isThere = FileManager.default.isWritableFile(atPath: memory.path)
        let folder = (isThere ? memory : FileManager.default.temporaryDirectory)
            .appending(path: "conformance-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// The folder at the path.
    public func place(named name: String) -> URL? { URL(fileURLWithPath: name, isDirectory: true) }

    /// Removes the folder.
    public func destroy(_ place: URL) throws { try FileManager.default.removeItem(at: place) }

    /// All files in the folder, sorted by their paths.
    public func files(at place: URL) -> [URL] {
        let found = try? FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
        return (found ?? []).sorted { $0.path < $1.path }
    }

    /// The folder, if it is still there.
    public func leftovers(of place: URL) -> [String] {
        FileManager.default.fileExists(atPath: place.path) ? [place.path] : []
    }
}

// Backends with objects leave nothing.
extension ConformanceHarness {
    /// Does nothing: the object is released with its last owner.
    public func destroy(_ place: Place) async throws {}
    /// Nothing.
    public func leftovers(of place: Place) -> [String] { [] }
}

/// A failure that the author of a backend knows.
public struct KnownFailure: Sendable, Codable {
    /// The case's identifier.
    public let id: String
    /// The reason why it fails, in one sentence.
    public let reason: String
    /// A link to where it is being corrected.
    public let link: String

    /// A failure of the case with the identifier.
    public init(_ id: String, reason: String, link: String) {
        self.id = id
        self.reason = reason
        self.link = link
    }
}

/// A program with its arguments.
public struct HelperCommand: Sendable {
    /// The program's file.
    public let executable: URL
    /// Its first arguments; the suite adds others.
    public let arguments: [String]

    /// A program with its arguments.
    public init(executable: URL, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }
}
