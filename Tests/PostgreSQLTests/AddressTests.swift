import PostgreSQLBackend
import StorageKit
import Testing

@Suite("Addresses of servers")
struct AddressTests {
    @Test func `a password is in no description and no error`() async throws {
        let url = try StorageURL("postgresql://ada:s%40crt@127.0.0.1:1/people?connect_timeout=1&schema=app")
        #expect(url.description == "postgresql://ada:…@127.0.0.1:1/people")
        let backend = try PostgreSQLBackend(url: url)
        #expect(!"\(backend)".contains("crt") && !String(reflecting: backend).contains("crt"))
        let error = await #expect(throws: StorageError.self) { try await Store(backend) }
        #expect(error?.code == .io)
        #expect(error.map { "\($0)".contains("crt") } == false)
    }

    @Test(arguments: [
        "postgresql://ada:secret@[::1/people",
        "postgresql://ada:secret%zz@host/people",
    ])
    func `an address that libpq cannot read is refused without showing it`(_ text: String) throws {
        let error = #expect(throws: StorageError.self) { try PostgreSQLBackend(url: StorageURL(text)) }
        #expect(error?.code == .configuration)
        #expect(error.map { "\($0)".contains("secret") } == false)
    }

    @Test func `an unknown option is refused with a hint`() throws {
        let error = #expect(throws: StorageError.self) {
            try PostgreSQLBackend(url: StorageURL("postgresql://host/people?shema=app"))
        }
        #expect(error?.code == .configuration)
        #expect(error.map { $0.message.contains("did you mean schema?") } == true)
    }
}
