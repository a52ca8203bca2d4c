import SQLiteBackend
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("Passwords in addresses")
struct PasswordTests {
    /// Returns the shown form of an address: its description, or the error of one that is refused.
    private func shown(_ address: String) throws -> String {
        do {
            let url = try StorageURL(address)
            _ = try SQLiteBackend(url: url)
            return url.description
        } catch {
            expect(error.code, equals: .configuration)
            return "\(error)"
        }
    }

    @Test(arguments: [
        ("postgresql://app:secret@host/db?schema=a", "postgresql://app:…@host/db"),
        ("postgres://app:se@cr/et@host:5432/db", "postgres://app:…@host:5432/db"),
        ("postgresql:app:secret@host/db", "postgresql:app:…@host/db"),
        ("postgresql://host:5432/db", "postgresql://host:5432/db"),
        ("postgresql:app@host/db", "postgresql:app@host/db"),
        ("app:secret@host/db", "app:…@host/db"),
        ("sqlite:/home/a@b/people.db", "sqlite:/home/a@b/people.db"),
    ])
    func `a description hides the password and nothing else`(_ address: String, _ shown: String) throws {
        try expect(StorageURL(address).description, equals: shown)
    }

    @Test func `postgres is another name of the scheme postgresql`() throws {
        try expect(StorageURL("postgres://host/db").scheme, equals: "postgresql")
    }

    @Test func `a password that was typed without its escapes is shown by no description and no error`() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<TestExtent.count(2500) {
            let password = TypedPassword(&random, or: ["\u{0}"])
            for address in [
                "postgresql://app:\(password)@host/db", "postgres://app:\(password)@host:5432/db?schema=a",
                "postgresql:app:\(password)@host/db", "app:\(password)@host/db", "host=h password=\(password) dbname=d",
                "postgresql://host/db?password=\(password)",
                "postgresql://host/db?schema=a&sslpassword=\(password)&x=y",
            ] {
                let text = try shown(address)
                expect(!TypedPassword.isShown(in: text), "\(address.debugDescription) is shown as \(text)")
            }
        }
    }
}
