import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite("Addresses of servers")
struct AddressTests {
    @Test func `a password is in no description and no error`() async throws {
        let url = try StorageURL("postgresql://ada:s%40crt@127.0.0.1:1/people?connect_timeout=1&schema=app")
        expect(url.description, equals: "postgresql://ada:…@127.0.0.1:1/people")
        let backend = try PostgreSQLBackend(url: url)
        expect(!"\(backend)".contains("crt") && !String(reflecting: backend).contains("crt"))
        let error = await #expect(throws: StorageError.self) { try await Store(backend) }
        expect(error?.code, equals: .io)
        expect(error.map { "\($0)".contains("crt") }, equals: false)
    }

    @Test(arguments: [
        (
            "postgresql://ada:s%40crt@db.example.com:5433/people",
            "postgresql://ada@db.example.com:5433/people?schema=public"
        ),
        ("postgres://ada:s@db.example.com/people?user=eve", "postgresql://eve@db.example.com/people?schema=public"),
        ("host=/run/postgresql password=s dbname=people", "postgresql:///people?host=/run/postgresql&schema=public"),
        ("host=db.example.com user=ada password='s s'", "postgresql://ada@db.example.com/?schema=public"),
    ])
    func `a location names user, host, port and database alone`(_ address: String, _ location: String) throws {
        let backend =
            try address.hasPrefix("host") ? PostgreSQLBackend(address) : PostgreSQLBackend(url: StorageURL(address))
        expect("\(backend)".contains("location: \"\(location)\""))
    }

    @Test(arguments: [
        "postgresql://ada:secret@[::1/people",
        "postgresql://ada:secret%zz@host/people",
        "postgresql://ada:p@secret@host/people",
        "postgresql://ada:p/secret@host/people",
        "postgresql://ada:1/secret@host/people",
        "postgresql://ada:p?secret@host/people",
        "postgres://ada:secret:p/@host/people",
    ])
    func `an address that libpq cannot read is refused without showing it`(_ text: String) throws {
        let error = #expect(throws: StorageError.self) { try PostgreSQLBackend(url: StorageURL(text)) }
        expect(error?.code, equals: .configuration)
        expect(error.map { "\($0)".contains("secret") }, equals: false)
    }

    @Test func `an option in an address that is libpq's alone is refused with the place where it belongs`() {
        let error = #expect(throws: StorageError.self) {
            try PostgreSQLBackend("postgresql://db.example.com/people?timeout=3000")
        }
        expect(error?.code, equals: .configuration)
        expect(error?.message.contains("PostgreSQLBackend(url:)"), equals: true)
    }

    /// Returns the shown form of an address: the backend's description, the error of a refused address, or the error of a
    /// connection that no server accepts.
    private func shown(_ address: String, isOpened: Bool) -> String {
        do {
            let backend =
                address.hasPrefix("host=")
                ? try PostgreSQLBackend(address) : try PostgreSQLBackend(url: StorageURL(address))
            guard isOpened else { return "\(backend) \(String(reflecting: backend))" }
            return "\(try Store.Blocking.open(backend, models: [any Storable.Type](), options: .init()).info)"
        } catch {
            return "\(error) \(String(reflecting: error)) \(error.underlying.map { "\($0)" } ?? "")"
        }
    }

    @Test func `a password that was typed without its escapes is in no description and no error of libpq`() {
        var random = SeededGenerator(seed: 1)
        for number in 0..<TestExtent.count(500) {
            let password = TypedPassword(&random)
            for address in [
                "postgresql://app:\(password)@127.0.0.1:1/db?connect_timeout=1",
                "postgres://app:\(password)@127.0.0.1:1/db?schema=a&connect_timeout=1",
                "postgresql:app:\(password)@127.0.0.1/db", "host=127.0.0.1 port=1 password=\(password) dbname=d",
                "host=127.0.0.1 port=1 password='\(password)' dbname=d",
                "postgresql://127.0.0.1:1/db?password=\(password)&connect_timeout=1",
            ] {
                let text = shown(address, isOpened: number % 40 == 0)
                expect(!TypedPassword.isShown(in: text), "\(address.debugDescription) is shown as \(text)")
            }
        }
    }

    @Test func `an unknown option is refused with a hint`() throws {
        let error = #expect(throws: StorageError.self) {
            try PostgreSQLBackend(url: StorageURL("postgresql://host/people?shema=app"))
        }
        expect(error?.code, equals: .configuration)
        expect(error.map { $0.message.contains("did you mean schema?") }, equals: true)
    }

    @Test(arguments: [
        "listen=", "listen=host:port", "listen=ada:secret@host", "replicas=db2,,db3", "replicas=[::1]:99999",
        "replicas=:5432",
        "staleness=-1", "staleness=1s", "failover=60s", "pooler=statement", "statements=some",
    ])
    func `options of poolers, replicas and failovers are refused where they name nothing`(_ option: String) throws {
        let error = #expect(throws: StorageError.self) {
            try PostgreSQLBackend(url: StorageURL("postgresql://host/people?\(option)"))
        }
        expect(error?.code, equals: .configuration)
    }

    @Test(arguments: [
        "listen=db.example.com:5432", "listen=/run/postgresql:5433", "replicas=db2,db3:5433,[::1],[::1]:5434",
        "staleness=1000",
        "failover=60000", "pooler=session", "statements=named",
    ])
    func `options of poolers, replicas and failovers`(_ option: String) throws {
        _ = try PostgreSQLBackend(url: StorageURL("postgresql://host/people?\(option)"))
    }
}
