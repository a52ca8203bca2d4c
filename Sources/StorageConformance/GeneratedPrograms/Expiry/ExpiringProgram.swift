internal import Foundation
internal import StorageAPI

/// Calls at random on records that expire, with what refers to them: a pass expires, a gate goes with its only pass, and a
/// fence with its gate. Each commit is undone and done again now and then, and time goes on between any two calls.
struct ExpiringProgram {
    private let t: Trial
    private let clock = TrialClock()
    private var generator: SeededGenerator

    init(_ t: Trial, seed: UInt64) {
        self.t = t
        generator = SeededGenerator(seed: seed)
    }

    mutating func run(steps: Int) async throws {
        let backend = try await t.place.backend()
        let clock = clock
        let store = try await Store(
            backend, models: [],
            options: .init(history: .init(records: [Pass.self, Gate.self, Fence.self]), clock: { clock.now }))
        var world = try await ExpiringWorld(store)
        // The place may have what an earlier program has left.
        world.removeExpired(at: clock.now)
        for _ in 0..<steps {
            if generator.chance(40) { clock.advance(by: Double(generator.below(8))) }
            let call = ExpiringCall.random(&generator, clock.now)
            t.note("\(call), at \(clock.now.timeIntervalSinceReferenceDate)")
            var next = world
            next.removeExpired(at: clock.now)
            let before = next
            let isRight = next.make(call)
            let failure = await call.failure(on: store)
            try t.expect(
                failure.map { $0.code == .constraint && !isRight } ?? isRight,
                failure.map { "The call failed: \($0)" } ?? "The call was to be refused.")
            // What a refused call has removed comes back with it, and is not there for reads either way.
            if isRight { world = next }
            try await expect(world, store)
            if isRight, before != next, generator.chance(50) { try await undo(before, next, in: store) }
        }
        try await expectOwnCommits(store)
        for gate in world.gates.keys { try await store.delete(Gate.self, key: gate) }
        try await store.close()
    }

    private func expect(_ world: ExpiringWorld, _ store: Store) async throws {
        var there = world
        there.hideExpired(at: clock.now)
        let (expected, found) = (there.text, try await ExpiringWorld(store).text)
        try t.expect(found, equals: expected)
    }

    /// Undoes the last commit, and that too.
    private mutating func undo(_ before: ExpiringWorld, _ after: ExpiringWorld, in store: Store) async throws {
        let last = try await store.historyToken().commit
        t.note("undo(\(last)), and the undoing")
        let undoing = try await store.undo(last)
        try await expect(before, store)
        _ = try await store.undo(undoing)
        try await expect(after, store)
    }

    /// Nothing that expires is in another's commit.
    private func expectOwnCommits(_ store: Store) async throws {
        var authors: [Int: Set<String?>] = [:]
        for try await entry in store.history() { authors[entry.commit, default: []].insert(entry.author) }
        for (commit, names) in authors { try t.expect(names.count == 1, "Commit \(commit) has several authors.") }
    }
}

/// One call of a program.
private enum ExpiringCall: CustomStringConvertible {
    case pass(Pass)
    case gate(Gate)
    case fence(Fence)
    case deletePass(Int), deleteGate(Int), deleteFence(Int)

    static func random(_ generator: inout SeededGenerator, _ now: Date) -> ExpiringCall {
        func key() -> Int { 1 + generator.below(4) }
        func some<M>(_: M.Type, _ percent: Int) -> Ref<M>? where M: Storable, M.Key == Int {
            generator.chance(percent) ? Ref(key: key()) : nil
        }
        switch generator.below(9) {
        case 0...2:
            let until = generator.chance(70) ? now.addingTimeInterval(Double(1 + generator.below(20))) : nil
            return .pass(Pass(id: key(), until: until, gate: some(Gate.self, 30)))
        case 3, 4:
            let seen = (0..<generator.below(3)).map { _ in Ref<Pass>(key: key()) }
            return .gate(Gate(id: key(), last: some(Pass.self, 40), only: some(Pass.self, 50), seen: seen))
        case 5: return .fence(Fence(id: key(), gate: Ref(key: key()), beside: some(Gate.self, 40)))
        case 6: return .deletePass(key())
        case 7: return .deleteGate(key())
        default: return .deleteFence(key())
        }
    }

    /// Makes the call and returns its error; nil without one.
    func failure(on store: Store) async -> StorageError? {
        do {
            switch self {
            case .pass(let pass): try await store.save(pass)
            case .gate(let gate): try await store.save(gate)
            case .fence(let fence): try await store.save(fence)
            case .deletePass(let key): try await store.delete(Pass.self, key: key)
            case .deleteGate(let key): try await store.delete(Gate.self, key: key)
            case .deleteFence(let key): try await store.delete(Fence.self, key: key)
            }
            return nil
        } catch {
            return error
        }
    }

