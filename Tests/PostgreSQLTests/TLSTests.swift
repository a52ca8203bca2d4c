import Foundation
import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite(
    "TLS to PostgreSQL", .enabled(if: Server.isThere, "no server"),
    .enabled(if: Authority.isPossible, "no openssl; run scripts/setup"))
struct TLSTests {
    /// A password that no error, log or output may have.
    private static let password = "s3cr3t-of-the-test"

    /// A server with TLS, and a folder with its authority and another one.
    private struct Secured {
        let folder: URL
        let port: String
        let address: String

        /// The URL of the server by a name of a host, whatever the system says of that name.
        func url(_ host: String = "localhost", mode: String = "verify-full", authority: String = "authority") -> String
        {
            "postgresql://storage:\(TLSTests.password)@\(host):\(port)/postgres?schema=app&hostaddr=127.0.0.1"
                + "&sslmode=\(mode)&sslrootcert=\(folder.path)/\(authority).crt"
        }

        /// Gives the server a certificate, which new connections get.
        func use(_ certificate: String) async throws {
            try await Authority.give(certificate, of: folder, to: address)
            try await Server.psql("SELECT pg_reload_conf()", at: address)
            let file = try String(contentsOf: folder.appending(path: "\(certificate).pem"), encoding: .utf8)
            // The server's process reads the files, a moment later.
            try await eventually { try await Authority.presented(at: port) == file }
        }
    }

    private static func withServer(_ body: (Secured) async throws -> Void) async throws {
        try await OwnServer.with { own in
            let address = own.addresses[0]
            let folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            try await Authority.make("authority", in: folder)
            try await Authority.make("stranger", in: folder)
            try await Authority.sign("right", for: "localhost", by: "authority", in: folder)
            try await Authority.sign("elsewhere", for: "db.example.com", by: "authority", in: folder)
            try await Authority.sign("expired", for: "localhost", by: "authority", days: -1, in: folder)
            try await Authority.give("right", of: folder, to: address)
            for setting in ["ssl = on", "ssl_cert_file = 'test.crt'", "ssl_key_file = 'test.key'"] {
                try await Server.psql("ALTER SYSTEM SET \(setting)", at: address)
            }
            let port = try await own.ports()[0]
            let secured = Secured(folder: folder, port: port, address: address)
            try await secured.use("right")
            try await body(secured)
        }
    }

