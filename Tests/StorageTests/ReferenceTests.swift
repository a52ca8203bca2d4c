import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Storable("Artist") struct NotedArtist: Equatable {
    @Key @Field("ArtistId") var id: Int
    @Field("Name") var name: String?
}

@Storable("Album") struct NotedAlbum: Equatable {
    @Key @Field("AlbumId") var id: Int
    @Field("Title") var title: String
    @Field("ArtistId") var artist: Ref<NotedArtist>
}

@Storable struct Shelf: Equatable {
    var id: Int
    var number = 0
    var books: [Ref<Paper>] = []
}

@Storable struct Paper: Equatable {
    var id: Int
    @Reference(onDelete: .nullify) var on: Ref<Shelf>?
}

@Storable struct Depot: Equatable {
    var id: UUID
}

@Storable struct Crate: Equatable {
    var id: Int
    var depot: Ref<Depot>
}

@Suite struct ReferenceTests {
    @Test
    func `a key that is a UUID has its usual form in errors and descriptions`() async throws {
        let text = "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        let depot = Depot(id: try #require(UUID(uuidString: text)))
        expect("\(Ref<Depot>(key: depot.id))", equals: "Depot \(text)")
        try await withStore(.memory) { store in
            let dangling = await expectError(.constraint) {
                try await store.insert(Crate(id: 1, depot: Ref(key: depot.id)))
            }
            expect(dangling?.message.contains("Depot \(text)"), equals: true, "\(dangling?.message ?? "")")
            try await store.insert(depot)
            let twice = await expectError(.duplicateKey) { try await store.insert(depot) }
            expect(twice.map { "\($0)" }?.contains("key \(text)"), equals: true)
        }
    }

    private func chinook(in folder: URL) throws -> String {
        let path = folder.appendingPathComponent("chinook.db").path
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Examples/Data/chinook/Chinook_Sqlite.sqlite")
        try FileManager.default.copyItem(atPath: source.path, toPath: path)
        return path
    }

