import MemoryBackend
import StorageKit
import StorageSync
import TestSupport
import Testing

@Suite struct MessageTests {
    /// A question with a patch, which the hub has not had.
    private func question() async throws -> (devices: Devices, message: [UInt8]) {
        let devices = try await Devices(1)
        let ann = devices.replicas[0]
        try await ann.sync()
        try await ann.store.insert(ShoppingList(id: "l", title: "Week", lines: [ListLine(id: "1", text: "milk")]))
        devices.ways[0].next(.loseQuestion)
        _ = try? await ann.sync()
        return (devices, try #require(devices.ways[0].questions.last))
    }

    @Test func `a message that is cut or changed at any byte is refused, and nothing of it is merged`() async throws {
        let (devices, message) = try await question()
        let token = try await devices.store.historyToken()
        for count in message.indices {
            await #expect(throws: StorageError.self) { try await devices.hub.answer(Array(message[..<count])) }
            var changed = message
            changed[count] ^= 1 << UInt8(count % 8)
            do {
                _ = try await devices.hub.answer(changed)
                Issue.record("A message changed at \(count) is answered.")
            } catch { expect([.corrupt, .schemaNewer].contains(error.code), "\(error)") }
        }
        await #expect(throws: StorageError.self) { try await devices.hub.answer(message + [0]) }
        expect(try await devices.store.historyToken(), equals: token)
        try await devices.settle()
        expect(try await devices.store.select(ShoppingList.self).count(), equals: 1)
    }

    @Test func `a message that is too long is refused unread`() async throws {
        let devices = try await Devices(0)
        do {
            _ = try await devices.hub.answer([UInt8](repeating: 0, count: 32 << 20 + 1))
            Issue.record("It is answered.")
        } catch { expect(error.code, equals: .limitExceeded) }
    }

    @Test func `an answer to another question is not taken`() async throws {
        let (devices, message) = try await question()
        let late = try await devices.hub.answer(message)
        struct Late: SyncTransport {
            let answer: [UInt8]
            func exchange(_: [UInt8]) async throws -> [UInt8] { answer }
        }
        let ann = try await Replica(devices.replicas[0].store, models: sharedTypes, to: Late(answer: late))
        try await ann.store.insert(ShoppingList(id: "m"))
        do {
            try await ann.sync()
            Issue.record("It is taken.")
        } catch { expect(error.code, equals: .corrupt) }
        expect(try await ann.waiting().count, equals: 2)
        try await devices.settle()
    }

    @Test func `thousands of commits cross in a few messages`() async throws {
        let devices = try await Devices(2)
        let ann = devices.replicas[0]
        for number in 0..<1500 { try await ann.store.insert(ShoppingList(id: "\(number)")) }
        let exchange = try await ann.sync()
        expect(exchange.sent, equals: 1500)
        expect(exchange.roundTrips <= 6, "\(exchange.roundTrips)")
        try await devices.settle()
    }
}
