import Foundation
import PostgreSQLBackend
import StorageKit
import Synchronization
import TestSupport
import Testing

/// A server that takes connections and refuses each by one error, or stays silent.
private final class RefusingServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let isSilent: Bool
    private let count = Mutex(0)

    /// The number of connections that clients have begun.
    var connections: Int { count.withLock { $0 } }

    /// - Parameter refusal: the code and the message; nil for a server that is silent.
    init(_ refusal: (code: String, message: String)?) throws {
        isSilent = refusal == nil
        #if canImport(Glibc)
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        listener = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        port = UInt16(bigEndian: address.sin_port)
        guard isListening else { throw POSIXError(.EADDRNOTAVAIL) }
        guard let refusal else { return }
        let answer = Self.error(refusal.code, refusal.message)
        Thread { [self] in
            while true {
                let client = accept(descriptor, nil, nil)
                // Only the thread that accepts closes the listener: another server may get its number as soon as it is closed.
                guard client >= 0 else {
                    close(descriptor)
                    return
                }
                count.withLock { $0 += 1 }
                // The first message, whose length is its beginning, comes as a whole.
                var bytes = [UInt8](repeating: 0, count: 4096)
                if read(client, &bytes, bytes.count) > 0 {
                    _ = answer.withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
                }
                shutdown(client, Int32(SHUT_WR))
                while read(client, &bytes, bytes.count) > 0 {}
                close(client)
            }
        }.start()
    }

    private static func error(_ code: String, _ message: String) -> Data {
        var fields = Data()
        for (name, text) in [
            ("S", "FATAL"), ("V", "FATAL"), ("C", code), ("M", message), ("F", "auth.c"), ("L", "1"), ("R", "refuse"),
        ] {
            fields += Data("\(name)\(text)\0".utf8)
        }
        fields.append(0)
        return Data("E".utf8) + withUnsafeBytes(of: UInt32(fields.count + 4).bigEndian) { Data($0) } + fields
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        if isSilent { close(listener) }
    }
}

@Suite("Connections that PostgreSQL refuses")
struct RefusalTests {
    private static func refusal(_ url: String) async throws -> StorageError? {
        let backend = try PostgreSQLBackend(url: StorageURL(url))
        return await #expect(throws: StorageError.self) { _ = try await Store(backend, models: Pen.self) }
    }

    private static let refusals: [(String, String, StorageError.Code)] = [
        ("28P01", "Passwort-Authentifizierung für Benutzer »app« fehlgeschlagen", .configuration),
        ("28000", "kein pg_hba.conf-Eintrag für Host »127.0.0.1«, keine Verschlüsselung", .configuration),
        ("3D000", "Datenbank »people« existiert nicht", .configuration),
        ("42501", "keine Berechtigung für Datenbank »people«", .configuration),
        ("53300", "tut mir leid, schon zu viele Verbindungen", .busy),
        ("53300", "too many connections for role \"app\"", .busy),
        ("53300", "too many connections for database \"people\"", .busy),
        // PgBouncer has one code for all reasons.
        ("08P01", "no more connections allowed (max_client_conn)", .busy),
        ("08P01", "no such user: app", .configuration),
        ("08P01", "pgbouncer cannot connect to server", .io),
        ("57P03", "das Datenbanksystem startet: role, password, invalid", .io),
        ("XX000", "der Server kennt \":  28P01: \" nicht", .io),
    ]

    @Test(arguments: refusals)
    func `a refused connection is known by its code, whatever language the server speaks`(
        _ code: String, _ message: String, _ expected: StorageError.Code
    ) async throws {
        let server = try RefusingServer((code, message))
        defer { server.stop() }
        for hosts in [[server.port], [server.port, server.port]] {
            let several = hosts.count > 1 ? "&target_session_attrs=primary" : ""
            let ports = hosts.map { "127.0.0.1:\($0)" }.joined(separator: ",")
            let before = server.connections
            // The store does not wait for errors that are not part of a failover.
            let patience = expected == .io ? "&timeout=1" : "&failover=600000"
            let error = try await Self.refusal(
                "postgresql://app@\(ports)/people?sslmode=disable&gssencmode=disable\(patience)\(several)")
            let cause = error?.underlying as? PostgreSQLError
            expect(error?.code == expected && cause?.state == code)
            expect(cause?.message.hasSuffix("FATAL:  \(message)"), equals: true, "\(cause?.message ?? "")")
            if expected != .io { expect(server.connections - before < 5) }
        }
    }

    @Test(.enabled(if: Server.isThere, "no server"))
    func `a user without a connection left is busy`() async throws {
        try await Server.withRole("CONNECTION LIMIT 0") { role in
            let url = "postgresql://\(role)@/postgres?host=\(try Server.folder())&port=\(try Server.port())"
            let error = try await Self.refusal(url)
            expect(
                error?.code == .busy && error?.message.contains("CONNECTION LIMIT") == true,
                "\(String(describing: error))")
        }
    }

    @Test(.enabled(if: Server.isThere, "no server"))
    func `an address that is silent is left for the next one`() async throws {
        let silent = try RefusingServer(nil)
        defer { silent.stop() }
        let proxy = try CuttingProxy(to: Server.socket())
        defer { proxy.stop() }
        try await Server.withSchema { schema in
            let url =
                "postgresql://storage@127.0.0.1:\(silent.port),127.0.0.1:\(proxy.port)/postgres?sslmode=disable&gssencmode=disable"
                + "&connect_timeout=2&schema=\(schema)"
            let store = try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self)
            try await expect(store.select(Pen.self).count(), equals: 0)
            try await store.close()
        }
        let error = try await Self.refusal(
            "postgresql://app@127.0.0.1:\(silent.port)/people?sslmode=disable&gssencmode=disable&connect_timeout=2")
        expect(error?.code, equals: .io)
        let message = (error?.underlying as? PostgreSQLError)?.message
        expect(message?.hasSuffix("failed: the server does not answer in time") == true)
    }
}
