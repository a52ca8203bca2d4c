import Dispatch
import FaultyStorage
import Foundation
import SQLiteBackend
import StorageKit
import StorageSync
import Synchronization
import TestSupport
import Testing

/// Runs the jobs of tasks one after the other, in the order in which they come.
private final class InOrder: TaskExecutor {
    private let queue = DispatchQueue(label: "tests.rounds")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A replica whose messages a test takes and brings to the hub itself.
private struct Device: Sendable {
    let replica: Replica
    let way: FaultyWay
    let user: String?

    init(_ store: Store, at hub: Hub, as user: String? = nil) async throws {
        way = FaultyWay(hub, as: user)
        self.user = user
        replica = try await Replica(store, models: sharedTypes, to: way)
        try await replica.sync()
    }

    /// The message that the replica would send now.
    func message() async throws -> [UInt8] {
        way.next(.loseQuestion)
        await #expect(throws: StorageError.self) { try await replica.sync() }
        return try #require(way.questions.last)
    }
}

/// A way that gives back answers that the hub has given before.
private final class RecordedWay: SyncTransport {
    private let hub: Hub
    private let answers: Mutex<[[UInt8]: [UInt8]]>

    init(_ hub: Hub, _ answers: [[UInt8]: [UInt8]]) {
        self.hub = hub
        self.answers = Mutex(answers)
    }

    /// True if the replica has had all answers.
    var isUsed: Bool { answers.withLock { $0.isEmpty } }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        if let answer = answers.withLock({ $0.removeValue(forKey: message) }) { return answer }
        return try await hub.answer(message)
    }
}

/// A way that brings one question after something has happened, and keeps the next one.
private final class OneQuestionWay: SyncTransport {
    private let hub: Hub
    private let before: Mutex<(@Sendable () async throws -> Void)?>
    private let next = Mutex<[UInt8]>([])

    init(_ hub: Hub, before: @escaping @Sendable () async throws -> Void) {
        self.hub = hub
        self.before = Mutex(before)
    }

    var kept: [UInt8] { next.withLock { $0 } }

    func exchange(_ message: [UInt8]) async throws -> [UInt8] {
        guard let before = before.withLock({ $0.take() }) else {
            next.withLock { $0 = message }
            throw FaultyWay.Lost()
        }
        try await before()
        return try await hub.answer(message)
    }
}

/// A hub that is held until messages wait for one round.
private final class HeldHub: Sendable {
    typealias Answer = Result<[UInt8], StorageError>

    let hub: Hub
    /// Their messages keep the hub busy: the first one is held while it is judged, and the second one waits for its commit.
    private let slow: [Device]
    private let held: AsyncStream<Void>
    private let go = DispatchSemaphore(value: 0)

    init(_ store: Store, _ rules: HubRules = HubRules()) async throws {
        var rules = rules
        let judge = rules.judge
        let (held, holding) = AsyncStream.makeStream(of: Void.self)
        let go = go
        rules.judge = { judgement in
            if judgement.user == "slow 0" {
                holding.yield()
                go.wait()
            }
            try judge?(judgement)
        }
        self.held = held
        hub = try await Hub(store, models: sharedTypes, rules: rules)
        var slow: [Device] = []
        for number in 0..<2 { slow.append(try await Device(sharedStore(), at: hub, as: "slow \(number)")) }
        self.slow = slow
    }