    @Test func `a foreign key is a reference with its rule`() async throws {
        try await withFolder { folder in
            let store = try await Store(SQLiteBackend(path: try chinook(in: folder)))
            let album = try #require(try await store.recordSchemas().first { $0.name == "Album" })
            let artist = try #require(album.properties.first { $0.name == "ArtistId" })
            expect(artist.reference?.model == "Artist" && artist.reference?.onDelete == .deny)
            let employee = try #require(try await store.recordSchemas().first { $0.name == "Employee" })
            expect(employee.properties.first { $0.name == "ReportsTo" }?.reference?.model, equals: "Employee")
            let records = try await store.records("Album").where(text: #"ArtistId.Name == "Accept""#).all()
            expect(records.map { $0.value("AlbumId") }, equals: [.int(2), .int(3)])
            let error = await expectError(.constraint) {
                try await store.records("Artist").where(text: "ArtistId == 1").delete()
            }
            expect(error?.property, equals: "Album.ArtistId")
            try await store.close()
        }
    }

    @Test
    func `predicates compare references as their keys`() async throws {
        try await withStore(.memory) { store in
            try await store.insert((1...3).map { Shelf(id: $0, number: $0) })
            try await store.insert([Paper(id: 1, on: 1), Paper(id: 2, on: 2), Paper(id: 3, on: nil)])
            try await store.save([Shelf(id: 1, books: [1, 2, 1]), Shelf(id: 2, books: [3]), Shelf(id: 3)])
            let (shelf, book): (Ref<Shelf>, Ref<Paper>) = (2, 1)
            let (shelves, none): ([Ref<Shelf>], Ref<Shelf>?) = ([2, 3, 9], nil)
            func papers(_ predicate: Predicate<Paper>) async throws -> [Int] {
                try await store.select(Paper.self).where(predicate).keys()
            }
            try await expect(papers(#Predicate { $0.on == shelf }), equals: [2])
            try await expect(papers(#Predicate { $0.on != shelf }), equals: [1, 3])
            try await expect(papers(#Predicate { $0.on == none }), equals: [3])
            try await expect(papers(#Predicate { $0.on == nil }), equals: [3])
            try await expect(papers(#Predicate { $0.on?.key == 1 }), equals: [1])
            try await expect(
                papers(#Predicate { if let on = $0.on { shelves.contains(on) } else { false } }), equals: [2])
            let listed = #Predicate<Shelf> { $0.books.contains(book) }
            try await expect(store.select(Shelf.self).where(listed).keys(), equals: [1])
            let loaded = try await store.select(Shelf.self).all()
            try expect(loaded.filter { try listed.evaluate($0) }.map(\.id), equals: [1])
        }
    }

    @Test func `a model declares a foreign key as a reference`() async throws {
        try await withFolder { folder in
            let store = try await Store(SQLiteBackend(path: try chinook(in: folder)), models: NotedAlbum.self)
            let pairs = try await store.select(NotedAlbum.self).where { $0.artist.name == "AC/DC" }.with(\.artist).all()
            expect(pairs.map(\.0.id) == [1, 4] && pairs.allSatisfy { $0.1.name == "AC/DC" })
            await expectError(.constraint) { try await store.insert(NotedAlbum(id: 1000, title: "x", artist: 9999)) }
            await expectError(.constraint) { try await store.delete(NotedArtist.self, key: 1) }
            try await store.close()
        }
    }

    @Test(arguments: [Backend.sqlite, .memory, .archive])
    func `what a condition chooses leads by the reference's index to the records`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...9).map { Shelf(id: $0, number: $0) })
            try await store.insert((1...90).map { Paper(id: $0, on: Ref(key: 1 + $0 % 9)) })
            let papers = store.select(Paper.self)
            func access(
                _ query: Select<Paper, Store>, _ expected: QueryExplanation.Access, rows: Int? = nil,
                sourceLocation: SourceLocation = #_sourceLocation
            ) async throws {
                let found = try await query.explain()
                expect(found.access, equals: expected, "\(found)", sourceLocation: sourceLocation)
                if let rows, backend != .sqlite {
                    expect(found.rowsExamined, equals: rows, "\(found)", sourceLocation: sourceLocation)
                }
            }
            try await access(papers.where { $0.on.number == 3 }, .index("on"), rows: 10)
            try await access(papers.where { $0.on.number < 3 }, .index("on"), rows: 20)
            try await access(papers.where { $0.on.number > 3 }, backend == .sqlite ? .index("on") : .scan)
            try await access(papers.where { $0.on.number == 3 }.limit(1), .index("on"))
            // Records in key order meet these soon, or few are left by another condition.
            try await access(papers.where { $0.on.number > 3 }.limit(1), .scan)
            try await access(papers.where { $0.id == 7 && $0.on.number == 3 }, .key)
            try await expect(papers.where { $0.on.number == 3 && $0.id > 50 }.keys(), equals: [56, 65, 74, 83])
            let others = papers.where { $0.on.number != 3 }
            try await expect(others.count(), equals: 80)
            try await expect(papers.where { !($0.on.number < 3 || $0.on.number > 4) }.count(), equals: 20)
        }
    }

    @Test func `SQLite joins the records that sort others`() async throws {
        try await withStore(.sqlite) { store in
            try await store.insert((1...9).map { Shelf(id: $0, number: 10 - $0) })
            try await store.insert((1...90).map { Paper(id: $0, on: $0 % 10 == 0 ? nil : Ref(key: $0 % 10)) })
            let papers = store.select(Paper.self).order { $0.on.number.descending }.limit(3)
            let statement = try await papers.explain().statement ?? ""
            expect(statement.contains(" LEFT JOIN ") && !statement.contains("(SELECT "), "\(statement)")
            try await expect(papers.keys(), equals: [1, 11, 21])
            try await expect(papers.where { $0.on.number != 9 }.keys(), equals: [2, 12, 22])
            try await expect(store.select(Paper.self).order { $0.on.number }.limit(3).keys(), equals: [10, 20, 30])
        }
    }

    @Test(arguments: [Backend.memory, .archive])
    func `what refers to records is counted once for all, and leads to them by key`(_ backend: Backend) async throws {
        try await withStore(backend) { store in
            try await store.insert((1...90).map { Paper(id: $0) })
            try await store.insert((1...90).map { Shelf(id: $0, books: $0 % 30 == 0 ? [1, 2, Ref(key: $0)] : [1]) })
            let shelves = store.select(Shelf.self)
            func keys(
                _ query: Select<Shelf, Store>, rows: Int, sourceLocation: SourceLocation = #_sourceLocation
            ) async throws -> [Int] {
                let found = try await query.explain()
                expect(found.rowsExamined, equals: rows, "\(found)", sourceLocation: sourceLocation)
                return try await query.keys()
            }
            try await expect(keys(shelves.where { $0.books.count > 2 }, rows: 3), equals: [30, 60, 90])
            try await expect(keys(shelves.where { $0.books.any { $0.id == 60 } }, rows: 1), equals: [60])
            let small = shelves.where { $0.books.count < 3 && $0.id.isIn([1, 2, 3, 4]) }
            try await expect(keys(small, rows: 4), equals: [1, 2, 3, 4])
            try await expect(keys(shelves.where { $0.books.all { $0.id == 1 } }, rows: 90).count, equals: 87)
            try await expect(keys(shelves.where { $0.books.none { $0.id < 99 } }, rows: 90), equals: [])
            // Few are left by another condition.
            try await expect(keys(shelves.where { $0.id == 30 && $0.books.count > 2 }, rows: 1), equals: [30])
        }
    }

    @Storable struct Drawer {
        var id: Int
    }

    @Storable struct Sheet {
        var id: Int
        @Reference(onDelete: .nullify) var drawer: Ref<Drawer>?
    }

    enum Newer {
        @Storable("Sheet") struct Denying {
            var id: Int
            var drawer: Ref<Drawer>?
        }

        @Storable("Sheet") struct ToItself {
            var id: Int
            var drawer: Ref<ToItself>?
        }
    }

    @Test
    func `a rule can change, and the model that is referred to cannot`() async throws {
        try await withFolder { folder in
            let store = try await Backend.sqlite.open(in: folder)
            try await store.insert(Drawer(id: 1))
            try await store.insert(Sheet(id: 1, drawer: 1))
            try await store.close()
            let wrong = try await Backend.sqlite.open(in: folder)
            let error = await expectError(.schemaMismatch) { try await wrong.select(Newer.ToItself.self).all() }
            expect(error?.property == "drawer" && error?.message.contains("Drawer") == true)
            try await wrong.close()
            let newer = try await Backend.sqlite.open(in: folder)
            try await expect(newer.select(Newer.Denying.self).all().map(\.drawer), equals: [1])
            await expectError(.constraint) { try await newer.delete(Drawer.self, key: 1) }
            try await newer.close()
        }
    }

    @Test func `a reference is coded as its key`() throws {
        let refs: [Ref<Shelf>] = [1, Ref(Shelf(id: 2)), Shelf(id: 3).ref]
        let data = try JSONEncoder().encode(refs)
        expect(String(decoding: data, as: UTF8.self), equals: "[1,2,3]")
        try expect(JSONDecoder().decode([Ref<Shelf>].self, from: data), equals: refs)
        expect(Set(refs + refs).count, equals: 3)
    }

    @Storable struct Door: Equatable {
        @Key var street: String
        @Key var number: UInt64
        @Key var city: UUID
        @Key var floor: Int8
    }

    @Test func `a reference to a key of several parts is coded as their array, and nothing else is read`() throws {
        let city = try #require(UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF"))
        let door = Door(street: "a \"b\"", number: .max, city: city, floor: -3)
        let data = try JSONEncoder().encode([door.ref])
        let text = #"[["a \"b\"",18446744073709551615,"6F9619FF-8B86-D011-B42D-00C04FC964FF",-3]]"#
        expect(String(decoding: data, as: UTF8.self), equals: text)
        try expect(JSONDecoder().decode([Ref<Door>].self, from: data), equals: [door.ref])
        for (part, other) in [
            ("-3", "300"), ("-3", "\"x\""), (",-3", ""), ("6F96", ""), ("18446744073709551615", "-1"),
        ] {
            let wrong = text.replacingOccurrences(of: part, with: other)
            #expect(throws: DecodingError.self, "\(wrong)") {
                try JSONDecoder().decode([Ref<Door>].self, from: Data(wrong.utf8))
            }
        }
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([Ref<Door>].self, from: Data("[5]".utf8)) }
    }
}