    /// The error of opening a store. It names no secret.
    private static func refusal(_ url: String) async -> StorageError? {
        let error = await #expect(throws: StorageError.self) {
            try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self).close()
        }
        let texts = [
            error?.message, error.map { "\($0)" }, error.map { String(reflecting: $0) }, error?.localizedDescription,
        ]
        for text in texts.compactMap(\.self) { expect(!text.contains(password), "\(text)") }
        return error
    }

    /// The error of opening a store as soon as it is refused: the server reads its rules a moment after it is told to.
    private static func eventualRefusal(_ url: String) async throws -> StorageError? {
        var refusal: StorageError?
        try await eventually {
            do throws(StorageError) {
                try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self).close()
            } catch {
                refusal = error
            }
            return refusal != nil
        }
        return refusal
    }

    @Test func `a certificate of the authority for the host is accepted, and nothing is sent in the open`() async throws
    {
        try await Self.withServer { server in
            let store = try await Store(PostgreSQLBackend(url: StorageURL(server.url())), models: Pen.self)
            try await store.insert(Pen(id: 1))
            try await expect(store.find(Pen.self, key: 1) != nil)
            let encrypted =
                "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE client_port > 0"
            try await expect(Server.psql(encrypted, at: server.address), equals: "t")
            expect(!store.info.location.contains(Self.password))
            // An observer's connection is another one.
            var values = store.select(Pen.self).values().makeAsyncIterator()
            try await expect(values.next()?.count, equals: 1)
            try await expect(Server.psql(encrypted, at: server.address), equals: "t")
            try await store.close()
        }
    }

    @Test func `another host, an unknown authority and an expired certificate are refused, each with its cause`()
        async throws
    {
        try await Self.withServer { server in
            let stranger = await Self.refusal(server.url(authority: "stranger"))
            expect(stranger?.code == .configuration && stranger?.message.contains("sslrootcert") == true)
            let absent = await Self.refusal(server.url(authority: "absent"))
            expect(absent?.code == .configuration && absent?.message.contains("sslrootcert") == true)
            expect(absent?.message.contains("cannot be read"), equals: true)

            try await server.use("elsewhere")
            let elsewhere = await Self.refusal(server.url())
            expect(elsewhere?.code == .configuration && elsewhere?.message.contains("another host") == true)
            expect("\(elsewhere?.underlying ?? CancellationError())".contains("db.example.com"))
            // By the name that it has.
            try await Store(PostgreSQLBackend(url: StorageURL(server.url("db.example.com"))), models: Pen.self).close()
            // Who asks for less gets less.
            let url = server.url(mode: "verify-ca")
            try await Store(PostgreSQLBackend(url: StorageURL(url)), models: Pen.self).close()

            try await server.use("expired")
            let expired = await Self.refusal(server.url())
            expect(expired?.code == .configuration && expired?.message.contains("expired") == true)
            for error in [stranger, absent, elsewhere, expired] {
                expect(error?.message.contains("cannot be reached"), equals: false, "\(error?.message ?? "")")
            }
        }
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `an open store whose server gets an expired certificate says so when it connects again`() async throws {
        try await Self.withServer { server in
            let store = try await Store(PostgreSQLBackend(url: StorageURL(server.url())), models: Pen.self)
            try await store.insert(Pen(id: 1))
            try await server.use("expired")
            // Connections that are open stay.
            try await store.insert(Pen(id: 2))
            try await Server.psql(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE client_port > 0",
                at: server.address)
            let error = await #expect(throws: StorageError.self) { try await store.insert(Pen(id: 3)) }
            expect(
                error?.code == .configuration && error?.message.contains("expired") == true,
                "\(String(describing: error))")
            try await server.use("right")
            try await store.insert(Pen(id: 3))
            try await expect(store.select(Pen.self).count(), equals: 3)
            try await store.close()
        }
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `a server without TLS and one that takes nothing else are named as such`() async throws {
        try await Self.withServer { server in
            // The first rule that fits counts.
            try await Server.psql(
                "COPY (SELECT 'hostnossl all all 127.0.0.1/32 reject' UNION ALL SELECT 'hostssl all all 127.0.0.1/32 trust' "
                    + "UNION ALL SELECT 'local all all trust') TO PROGRAM 'cat > pg_hba.conf'", at: server.address)
            try await Server.psql("SELECT pg_reload_conf()", at: server.address)
            let open = try await Self.eventualRefusal(server.url(mode: "disable"))
            expect(
                open?.code == .configuration && open?.message.contains("encrypted") == true, "\(open?.message ?? "")")
            try await OwnServer.with { plain in
                let port = try await plain.ports()[0]
                let none = await Self.refusal(server.url().replacing(":\(server.port)/", with: ":\(port)/"))
                expect(
                    none?.code == .configuration && none?.message.contains("no TLS") == true, "\(none?.message ?? "")")
                // A server without TLS that admits no user over a network: encryption alone would not help.
                try await Server.psql(
                    "COPY (SELECT 'local all all trust') TO PROGRAM 'cat > pg_hba.conf'", at: plain.addresses[0])
                try await Server.psql("SELECT pg_reload_conf()", at: plain.addresses[0])
                let closed = try await Self.eventualRefusal(
                    "postgresql://storage@127.0.0.1:\(port)/postgres?schema=app")
                expect(
                    closed?.code == .configuration && closed?.message.contains("pg_hba.conf") == true,
                    "\(closed?.message ?? "")")
            }
        }
    }

    @Test(.enabled(if: TestExtent.isLarge, "takes long: STORAGE_TESTS=all"))
    func `doctor says what protects the connection, and shows no password`() async throws {
        try await Self.withServer { server in
            try await Store(PostgreSQLBackend(url: StorageURL(server.url())), models: Pen.self).close()
            func tls(_ url: String) async throws -> (all: String, findings: [Doctor.Finding]) {
                let (text, _) = try await Doctor.output(url)
                expect(!text.contains(Self.password))
                return (text, try Doctor.findings(text).filter { ["tls", "connection"].contains($0.check) })
            }
            let full = try await tls(server.url()).findings
            expect(full.count == 1 && full[0].severity == "note" && full[0].message.contains("is verified"))
            let required = try await tls(server.url(mode: "require", authority: "absent")).findings
            expect(required.count == 1 && required[0].message.contains("does not check"))
            expect(required[0].advice?.contains("verify-full"), equals: true)
            try await server.use("expired")
            let expired = try await tls(server.url()).findings
            expect(expired.map(\.check) == ["connection"] && expired[0].severity == "error")
            expect(expired[0].message.contains("expired"))
        }
    }
}

/// An authority of certificates, by the program openssl.
private enum Authority {
    private static let program = Server.program("openssl")
    static let isPossible = FileManager.default.isExecutableFile(atPath: program.path)

    static func make(_ name: String, in folder: URL) async throws {
        try await openssl(
            ["req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2"]
                + ["-keyout", "\(name).key", "-out", "\(name).crt", "-subj", "/CN=\(name)"], in: folder)
    }

    /// Makes a certificate for a host: `name.pem`, with its key in `name.key`.
    ///
    /// - Parameter days: the time from now on for which it is valid; less than 0 of one that has expired.
    static func sign(_ name: String, for host: String, by authority: String, days: Int = 2, in folder: URL) async throws
    {
        let names = folder.appending(path: "\(name).ext")
        try Data("subjectAltName=DNS:\(host)\n".utf8).write(to: names)
        try await openssl(
            ["req", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=\(host)"]
                + ["-keyout", "\(name).key", "-out", "\(name).csr"], in: folder)
        try await openssl(
            [
                "x509", "-req", "-in", "\(name).csr", "-CA", "\(authority).crt", "-CAkey", "\(authority).key",
                "-CAcreateserial",
            ]
                + ["-days", "\(days)", "-extfile", names.path, "-out", "\(name).pem"], in: folder)
    }

    /// Writes a certificate and its key where the server has them. The server must own the files.
    static func give(_ name: String, of folder: URL, to address: String) async throws {
        for (file, target) in [("\(name).pem", "test.crt"), ("\(name).key", "test.key")] {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            try await Server.psql(
                "COPY (SELECT unnest(string_to_array(trim(both E'\\n' from '\(text)'), E'\\n'))) "
                    + "TO PROGRAM 'umask 077; cat > \(target)'", at: address)
        }
    }

    /// The certificate that a server shows.
    static func presented(at port: String) async throws -> String {
        let text = try await openssl(
            ["s_client", "-starttls", "postgres", "-connect", "127.0.0.1:\(port)"], isChecked: false)
        guard let first = text.range(of: "-----BEGIN CERTIFICATE-----"),
            let last = text.range(of: "-----END CERTIFICATE-----\n")
        else { return "" }
        return String(text[first.lowerBound..<last.upperBound])
    }

    @discardableResult
    private static func openssl(
        _ arguments: [String], in folder: URL? = nil, isChecked: Bool = true
    ) async throws -> String {
        let process = Server.process(program, arguments)
        process.currentDirectoryURL = folder
        let result = try await process.result()
        guard result.isSuccess || !isChecked else {
            throw Server.ShellError(text: "\(arguments.joined(separator: " ")): \(result.error)")
        }
        return result.output
    }
}
