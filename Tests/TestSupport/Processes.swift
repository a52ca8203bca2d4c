package import Foundation
import Synchronization

/// The result of a process that has ended.
package struct ProcessResult: Sendable {
    /// The exit status; the number of the signal if the process was killed.
    package let status: Int32
    package let wasKilled: Bool
    /// The texts that the process has written to its output and to its error stream.
    package let output: String
    package let error: String

    package var isSuccess: Bool { status == 0 && !wasKilled }
}

/// The end of a process, for which a task waits without a thread.
package final class ProcessEnd: Sendable {
    private let state = Mutex<(isReached: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

    fileprivate func reach() {
        let waiting = state.withLock { state in
            defer { state = (true, []) }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Returns when the process has ended.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if !state.isReached { state.waiting.append(continuation) }
                return state.isReached
            }
            if isReached { continuation.resume() }
        }
    }
}

extension Process {
    /// Starts the process, and returns its end. `waitUntilExit` would keep a thread of the cooperative pool, which has as
    /// many as the machine has cores, and so would stop other tests.
    package func start() throws -> ProcessEnd {
        let end = ProcessEnd()
        terminationHandler = { _ in end.reach() }
        try run()
        return end
    }

    /// Runs the process to its end, with an input and without a thread that waits.
    package nonisolated(nonsending) func result(of input: Data = Data()) async throws -> ProcessResult {
        let files = try StandardFiles(of: self, input: input)
        defer { files.close() }
        try await start().wait()
        return try files.result(of: self)
    }

    /// Runs the process to its end on the thread, for callers that cannot suspend, such as the body of a transaction.
    package func blockingResult(of input: Data = Data()) throws -> ProcessResult {
        let files = try StandardFiles(of: self, input: input)
        defer { files.close() }
        try run()
        waitUntilExit()
        return try files.result(of: self)
    }
}

/// The files that a process reads and writes. Unlike pipes they are never full, so no task needs to read beside it.
private struct StandardFiles {
    private let output: FileHandle
    private let error: FileHandle
    /// Nil for the null device.
    private let input: FileHandle?

    init(of process: Process, input data: Data) throws {
        output = try Self.file()
        error = try Self.file()
        (process.standardOutput, process.standardError) = (output, error)
        guard !data.isEmpty else {
            input = nil
            process.standardInput = FileHandle.nullDevice
            return
        }
        let file = try Self.file()
        try file.write(contentsOf: data)
        try file.seek(toOffset: 0)
        (input, process.standardInput) = (file, file)
    }

    /// Closes the files. On Linux a process that has ended can outlive its last reference, and its handles with it: hundreds of
    /// tests would fill the table of descriptors, and `Process.run()` reads beyond its buffer if it finds more than 1,300.
    func close() {
        for file in [output, error, input].compactMap(\.self) { try? file.close() }
    }

    /// A file that has no name, and goes with its handle.
    private static func file() throws -> FileHandle {
        var path = Array(FileManager.default.temporaryDirectory.appending(path: "process-XXXXXX").path.utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        unlink(path)
        return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func result(of process: Process) throws -> ProcessResult {
        ProcessResult(
            status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
            output: try Self.text(output), error: try Self.text(error))
    }

    private static func text(_ file: FileHandle) throws -> String {
        try file.seek(toOffset: 0)
        return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    }
}

extension FileHandle {
    /// The data that comes through a pipe, piece by piece until its other end is closed. What one loop leaves, the next
    /// one gets.
    package func pieces() -> AsyncStream<Data> {
        let (pieces, continuation) = AsyncStream<Data>.makeStream()
        // No readabilityHandler: on Linux it is not told of an end that comes with the last data.
        Thread.detachNewThread {
            while true {
                let data = self.availableData
                if data.isEmpty { break }
                continuation.yield(data)
            }
            continuation.finish()
        }
        return pieces
    }
}
