import Foundation
import MemoryBackend
import StorageAPI
import StorageConformance
import Synchronization
import TestSupport
import Testing

private struct Fault: Error {}

private func hang() { while true { Thread.sleep(forTimeInterval: 3600) } }

private func test(_ id: String) throws -> ConformanceCase {
    try #require(Conformance.v1.cases.first { $0.id == id })
}

private func outcome(
    _ harness: some ConformanceHarness, _ id: String = "write/insert-then-find", deadline: Duration = .seconds(300)
) async throws -> ConformanceOutcome {
    try await test(id).run(harness, ConformanceOptions(deadline: deadline)).outcome
}

/// Returns the outcome of a harness that hangs. A deadline that a busy machine passes before the harness hangs says
/// nothing, so the next one is longer.
private func outcomeOfHanging<T>(
    _ harness: some ConformanceHarness, _ id: String = "write/insert-then-find",
    _ wanted: (ConformanceOutcome) -> T?
) async throws -> T? {
    for deadline in [0.3, 3, 30, 300] {
        if let found = wanted(try await outcome(harness, id, deadline: .seconds(deadline))) { return found }
    }
    return nil
}

extension ConformanceOutcome {
    fileprivate var harnessError: String? { if case .harnessError(let message) = self { message } else { nil } }
    fileprivate var failure: ConformanceFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

@Suite("The runner names what a harness does wrong")
struct HarnessTests {
    @Test func `a harness that does its part passes`() async throws {
        try await expect(outcome(FaultyHarness()).name, equals: "passed")
    }

    @Test func `makePlace that throws is a harness error`() async throws {
        let message = try await outcome(FaultyHarness(making: { throw Fault() })).harnessError
        expect(message?.contains("makePlace() threw"), equals: true)
    }

    @Test func `makePlace that hangs is a harness error after the deadline`() async throws {
        let message = try await outcomeOfHanging(FaultyHarness(making: { hang() })) { $0.harnessError }
        expect(message?.contains("makePlace() has not returned"), equals: true)
    }

    @Test func `backend that throws is a harness error`() async throws {
        let message = try await outcome(FaultyHarness(backend: { _ in throw Fault() })).harnessError
        expect(message?.contains("backend(at:) threw"), equals: true)
    }

    @Test func `a closed backend is a harness error`() async throws {
        let message = try await outcome(FaultyHarness(backend: { FaultyBackend($0, .closed) })).harnessError
        expect(message?.contains("closed"), equals: true)
    }

    @Test func `destroy that throws, or hangs, is a harness error`() async throws {
        let thrown = try await outcome(FaultyHarness(destroying: { throw Fault() })).harnessError
        expect(thrown?.contains("destroy(_:) threw"), equals: true)
        let hanging = FaultyHarness(destroying: { hang() })
        let message = try await outcomeOfHanging(hanging, "keys/zero-and-negative") { outcome in
            outcome.harnessError.flatMap { $0.contains("destroy(_:)") ? $0 : nil }
        }
        expect(message?.contains("destroy(_:) has not returned"), equals: true)
    }

    @Test func `a file that destroy leaves is a harness error that names it`() async throws {
        let message = try await outcome(FaultyHarness(left: ["/tmp/a.lock"])).harnessError
        expect(message?.contains("/tmp/a.lock"), equals: true)
    }

    @Test func `a durable backend without a helper is a harness error of the cases that kill`() async throws {
        let harness = FaultyHarness(backend: { FaultyBackend($0, .claims) })
        let message = try await outcome(harness, "durability/killed-after-commits").harnessError
        expect(message?.contains("helper(at:)"), equals: true)
    }
}

@Suite("The runner names what a backend does wrong")
struct OutcomeTests {
    @Test func `a backend that hangs fails the case after the deadline, with its last operation`() async throws {
        let harness = FaultyHarness(backend: { FaultyBackend($0, .hangs) })
        let failure = try await outcomeOfHanging(harness) { outcome in
            outcome.failure.flatMap { $0.operations.isEmpty ? nil : $0 }
        }
        expect(failure?.message.contains("has not ended"), equals: true)
        expect(failure?.operations.last?.contains("Store(backend"), equals: true)
    }

    @Test func `others run beside cases that hang`() async throws {
        let cases = Conformance.v1.cases.filter { $0.id.hasPrefix("write/") }
        let hanging = 4
        let begun = Mutex(0)
        let othersDone = DispatchSemaphore(value: 0)
        // The first opening is the report's. The four cases after it hang until all others are done, which they could not be
        // if they waited for the four.
        let harness = FaultyHarness(backend: { place in
            let isHanging = begun.withLock { begun in
                begun += 1
                return (2...hanging + 1).contains(begun)
            }
            if isHanging { othersDone.wait() }
            return InMemoryBackend(place)
        })
        let options = ConformanceOptions(parallelism: 8)
        let report = await ConformanceRun(harness, cases: cases, options: options).results(progress: { _, done in
            if done == cases.count - hanging { for _ in 0..<hanging { othersDone.signal() } }
        })
        expect(report.results.count, equals: cases.count)
        expect(report.results.allSatisfy { $0.outcome.name == "passed" })
    }

    @Test func `a failure has the difference, the snippet and the place`() async throws {
        let failure = try await outcome(FaultyHarness(backend: { FaultyBackend($0, .forgets) })).failure
        let found = try #require(failure)
        expect(found.operations.contains { $0.hasPrefix("try await store.insert(Person(id: 7") })
        expect(found.snippet.contains("@Storable struct Person {"))
        expect(found.snippet.first, equals: "import Foundation")
        expect(!found.location.isEmpty)
    }

    @Test func `a capability that is lacking without a reason fails`() async throws {
        let harness = FaultyHarness(backend: { FaultyBackend($0, .noReasons) })
        try await expect(
            outcome(harness, "durability/killed-after-commits").failure?.message.contains("reason"), equals: true)
        try await expect(outcome(harness, "capabilities/declared").failure?.message.contains("reason"), equals: true)
    }

    @Test func `a capability that is claimed and not there fails`() async throws {
        let harness = FaultyHarness(backend: { FaultyBackend($0, .claims) })
        try await expect(outcome(harness, "sharing/second-store").failure != nil)
    }

    @Test func `a lacking capability is refused as declared, with its reason`() async throws {
        guard
            case .refusedAsDeclared(let capability, let reason) = try await outcome(
                FaultyHarness(), "sharing/second-store")
        else {
            Issue.record("It was not refused.")
            return
        }
        expect(capability, equals: .sharing)
        expect(reason, equals: "Memory belongs to one process.")
    }

    @Test func `a read-only backend is asked to refuse`() async throws {
        let harness = FaultyHarness(backend: { FaultyBackend($0, .readOnly) })
        try await expect(outcome(harness, "capabilities/writing").name, equals: "refused as declared")
    }

    @Test func `a known failure is accepted while it fails, and fails when it passes`() async throws {
        let known = KnownFailure("write/insert-then-find", reason: "It forgets.", link: "https://example.com/1")
        let failing = FaultyHarness(backend: { FaultyBackend($0, .forgets) }, knownFailures: [known])
        try await expect(outcome(failing).name, equals: "known failure")
        let passing = try await outcome(FaultyHarness(knownFailures: [known]))
        expect(passing.failure?.message.contains("take it off the list"), equals: true)
    }
}