    var description: String {
        switch self {
        case .pass(let pass): "save(\(pass.text))"
        case .gate(let gate): "save(\(gate.text))"
        case .fence(let fence): "save(\(fence.text))"
        case .deletePass(let key): "delete(Pass.self, key: \(key))"
        case .deleteGate(let key): "delete(Gate.self, key: \(key))"
        case .deleteFence(let key): "delete(Fence.self, key: \(key))"
        }
    }
}

/// The records, and what the rules say of them in plain Swift.
private struct ExpiringWorld: Equatable {
    var passes: [Int: Pass] = [:]
    var gates: [Int: Gate] = [:]
    var fences: [Int: Fence] = [:]

    init(_ store: Store) async throws {
        for pass in try await store.select(Pass.self).all() { passes[pass.id] = pass }
        for gate in try await store.select(Gate.self).all() { gates[gate.id] = gate }
        for fence in try await store.select(Fence.self).all() { fences[fence.id] = fence }
    }

    static func == (left: Self, right: Self) -> Bool { left.text == right.text }

    var text: String {
        (passes.values.map(\.text) + gates.values.map(\.text) + fences.values.map(\.text)).sorted()
            .joined(separator: "\n")
    }

    private func expired(at now: Date) -> Set<Int> {
        Set(passes.values.filter { $0.until.map { $0 <= now } ?? false }.map(\.id))
    }

    mutating func removeExpired(at now: Date) { remove(passes: expired(at: now), gates: []) }

    /// Before they are removed, only the passes themselves are not there.
    mutating func hideExpired(at now: Date) { for pass in expired(at: now) { passes[pass] = nil } }

    private mutating func remove(passes gone: Set<Int>, gates given: Set<Int>) {
        let goneGates = given.union(gates.values.filter { $0.only.map { gone.contains($0.key) } ?? false }.map(\.id))
        passes = passes.filter { !gone.contains($0.key) }
        gates = gates.filter { !goneGates.contains($0.key) }
        fences = fences.filter { !goneGates.contains($0.value.gate.key) }
        for id in passes.keys where passes[id]?.gate.map({ goneGates.contains($0.key) }) ?? false {
            passes[id]?.gate = nil
        }
        for id in gates.keys {
            if gates[id]?.last.map({ gone.contains($0.key) }) ?? false { gates[id]?.last = nil }
            gates[id]?.seen.removeAll { gone.contains($0.key) }
        }
        for id in fences.keys where fences[id]?.beside.map({ goneGates.contains($0.key) }) ?? false {
            fences[id]?.beside = nil
        }
    }

    /// - Returns: whether the call is right; else nothing is changed.
    mutating func make(_ call: ExpiringCall) -> Bool {
        var world = self
        switch call {
        case .pass(let pass): world.passes[pass.id] = pass
        case .gate(let gate): world.gates[gate.id] = gate
        case .fence(let fence): world.fences[fence.id] = fence
        case .deletePass(let key): world.remove(passes: [key], gates: [])
        case .deleteGate(let key): world.remove(passes: [], gates: [key])
        case .deleteFence(let key): world.fences[key] = nil
        }
        guard world.isSound else { return false }
        self = world
        return true
    }

    private var isSound: Bool {
        passes.values.allSatisfy { $0.gate.map { gates[$0.key] != nil } ?? true }
            && gates.values.allSatisfy { gate in
                ([gate.last, gate.only].compactMap(\.self) + gate.seen).allSatisfy { passes[$0.key] != nil }
            }
            && fences.values.allSatisfy { fence in
                ([fence.gate] + [fence.beside].compactMap(\.self)).allSatisfy { gates[$0.key] != nil }
            }
    }
}

extension Pass {
    fileprivate var text: String {
        "Pass \(id) \(until?.timeIntervalSinceReferenceDate ?? 0) \(gate.map { "\($0.key)" } ?? "nil")"
    }
}

extension Gate {
    fileprivate var text: String {
        let keys = [last, only].map { $0.map { "\($0.key)" } ?? "nil" } + seen.map { "\($0.key)" }
        return "Gate \(id) " + keys.joined(separator: " ")
    }
}

extension Fence {
    fileprivate var text: String { "Fence \(id) \(gate.key) \(beside.map { "\($0.key)" } ?? "nil")" }
}
