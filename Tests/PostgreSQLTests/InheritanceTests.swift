import PostgreSQLBackend
import StorageKit
import TestSupport
import Testing

@Suite(
    "PostgreSQL tables that others inherit from",
    .enabled(if: Server.isThere, "no server: run it by scripts/with-postgresql"))
struct InheritanceTests {
    @Storable("animal") struct Animal: Equatable {
        var id: Int?
        var name: String
    }

    @Storable("dog") struct Dog: Equatable {
        var id: Int
        var name: String
        var breed: String?
    }

    private static let animals = """
        CREATE TABLE animal (id integer PRIMARY KEY, name text NOT NULL); INSERT INTO animal VALUES (2, 'cat');
        CREATE TABLE dog (breed text, PRIMARY KEY (id)) INHERITS (animal);
        INSERT INTO dog VALUES (1, 'Rex', 'setter'), (2, 'Fido', NULL), (9, 'Bello', NULL)
        """

    @Test func `each table has its own records, whoever reads, counts, writes or deletes them`() async throws {
        try await Server.withForeignSchema(Self.animals) { schema in
            let store = try await Store(Server.backend(schema), models: Animal.self, Dog.self)
            let dogs = try await store.select(Dog.self).all()
            expect(dogs.map(\.id), equals: [1, 2, 9])
            try await expect(store.select(Animal.self).all(), equals: [Animal(id: 2, name: "cat")])
            try await expect(store.select(Animal.self).count(), equals: 1)
            try await expect(store.find(Animal.self, key: 1) == nil)
            try await expect(store.insert(Animal(name: "cow")).id, equals: 3)
            try await store.save(Animal(id: 1, name: "horse"))
            try await expect(store.update(Animal.self).set(\.name, to: "x").run(), equals: 3)
            try await store.update(Animal(id: 2, name: "cat"))
            try await expect(store.delete(Animal.self, key: 1), equals: 1)
            try await expect(store.delete(Animal.self).where { $0.name == "x" }.run(), equals: 1)
            try await expect(store.delete(Animal.self, keys: [9]), equals: 0)
            try await store.truncate(Animal.self)
            try await expect(store.select(Dog.self).all(), equals: dogs)
            try await store.close()
        }
    }

    @Test func `a store's own table has its own records too`() async throws {
        try await Server.withSchema { schema in
            let store = try await Store(Server.backend(schema), models: Pen.self)
            try await store.insert(Pen(id: 1))
            try await Server.psql(
                """
                CREATE TABLE "\(schema)".special () INHERITS ("\(schema)"."Pen");
                INSERT INTO "\(schema)".special SELECT * FROM "\(schema)"."Pen"
                """)
            try await expect(store.select(Pen.self).all(), equals: [Pen(id: 1)])
            try await expect(store.delete(Pen.self, key: 1), equals: 1)
            try await store.truncate(Pen.self)
            try await expect(Server.psql("SELECT count(*) FROM \"\(schema)\".special"), equals: "1")
            try await store.close()
        }
    }

    @Test(arguments: [true, false])
    func `a partitioned table is all of its partitions`(isOwn: Bool) async throws {
        let parts = """
            CREATE TABLE animal (id bigint PRIMARY KEY, name text COLLATE "C" NOT NULL) PARTITION BY RANGE (id);
            CREATE TABLE animal_1 PARTITION OF animal FOR VALUES FROM (0) TO (10);
            CREATE TABLE animal_2 PARTITION OF animal DEFAULT
            """
        try await Server.withForeignSchema(isOwn ? "" : parts) { schema in
            var store = try await Store(Server.backend(schema), models: Animal.self)
            if isOwn {
                // As an administrator does it whose table has become too large.
                try await store.close()
                let key = try await Server.psql(
                    "SELECT conname FROM pg_constraint WHERE conrelid = '\"\(schema)\".animal'::regclass AND contype = 'p'"
                )
                try await Server.run(
                    "SET search_path TO \"\(schema)\"; DROP TABLE animal; \(parts); "
                        + "ALTER TABLE animal RENAME CONSTRAINT animal_pkey TO \(key)")
                store = try await Store(Server.backend(schema), models: Animal.self)
            }
            try await store.insert([Animal(id: 1, name: "a"), Animal(id: 11, name: "b")])
            try await store.save(Animal(id: 11, name: "c"))
            try await expect(store.insert(Animal(name: "d")).id, equals: 12)
            try await expect(store.select(Animal.self).all().map(\.name), equals: ["a", "c", "d"])
            try await expect(store.update(Animal.self).set(\.name, to: "x").run(), equals: 3)
            try await expect(store.delete(Animal.self, key: 11), equals: 1)
            let duplicate = await #expect(throws: StorageError.self) {
                try await store.insert(Animal(id: 1, name: "again"))
            }
            expect(duplicate?.code == .duplicateKey && duplicate?.key == [.int(1)])
            try await store.truncate(Animal.self)
            try await expect(store.select(Animal.self).count(), equals: 0)
            try await store.close()
        }
    }
}
