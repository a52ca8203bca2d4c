import Foundation
import Logging
import MemoryBackend
import StorageAPI
import StorageConformance
import StorageDriver
import Synchronization

/// A harness around the in-memory backend whose parts a test replaces.
struct FaultyHarness: ConformanceHarness {
    var making: @Sendable () async throws -> Void = {}
    var backend: @Sendable (InMemoryBackend.Place) throws -> any StorageBackend = { InMemoryBackend($0) }
    var destroying: @Sendable () async throws -> Void = {}
    var left: [String] = []
    var knownFailures: [KnownFailure] = []

    func makePlace() async throws -> InMemoryBackend.Place {
        try await making()
        return InMemoryBackend.Place()
    }

    func backend(at place: InMemoryBackend.Place) throws -> any StorageBackend { try backend(place) }
    func destroy(_ place: InMemoryBackend.Place) async throws { try await destroying() }
    func leftovers(of place: InMemoryBackend.Place) -> [String] { left }
    func outlivesClosing(_ info: BackendInfo) -> Bool { true }
}

/// The in-memory backend with a fault.
struct FaultyBackend: StorageBackend {
    enum Fault: Sendable {
        /// Every engine is closed from the beginning.
        case closed
        /// A reader never comes.
        case hangs
        /// Writes are forgotten.
        case forgets
        /// A harness that gives no reason for what it lacks.
        case noReasons
        /// Everything is claimed.
        case claims
        /// Nothing is ever written.
        case readOnly
    }

    static let scheme = "faulty"
    let place: InMemoryBackend.Place
    let fault: Fault

    init(_ place: InMemoryBackend.Place, _ fault: Fault) {
        self.place = place
        self.fault = fault
    }

    init(url: StorageURL) throws(StorageError) { throw StorageError(.configuration, "It has no URL.") }

    func open(logger: Logger) throws(StorageError) -> any StorageEngine {
        if fault == .closed { throw StorageError(.closed, "It was closed before.") }
        return Engine(try InMemoryBackend(place).open(logger: logger), fault)
    }

    private final class Engine: StorageEngine {
        private let engine: any StorageEngine
        private let fault: Fault

        init(_ engine: any StorageEngine, _ fault: Fault) {
            self.engine = engine
            self.fault = fault
        }

        var info: BackendInfo {
            var info = engine.info
            switch fault {
            case .noReasons: info.lacking = info.lacking.mapValues { _ in "" }
            case .claims: info.lacking = [:]
            case .readOnly: info.lacking[.writing] = "It was opened for reading."
            case .closed, .hangs, .forgets: break
            }
            return info
        }

        func reader(_ scope: ReadScope) throws(StorageError) -> any StorageReader {
            if fault == .hangs { while true { Thread.sleep(forTimeInterval: 3600) } }
            return try engine.reader(scope)
        }

        func write(_ body: (any StorageWriter) throws(StorageError) -> Void) throws(StorageError) {
            guard fault == .forgets else { return try engine.write(body) }
            // Undone by an error of its own, which is not reported.
            var isForgotten = false
            do {
                try engine.write { (writer) throws(StorageError) in
                    let before = try writer.tables().count
                    try body(writer)
                    isForgotten = try writer.tables().count == before
                    if isForgotten { throw StorageError(.cancelled, "It forgets this.") }
                }
            } catch {
                if !isForgotten { throw error }
            }
        }

        func close() throws(StorageError) { try engine.close() }
    }
}
