internal import Foundation
package import StorageConformance
import Synchronization

/// The way to a PostgreSQL server on this machine. What a client sends at a time is a call; one that fails does not arrive,
/// and its connection is lost, or stays open and silent.
package final class FaultyServer: FaultInjection {
    private let relay: LoopbackRelay
    private let counted: Counted
    private let address: String
    private let schema: String

    private final class Counted: Sendable {
        private struct State {
            var fault: InjectedFault?
            var calls = 0
        }

        private let state = Mutex(State())

        func begin(_ fault: InjectedFault?) { state.withLock { $0 = State(fault: fault) } }

        var calls: Int { state.withLock { $0.calls } }

        /// Counts a call; nil if nothing of it fails.
        func failure() -> InjectedFault? {
            state.withLock { state in
                state.calls += 1
                guard let fault = state.fault else { return nil }
                let fails = fault.isLasting ? state.calls >= fault.call : state.calls == fault.call
                return fails ? fault : nil
            }
        }

        func connection() -> LoopbackRelay.Connection {
            let met = Mutex<InjectedFault?>(nil)
            return LoopbackRelay.Connection { bytes in
                if let fault = met.withLock({ $0 }), fault.isSilent { return fault.isAnswer ? .all : .nothing }
                guard let fault = self.failure() else { return .all }
                met.withLock { $0 = fault }
                if fault.isAnswer { return fault.isSilent ? .all : .cut(behind: bytes.count) }
                return fault.isSilent ? .nothing : .cut(behind: 0)
            } answer: { _ in
                guard let fault = met.withLock({ $0 }) else { return .all }
                guard fault.isSilent else { return .cut(behind: 0) }
                return fault.isAnswer ? .nothing : .all
            }
        }
    }

    package let lacking: [InjectedFault.Kind: String] = [
        .fullDisk: "The disk is that of a server which runs by itself.",
        .powerCut: "What is durable is a promise of the server, whose power the harness does not cut.",
        .relaxedPowerCut: "What may be lost is a promise of the server, whose power the harness does not cut.",
    ]

    /// Nil where there is no port left.
    ///
    /// - Parameters:
    ///   - server: the path of the server's socket.
    ///   - address: the URL of the server's database.
    ///   - schema: where the store is.
    package init?(to server: String, address: String, schema: String) {
        let counted = Counted()
        guard let relay = LoopbackRelay(to: server, connection: { counted.connection() }) else { return nil }
        self.relay = relay
        self.counted = counted
        self.address = address
        self.schema = schema
    }

    /// The port of the server to which the faults belong, on the loopback interface.
    package var port: UInt16 { relay.port }

    /// Takes no connection any more.
    package func stop() { relay.stop() }

    package func begin(_ fault: InjectedFault?) { counted.begin(fault) }

    package var calls: Int { counted.calls }

    package func cutPower(keeping kept: UnsyncedBytes) {}

    package func makeNewer() throws -> @Sendable () throws -> [UInt8] {
        let (address, schema) = (address, schema)
        _ = try NewerFormat.psql("UPDATE \"\(schema)\".storage_info SET value = '99' WHERE key = 'format'", at: address)
        return { try NewerFormat.psql("SELECT schema_to_xml('\(schema)', true, false, '')", at: address) }
    }
}
