import Foundation
import MemoryBackend
import PostgreSQLBackend
import StorageAPI
import StorageSync
import Synchronization

// Many replicas at one hub on PostgreSQL. The hub is this process, and the replicas are another one, so that the time of the
// processor is the hub's.

/// The rules of a hub at which each note belongs to the user whom its title names.
private var ownNotes: HubRules {
    var rules = HubRules()
    rules.parts = ["Note": "title"]
    return rules
}

/// Replicas that save a note each second and exchange. Prints the times of the hub's answers for each tenth of the time, and what
/// they take of a processor.
///
///     with-postgresql SyncBench many [REPLICAS] [SECONDS]
func many(_ arguments: ArraySlice<String>) async throws {
    let numbers = arguments.compactMap { Int($0) }
    guard let address = ProcessInfo.processInfo.environment["STORAGE_POSTGRESQL"] else {
        throw Failure("run it with scripts/with-postgresql, which names a server")
    }
    let (count, seconds) = (numbers.first ?? 1000, numbers.dropFirst().first ?? 600)
    let store = try await Store(
        PostgreSQLBackend(address, schema: "sync_many"), models: Note.self,
        options: .init(history: .init(records: [Note.self])))
    let hub = try await Hub(store, models: [Note.self], rules: ownNotes)
    let devices = Process()
    devices.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
    devices.arguments = ["devices", "\(count)", "\(seconds)"]
    let (questions, answers) = (Pipe(), Pipe())
    (devices.standardOutput, devices.standardInput) = (questions, answers)
    try devices.run()
    let times = Times()
    let (stream, messages) = AsyncStream.makeStream(of: Frame.self)
    Thread.detachNewThread {
        while let frame = Frame(readFrom: questions.fileHandleForReading) { messages.yield(frame) }
        messages.finish()
    }
    let answering = Output(answers.fileHandleForWriting)
    let reports = Task {
        let part = Duration.seconds(max(seconds / 10, 1))
        print("| from | exchanges a second | answer: median | 99 % | of a processor |\n|---|---|---|---|---|")
        var (began, used) = (ContinuousClock.now, processor())
        for number in 0... {
            try await Task.sleep(for: part)
            let (found, took, now) = (times.take(), (ContinuousClock.now - began) / .seconds(1), processor())
            guard !found.isEmpty else { continue }
            print(
                String(
                    format: "| %d s | %.0f | %.1f ms | %.1f ms | %.2f |", number * max(seconds / 10, 1),
                    Double(found.count) / took, found[found.count / 2] * 1000, found[found.count * 99 / 100] * 1000,
                    (now - used) / took))
            fflush(nil)
            (began, used) = (.now, now)
        }
    }
    await withTaskGroup(of: Void.self) { group in
        for await frame in stream {
            group.addTask {
                let began = ContinuousClock.now
                let answer = (try? await hub.answer(frame.bytes, as: "user \(frame.number)")) ?? []
                times.add((ContinuousClock.now - began) / .seconds(1))
                answering.write(Frame(number: frame.number, bytes: answer))
            }
        }
    }
    reports.cancel()
    devices.waitUntilExit()
    try require(devices.terminationStatus == 0, "the replicas failed")
}

/// The replicas, whose messages are frames on the standard output.
func devices(_ arguments: ArraySlice<String>) async throws {
    let numbers = arguments.compactMap { Int($0) }
    guard numbers.count == 2 else { throw Failure("devices COUNT SECONDS") }
    let (count, seconds) = (numbers[0], numbers[1])
    let exchanges = Exchanges()
    Thread.detachNewThread {
        while let frame = Frame(readFrom: .standardInput) { exchanges.answer(frame) }
    }
    let began = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask {
                let store = try await Store(
                    InMemoryBackend(), models: Note.self, options: .init(history: .init(records: [Note.self])))
                let replica = try await Replica(store, models: [Note.self], to: exchanges.way(of: number))
                // The first exchanges come one after the other, and so do all later ones of each second.
                var next = began + .seconds(Double(number) / Double(count))
                for second in 0..<seconds {
                    try await Task.sleep(until: next, clock: .continuous)
                    var note = Note(number * 1_000_000 + second % 100, version: second)
                    note.title = "user \(number)"
                    try await store.save(note)
                    try await replica.sync()
                    // A late one lets seconds pass, as a device would.
                    while next < .now { next += .seconds(1) }
                }
            }
        }
        try await group.waitForAll()
    }
}

/// The seconds that answers took.
private final class Times: Sendable {
    private let all = Mutex<[Double]>([])

    func add(_ time: Double) { all.withLock { $0.append(time) } }

    /// The sorted times since the last call.
    func take() -> [Double] {
        all.withLock { all in
            defer { all = [] }
            return all.sorted()
        }
    }
}

/// A message of a replica, or its answer.
private struct Frame {
    let number: Int
    let bytes: [UInt8]

    init(number: Int, bytes: [UInt8]) { (self.number, self.bytes) = (number, bytes) }

    init?(readFrom file: FileHandle) {
        guard let head = Self.read(8, from: file), let bytes = Self.read(Self.number(head[4...]), from: file) else {
            return nil
        }
        (number, self.bytes) = (Self.number(head[..<4]), bytes)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func read(_ count: Int, from file: FileHandle) -> [UInt8]? {
        guard let data = try? file.read(upToCount: count) else { return count == 0 ? [] : nil }
        var bytes = [UInt8](data)
        while bytes.count < count {
            guard let more = try? file.read(upToCount: count - bytes.count), !more.isEmpty else { return nil }
            bytes += more
        }
        return bytes
    }

    func write(to file: FileHandle) {
        let head = [number, bytes.count].flatMap { value in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
        }
        try? file.write(contentsOf: Data(head + bytes))
    }
}

/// The file to which frames are written, one after the other.
private final class Output: Sendable {
    private let turn = Mutex(())
    private let file: FileHandle

    init(_ file: FileHandle) { self.file = file }

    func write(_ frame: Frame) { turn.withLock { _ in frame.write(to: file) } }
}

/// The messages of this process that wait for their answers. Each replica has one at a time.
private final class Exchanges: Sendable {
    private let waiting = Mutex<[Int: CheckedContinuation<[UInt8], Never>]>([:])
    private let output = Output(.standardOutput)

    func answer(_ frame: Frame) {
        waiting.withLock { $0.removeValue(forKey: frame.number) }?.resume(returning: frame.bytes)
    }

    func way(of number: Int) -> some SyncTransport { PipeWay(number: number, exchanges: self) }

    private struct PipeWay: SyncTransport {
        let number: Int
        let exchanges: Exchanges

        func exchange(_ message: [UInt8]) async throws -> [UInt8] {
            await withCheckedContinuation { continuation in
                exchanges.waiting.withLock { $0[number] = continuation }
                exchanges.output.write(Frame(number: number, bytes: message))
            }
        }
    }
}
