import MemoryBackend
import StorageKit
import TestSupport
import Testing

@Suite("K2 Keys that the store assigns")
struct StoredKeyTests {
    @Storable struct Project: Equatable {
        var id: Int?
        var title = ""
    }
    @Storable struct Chore {
        var id: Int?
        var project: Ref<Project>
    }

    @Test func `a record that the store has returned has a key and a reference without Optional`() async throws {
        let store = try await Store(InMemoryBackend(), models: Project.self, Chore.self)
        let project = try await store.insert(Project(title: "Garden"))
        let key: Int = try project.storedKey
        expect(key, equals: 1)
        let chore = try await store.insert(Chore(project: project.storedRef))
        try await expect(store.find(chore.project), equals: project)
        let loaded = try #require(try await store.select(Project.self).first())
        try expect(loaded.storedRef, equals: chore.project)
        try await store.close()
    }

    @Test func `a record without a key says so`() async {
        let error = await expectError(.missingKey) { try Project().storedRef }
        expect(error?.model, equals: "Project")
    }

    /// The code of an error is matched where the type of the error is not known.
    @Test func `an error is caught by its code in a closure`() async throws {
        let store = try await Store(InMemoryBackend())
        try await store.insert(Project(id: 7))
        let insert = {
            do {
                try await store.insert(Project(id: 7))
                return "inserted"
            } catch StorageError.code(.missingKey) {
                return "missing"
            } catch StorageError.code(.duplicateKey) {
                return "duplicate"
            } catch {
                return "\(error)"
            }
        }
        await expect(insert(), equals: "duplicate")
        try await store.close()
    }
}