    /// The answers to messages that are answered in one round, in their order.
    ///
    /// - Parameter whileWaiting: runs when all messages wait, before the hub goes on.
    func answers(
        to messages: [[UInt8]], whileWaiting: (InOrder, [Task<Answer, Never>]) async throws -> Void = { _, _ in }
    ) async throws -> [Answer] {
        let executor = InOrder()
        func send(_ message: [UInt8], as user: String? = nil) -> Task<Answer, Never> {
            Task(executorPreference: executor) { [hub] in
                do throws(StorageError) { return .success(try await hub.answer(message, as: user)) } catch {
                    return .failure(error)
                }
            }
        }
        var others: [Task<Answer, Never>] = []
        for device in slow {
            try await device.replica.store.save(Shop(id: device.user ?? "", name: UUID().uuidString))
            others.append(send(try await device.message(), as: device.user))
            if others.count == 1 { for await _ in held { break } }
        }
        let tasks = messages.map { send($0) }
        // The executor runs it after the others, which wait by then.
        await Task(executorPreference: executor) {}.value
        try await whileWaiting(executor, tasks)
        go.signal()
        for task in others { _ = await task.value }
        var answers: [Answer] = []
        for task in tasks { answers.append(await task.value) }
        return answers
    }
}

/// Messages that are answered in one round, which is the same each time.
@Suite final class RoundMessageTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "storage-sync-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }
    private func open(_ name: String) async throws -> Store { try await sharedStore(SQLiteBackend(path: path(name))) }

    private func refusal(_ body: () async throws -> Void) async -> SyncRefusal? {
        do { try await body() } catch { return (error as? StorageError)?.underlying as? SyncRefusal }
        return nil
    }

    /// The order of an early message of a replica, with one patch, and a later one, with that patch and two more.
    @Test(arguments: [[0, 0], [1, 1], [0, 1], [1, 0], [1, 0, 1, 0]], [false, true])
    func `messages of one replica in one round are applied once, and each answer can be taken`(
        order: [Int], isChanged: Bool
    ) async throws {
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let device = try await Device(open("device.db"), at: held.hub)
        let before = try await store.commits(since: nil, limit: 1000).commits.count
        try await device.replica.store.insert(ShoppingList(id: "a", title: "1", lines: [.init(id: "x")]))
        var messages = [try await device.message()]
        try await device.replica.store.save(ShoppingList(id: "a", title: "2", lines: [.init(id: "x"), .init(id: "y")]))
        try await device.replica.store.insert(Shop(id: "s", name: "Corner"))
        messages.append(try await device.message())
        let answers = try await held.answers(to: order.map { messages[$0] }).map { try $0.get() }
        let last = order.contains(1) ? 3 : 1
        // Besides them the two slow replicas have a commit each.
        try await expect(store.commits(since: nil, limit: 1000).commits.count, equals: before + last + 2)
        for (number, answer) in zip(order, answers) where number == 1 {
            // The replica still has the question of the later message.
            let backup = path("\(UUID().uuidString).db")
            try await device.replica.store.backUp(to: backup)
            let copy = try await sharedStore(SQLiteBackend(path: backup))
            let way = RecordedWay(held.hub, [messages[1]: answer])
            let exchange = try await Replica(copy, models: sharedTypes, to: way).sync()
            expect(way.isUsed)
            expect(exchange.outcomes.map(\.result), equals: Array(repeating: .applied([]), count: 3))
            for name in sharedTypes.map({ $0.schema.name }) {
                try await expect(copy.digest(of: name), equals: store.digest(of: name))
            }
            try await copy.close()
        }
        let later = zip(order, answers).filter { $0.0 == 1 }.map(\.1)
        expect(Set(later).count <= 1, "The answers to one question differ.")
        if isChanged { try await device.replica.store.save(ShoppingList(id: "a", title: "3")) }
        try await device.replica.sync()
        try await device.replica.sync()
        try await expect(device.replica.waiting().isEmpty)
        for name in sharedTypes.map({ $0.schema.name }) {
            try await expect(device.replica.store.digest(of: name), equals: store.digest(of: name))
        }
        try await store.close()
    }

    @Test(arguments: [[0, 1], [1, 0]], [1, 2])
    func `of two copies of a replica in one round one is applied, and the other finds that it is one`(
        order: [Int], count: Int
    ) async throws {
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let original = try await Device(open("original.db"), at: held.hub)
        try await original.replica.store.backUp(to: path("copy.db"))
        let copy = try await Device(open("copy.db"), at: held.hub)
        let devices = [original, copy]
        var messages: [[UInt8]] = []
        for (number, device) in devices.enumerated() {
            // The second one has so many patches.
            for patch in 0..<(number == 0 ? 1 : count) {
                try await device.replica.store.insert(ShoppingList(id: "\(number) \(patch)"))
            }
            messages.append(try await device.message())
        }
        let answers = try await held.answers(to: order.map { messages[$0] })
        for (place, number) in order.enumerated() {
            let recorded: [[UInt8]: [UInt8]]
            switch answers[place] {
            case .success(let answer): recorded = [messages[number]: answer]
            case .failure(let error):
                // The copy's second patch does not follow the original's first one.
                expect(error.code == .busy && place == 1 && number == 1 && count == 2, "\(error)")
                recorded = [:]
            }
            let replica = try await Replica(
                devices[number].replica.store, models: sharedTypes, to: RecordedWay(held.hub, recorded))
            let refusal = await refusal { try await replica.sync() }
            expect(refusal, equals: place == 0 ? nil : .identityReused)
            if place == 1 { try await replica.beginAgain() }
        }
        for _ in 0..<2 { for device in devices { try await device.replica.sync() } }
        for device in devices {
            try await expect(device.replica.waiting().isEmpty)
            try await expect(device.replica.store.select(ShoppingList.self).count(), equals: 1 + count)
            try await expect(device.replica.store.digest(of: "ShoppingList"), equals: store.digest(of: "ShoppingList"))
        }
        try await store.close()
    }

    @Test func `a message that confirms less than another one of its round is refused before it is merged`()
        async throws
    {
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let original = try await Device(open("original.db"), at: held.hub).replica.store
        try await original.insert(ShoppingList(id: "a"))
        let way = OneQuestionWay(held.hub) { [path = path("copy.db")] in
            try await original.insert(ShoppingList(id: "b"))
            try await original.backUp(to: path)
        }
        let replica = try await Replica(original, models: sharedTypes, to: way)
        try await replica.sync()
        await #expect(throws: StorageError.self) { try await replica.sync() }
        let copyWay = FaultyWay(held.hub)
        let copy = try await Replica(open("copy.db"), models: sharedTypes, to: copyWay)
        try await copy.store.insert(ShoppingList(id: "c"))
        copyWay.next(.loseQuestion)
        await #expect(throws: StorageError.self) { try await copy.sync() }
        let answers = try await held.answers(to: [way.kept, #require(copyWay.questions.last)])
        expect(try SyncMessage(bytes: answers[0].get()).decisions.map(\.patch), equals: [2])
        expect(try SyncMessage(bytes: answers[1].get()).refusal, equals: .identityReused)
        try await expect(store.select(ShoppingList.self).keys(), equals: ["a", "b"])
        try await copy.beginAgain()
        try await copy.sync()
        try await expect(store.select(ShoppingList.self).keys(), equals: ["a", "b", "c"])
        try await expect(copy.store.digest(of: "ShoppingList"), equals: store.digest(of: "ShoppingList"))
        try await store.close()
    }

    /// More than a round takes with others. It takes seconds where code is not optimised.
    private static let largeSize = TestExtent.isLarge ? 2_200_000 : 100_000

    /// Messages of many replicas, of which one in four has no patch, and the third one can be large.
    private func messages(_ devices: [Device], isOneLarge: Bool = false) async throws -> [[UInt8]] {
        var messages: [[UInt8]] = []
        for (number, device) in devices.enumerated() {
            if number % 4 != 3 {
                let size = isOneLarge && number == 2 ? Self.largeSize : 10
                let title = String(repeating: "t", count: size)
                try await device.replica.store.insert(ShoppingList(id: "\(number)", title: title))
            }
            messages.append(try await device.message())
        }
        return messages
    }

    private func devices(_ count: Int, at hub: Hub) async throws -> [Device] {
        var devices: [Device] = []
        for _ in 0..<count { devices.append(try await Device(sharedStore(), at: hub)) }
        return devices
    }

    @Test func `large messages and cancelled ones do not keep others from their answers`() async throws {
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let devices = try await devices(9, at: held.hub)
        let answers = try await held.answers(to: messages(devices, isOneLarge: true)) { _, tasks in
            for number in [0, 3, 8] { tasks[number].cancel() }
        }
        for (number, answer) in answers.enumerated() {
            switch answer {
            case .success: expect(![0, 3, 8].contains(number))
            case .failure(let error): expect(error.code == .cancelled && [0, 3, 8].contains(number), "\(error)")
            }
        }
        try await expect(store.select(ShoppingList.self).keys(), equals: ["1", "2", "4", "5", "6"])
        for device in devices { try await device.replica.sync() }
        try await expect(store.select(ShoppingList.self).keys(), equals: ["0", "1", "2", "4", "5", "6", "8"])
        try await store.close()
    }

    @Test(arguments: [true, false])
    func `messages whose commit fails say so, and are applied once when it does not`(isFull: Bool) async throws {
        let disk = try #require(FaultyDisk(folder))
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let devices = try await devices(9, at: held.hub)
        let answers = try await held.answers(to: messages(devices)) { _, _ in
            disk.arm(.init(call: 1, isFull: isFull, isForEver: true))
        }
        for (number, answer) in answers.enumerated() {
            switch answer {
            case .success: expect(number % 4 == 3)
            case .failure(let error):
                expect(error.code == (isFull ? .full : .io) && number % 4 != 3, "\(number): \(error)")
            }
        }
        disk.heal()
        // A store whose disk has failed writes nothing more.
        try await store.close()
        let again = try await open("hub.db")
        let hub = try await Hub(again, models: sharedTypes)
        for device in devices {
            device.way.move(to: hub)
            try await device.replica.sync()
        }
        try await expect(again.select(ShoppingList.self).keys(), equals: ["0", "1", "2", "4", "5", "6", "8"])
        try await again.close()
    }

    @Test func `messages that wait while the store is closed to writers say so, and are answered when it is open`()
        async throws
    {
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let devices = try await devices(9, at: held.hub)
        let answers = try await held.answers(to: messages(devices)) { executor, _ in
            // It shares the commit for which the second slow message waits.
            let fence = Task(executorPreference: executor) { try await store.setFence(.init(move: "m")) }
            await Task(executorPreference: executor) {}.value
            _ = fence
        }
        for (number, answer) in answers.enumerated() {
            switch answer {
            case .success: expect(number % 4 == 3)
            case .failure(let error): expect(error.code == .moved && number % 4 != 3, "\(number): \(error)")
            }
        }
        try await expect(store.select(ShoppingList.self).count(), equals: 0)
        try await store.removeFence(of: "m")
        for device in devices { try await device.replica.sync() }
        try await expect(store.select(ShoppingList.self).count(), equals: 7)
        try await store.close()
    }

    @Test func `messages that wait while the store closes end with an error`() async throws {
        let store = try await open("hub.db")
        let held = try await HeldHub(store)
        let devices = try await devices(9, at: held.hub)
        var closing: Task<Void, any Error>?
        let answers = try await held.answers(to: messages(devices)) { _, _ in
            closing = Task { try await store.close() }
            try await eventually {
                do throws(StorageError) { _ = try await store.historyToken() } catch { return error.code == .closed }
                return false
            }
        }
        try await closing?.value
        for case .success in answers { Issue.record("A closed store has answered.") }
        for case .failure(let error) in answers { expect(error.code, equals: .closed) }
        let again = try await open("hub.db")
        let hub = try await Hub(again, models: sharedTypes)
        for device in devices {
            device.way.move(to: hub)
            try await device.replica.sync()
        }
        try await expect(again.select(ShoppingList.self).count(), equals: 7)
        try await again.close()
    }
}
