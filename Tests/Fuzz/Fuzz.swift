import Foundation
import StorageDriver
import Synchronization

/// An input from outside that `STORAGE_FUZZ` can name. It may refuse them by an error that it documents. Anything else
/// that is wrong ends the process, which libFuzzer reports with the bytes.
protocol Fuzzed: Sendable {
    init() throws
    func test(_ bytes: [UInt8]) throws
}

/// Each kind of input, by the name that `scripts/fuzz` gives it.
let kinds: [String: any Fuzzed.Type] = [
    "archive": ArchiveFile.self, "archive-entries": ArchiveEntries.self, "import": ToolImport.self,
    "json": ModelJSON.self, "keyed-archive": KeyedArchiveFile.self, "password": Password.self, "query": TextQuery.self,
    "search": TextSearch.self, "url": Address.self,
]

private let fuzzed: any Fuzzed = {
    let name = ProcessInfo.processInfo.environment["STORAGE_FUZZ"] ?? ""
    guard let kind = kinds[name] else { stop("STORAGE_FUZZ is one of \(kinds.keys.sorted()), not \"\(name)\"") }
    do { return try kind.init() } catch { stop("\(name) cannot begin: \(error)") }
}()

/// libFuzzer's entry point: https://llvm.org/docs/LibFuzzer.html
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do {
        try fuzzed.test(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
        stop("an error that this input may not have: \(error)")
    }
    return 0
}

/// Ends the process with a sentence, which the report has before the bytes.
func stop(_ sentence: String) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("fuzz: \(sentence)\n".utf8))
    abort()
}

func require(_ condition: Bool, _ sentence: @autoclosure () -> String) {
    if !condition { stop(sentence()) }
}

/// The result of an asynchronous call, for which the thread waits.
func wait<T: Sendable>(_ body: @escaping @Sendable () async throws -> T) throws -> T {
    let result = Mutex<Result<T, any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        let outcome: Result<T, any Error>
        do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
        result.withLock { $0 = outcome }
        isDone.signal()
    }
    isDone.wait()
    guard let outcome = result.withLock({ $0 }) else { stop("a task ended without a result") }
    return try outcome.get()
}

/// Runs a body that may refuse its input by errors of these codes.
///
/// - Returns: nil if it did.
func allowing<T>(_ codes: Set<StorageError.Code>, _ body: () throws -> T) throws -> T? {
    do {
        return try body()
    } catch let error as StorageError where codes.contains(error.code) {
        require(!error.message.isEmpty, "an error without a message: \(error)")
        return nil
    }
}

/// A folder in memory where the system has one, for this process alone.
struct ScratchFolder: Sendable {
    let path: String

    init() throws {
        let memory = "/dev/shm"
        let parent = FileManager.default.fileExists(atPath: memory) ? memory : NSTemporaryDirectory()
        path = "\(parent)/storage-fuzz-\(getpid())"
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // libFuzzer ends the process by `_exit` where it finds something: then the folder of an earlier process is left.
        atexit { try? FileManager.default.removeItem(atPath: "/dev/shm/storage-fuzz-\(getpid())") }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes the folder's contents.
    func empty() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            try FileManager.default.removeItem(atPath: file(name))
        }
    }
}
