import Foundation
import StorageKit
import Synchronization
import TestSupport
import Testing

@Storable struct Region: Hashable {
    @Key var country: String
    @Key var number: Int
}

@Storable struct Part: Equatable {
    var name: String
    var weights: [Double] = []
}

@Storable struct Everything: Equatable {
    enum Color: String { case red, green }
    struct Size: Codable, Hashable { var width: Int }

    var id: Int?
    var text: String
    var note: String?
    var small: Int8 = 0
    var large: Int64?
    var unsigned: UInt64 = 0
    var number = 0.0
    var single: Float?
    var flag = false
    var price: Decimal = 0
    var day: Date?
    @Field(dates: .pattern("dd.MM.yyyy HH:mm")) var written: Date?
    var blob: Data?
    var uuid: UUID?
    var link: URL?
    var span: Duration?
    var color: Color = .red
    var size: Size?
    var tags: [String] = []
    var days: [Date]?
    var part: Part?
    var parts: [Part] = []
    @Reference(onDelete: .unchecked) var region: Ref<Region>?
    @Reference(onDelete: .unchecked) var others: [Ref<Region>] = []
    @Reference(onDelete: .unchecked) var town: Ref<Town>?
    @Field("stored name") var renamed = "x"
}

@Storable struct Plain: Equatable {
    var id: Int
    var name: String
    var age: Int?
    var score = 1.5
    var active: Bool = true
    @Unique var code: String?
}

@Suite("Comma-separated values") struct CSVTests {
    private static let texts = [
        "plain", "", " space ", "a,b;c\td|e", "say \"x\"", "\"", "\"\"", "two\nlines", "end\r", "\r\n", "null", "true",
        "007", "-0",
        "1e3", "成都 👩‍🚀 Café", "\u{0}\u{1}\u{7F}", "=1+1", "sep=;",
    ]

    private static let everything: [Everything] = texts.enumerated().map { place, text in
        var value = Everything(id: place + 1, text: text)
        guard place > 0 else { return value }
        value.note = place.isMultiple(of: 2) ? text : nil
        (value.small, value.large, value.unsigned) = (-128, .min + Int64(place), .max)
        value.number = [0.1, -0.0, .infinity, .leastNonzeroMagnitude, 1.7976931348623157e308, .nan][place % 6]
        if value.number.isNaN { value.number = -.infinity }
        (value.single, value.flag) = (0.1, place.isMultiple(of: 3))
        value.price = Decimal(string: "-12345678901234567890.123456789") ?? 0
        value.day = Date(timeIntervalSinceReferenceDate: [0.25, -1e9, 1e12, 0][place % 4])
        value.written = Date(timeIntervalSinceReferenceDate: 60 * Double(place))
        (value.blob, value.uuid, value.link) = (
            Data([0, 255, UInt8(place)]), UUID(), URL(string: "https://a.b/?q=1,2")
        )
        (value.span, value.color, value.size) = (.milliseconds(1500), .green, .init(width: place))
        (value.tags, value.days) = ([text, "", "a\"b"], [Date(timeIntervalSinceReferenceDate: 1.5)])
        value.part = Part(name: text, weights: [1, 0.5])
        value.parts = [Part(name: "a"), Part(name: text)]
        value.region = Ref(key: ("DE", 3))
        value.others = [Ref(key: ("DE", 1)), Ref(key: (text, 2))]
        (value.town, value.renamed) = (Ref(key: 7), text)
        return value
    }

    @Test(arguments: [",", ";", "\t", "|"] as [Character])
    func `what was exported is read again, whatever the type and the value`(_ delimiter: Character) async throws {
        try await withStore(.sqlite) { store in
            try await store.save(Self.everything)
            let file = FileManager.default.temporaryDirectory.appending(path: "storage-\(UUID().uuidString).csv")
            defer { try? FileManager.default.removeItem(at: file) }
            let told = Mutex(0.0)
            let count = try await store.select(Everything.self).order { $0.id }.export(
                csvFile: file, delimiter: delimiter
            ) { _, fraction in told.withLock { $0 = fraction } }
            expect(count, equals: Self.everything.count)
            expect(told.withLock { $0 }, equals: 1)
            let options = Store.CSVOptions<Everything>(delimiter: delimiter)
            try expect(Everything.models(csv: Data(contentsOf: file), options: options), equals: Self.everything)
            try await store.truncate(Everything.self)
            try await expect(store.save(csvFile: file, as: Everything.self, options: options), equals: count)
            try await expect(store.select(Everything.self).order { $0.id }.all(), equals: Self.everything)
            let taken = await expectError(.io) { try await store.select(Everything.self).export(csvFile: file) }
            expect(taken != nil)
            try await store.select(Everything.self).where { $0.id == 0 }.export(csvFile: file, replacing: true)
            let header = try String(contentsOf: file, encoding: .utf8)
            expect(header.hasPrefix("id,text,note,"))
            expect(header.contains(",region.country,region.number,others,town,stored name\n"))
            try expect(Everything.models(csv: Data(contentsOf: file)), equals: [])
        }
    }

    @Test
    func `the text shows its form, and options say another`() throws {
        let expected = [Plain(id: 1, name: "a,b", age: 3), Plain(id: 2, name: "ü", age: nil)]
        for text in [
            "id,name,age\n1,\"a,b\",3\n2,ü,\n", "id;name;age\r\n1;a,b;3\r\n2;ü;", "sep=|\nid|name|age\n1|a,b|3\n2|ü|",
            "\u{FEFF}id\tname\tage\r1\ta,b\t3\r2\tü\t\r", "\n\nage,other,name,id\n3,x,\"a,b\",1\n\n,y,ü,2\n",
        ] {
            try expect(Plain.models(csv: text.data), equals: expected, "\(text)")
            for encoding in [Store.TextEncoding.utf16, .utf16BigEndian] {
                let form: String.Encoding = encoding == .utf16 ? .utf16LittleEndian : .utf16BigEndian
                try expect(Plain.models(csv: #require(text.data(using: form))), equals: expected, "\(encoding)")
            }
        }
        let marked = "Number\tName\n1\t\"Rome\" (2005)\n".data
        let options = Store.CSVOptions<Plain>(
            delimiter: "\t", hasQuotes: false, columns: ["Number": \.id, "Name": \.name])
        try expect(Plain.models(csv: marked, options: options), equals: [Plain(id: 1, name: "\"Rome\" (2005)")])
        let dated = "id,text,day,price\n1,x,24.12.2025,1\n".data
        let found = try Everything.models(csv: dated, options: .init(dates: .pattern("dd.MM.yyyy")))
        expect(found.first?.day, equals: Date(timeIntervalSince1970: 1_766_534_400))
    }

    @Test(arguments: [
        (Store.TextEncoding.latin1, String.Encoding.isoLatin1, "é ÿ §"), (.latin2, .isoLatin2, "ł Ž §"),
        (.windows1250, .windowsCP1250, "ł € „"), (.windows1251, .windowsCP1251, "Привет № «"),
        (.windows1252, .windowsCP1252, "€ é ÿ “"), (.windows1253, .windowsCP1253, "Ελλάδα €"),
        (.windows1254, .windowsCP1254, "İstanbul ğ €"),
    ])
    func `a file in another encoding is read as its characters`(
        _ encoding: Store.TextEncoding, _ other: String.Encoding, _ text: String
    ) async throws {
        let data = try #require("id,name\n1,\(text)\n".data(using: other))
        try expect(Plain.models(csv: data, options: .init(encoding: encoding)).map(\.name), equals: [text])
        let error = await expectError(.invalidValue) { try Plain.models(csv: data) }
        expect(error?.message.contains("encoding: names another") == true, "\(error?.message ?? "")")
    }

    @Test
    func `a bad record names its line, and leaves nothing of the call`() async throws {
        try await withStore(.sqlite) { store in
            let rows = (1...1500).map { "\($0),\"name\n\($0)\"" }.joined(separator: "\n")
            let bad = "id,name,age\n".data + rows.replacing("\"\n", with: "\",\n").data + ",\n9,x,seven\n".data
            let error = await expectError(.invalidValue) { try await store.save(csv: bad, as: Plain.self) }
            expect(error?.message, equals: "line 3002: age is the text \"seven\", not a valid int64.")
            expect(error?.element, equals: 1500)
            expect(error?.property, equals: "age")
            let problem = error?.underlying as? Store.CSVProblem
            expect(problem?.line, equals: 3002)
            expect(problem?.text, equals: "9,x,seven")
            try await expect(store.select(Plain.self).count(), equals: 0)
            let twice = "id,name,code\n1,a,x\n2,b,x\n".data
            let refused = await expectError(.constraint) { try await store.save(csv: twice, as: Plain.self) }
            expect(refused?.property, equals: "code")
            try await expect(store.select(Plain.self).count(), equals: 0)
            try await store.transaction { tx throws(StorageError) in
                try tx.save(Plain(id: 1, name: "kept"))
                do { try tx.save(csv: twice, as: Plain.self) } catch {}
            }
            try await expect(store.select(Plain.self).all().map(\.name), equals: ["kept"])
            for (options, text) in [
                (Store.CSVOptions<Plain>(delimiter: "\""), "id,name\n"), (.init(delimiter: "é"), "id,name\n"),
                (.init(columns: ["Nom": \.name]), "id,name\n"), (.init(recordsPerTransaction: 0), "id,name\n"),
            ] {
                let wrong = await expectError(.configuration) {
                    try await store.save(csv: text.data, as: Plain.self, options: options)
                }
                expect(wrong != nil)
            }
        }
    }

    @Test(arguments: [UInt8(ascii: "\""), 0x0A, 0x0D, 0x80, 0xE9])
    func `a writer takes no delimiter whose lines are not read as they were written`(delimiter: UInt8) async {
        let error = await expectError(.configuration) { _ = try CSVWriter(delimiter: delimiter) }
        expect(error?.message.contains("one ASCII character") ?? false)
    }

    @Test(arguments: [UInt8(ascii: ";"), 0x09, 0x1F])
    func `a writer takes any other byte as delimiter`(delimiter: UInt8) throws {
        var bytes: [UInt8] = []
        let writer = try CSVWriter(delimiter: delimiter)
        writer.appendHeader(["a", String(decoding: [0x62, delimiter], as: UTF8.self)], to: &bytes)
        expect(bytes, equals: [0x61, delimiter, 0x22, 0x62, delimiter, 0x22, 0x0A])
    }

    @Test
    func `bad records are skipped and told of, and good ones are stored`() async throws {
        try await withStore(.sqlite) { store in
            let text = """
                id,name,age,code
                1,a,1,x
                2,"b,2,y
                3,c,,x
                4,d,old,
                5,e,5
                6,f,6,z
                """
            let told = Mutex<[Store.CSVProblem]>([])
            let options = Store.CSVOptions<Plain>(skipping: { problem in told.withLock { $0.append(problem) } })
            try await expect(store.save(csv: text.data, as: Plain.self, options: options), equals: 2)
            try await expect(store.select(Plain.self).order { $0.id }.all().map(\.id), equals: [1, 6])
            let problems = told.withLock { $0 }.sorted { $0.line < $1.line }
            expect(problems.map(\.line), equals: [3, 4, 5, 6])
            expect(problems.map(\.text), equals: ["2,\"b,2,y", "3,c,,x", "4,d,old,", "5,e,5"])
            expect(problems.map(\.property), equals: [nil, "code", "age", nil])
        }
    }

    @Test
    func `transactions of so many records keep what they have stored`() async throws {
        try await withStore(.sqlite) { store in
            let rows = (1...2500).map { "\($0),n\($0)" }.joined(separator: "\n")
            let told = Mutex<[Int]>([])
            let options = Store.CSVOptions<Plain>(recordsPerTransaction: 1000)
            try await expect(
                store.save(csv: "id,name\n\(rows)".data, as: Plain.self, options: options) { count, _ in
                    told.withLock { $0.append(count) }
                }, equals: 2500)
            expect(told.withLock { $0 }, equals: [1000, 2000, 2500])
            try await store.truncate(Plain.self)
            let bad = "id,name\n\(rows)\n9999,\"x".data
            let error = await expectError(.invalidValue) {
                try await store.save(csv: bad, as: Plain.self, options: options)
            }
            expect(error?.element, equals: 2500)
            try await expect(store.select(Plain.self).count(), equals: 2000)
        }
    }

    @Test
    func `what arrives in pieces is stored when all is there, wherever it is cut`() async throws {
        typealias Pieces = JSONSavingTests.Pieces
        let lines = (0..<50_000).map { "\($0),\"Ä \($0)\n\"\"x\"\"\"" }
        let csv = Array(("id,name\n" + lines.joined(separator: "\n") + "\n").utf8)
        try #require(csv.count > 1 << 20)
        try await withStore(.sqlite) { (store) async throws -> Void in
            let whole = Array(("id,name\n" + lines.prefix(200).joined(separator: "\n")).utf8)
            try await expect(store.save(csv: Pieces(all: whole), as: Plain.self), equals: 200)
            let cut = stride(from: 0, to: csv.count, by: 4097).map { Data(csv[$0..<min($0 + 4097, csv.count)]) }
            try await expect(store.save(csv: Pieces(all: cut), as: Plain.self), equals: 50_000)
            try await expect(store.find(Plain.self, key: 49_999)?.name, equals: "Ä 49999\n\"x\"")
            let counts = Mutex<[Int]>([])
            try await expect(
                store.save(csv: Pieces(all: cut), as: Plain.self, options: .init(recordsPerTransaction: 20_000)) {
                    count, _ in
                    counts.withLock { $0.append(count) }
                }, equals: 50_000)
            expect(counts.withLock { $0 }, equals: [20_000, 40_000, 50_000])
            try await store.truncate(Plain.self)
            await #expect(throws: Pieces<Data>.Broken.self) {
                try await store.save(csv: Pieces(all: cut, breaks: true), as: Plain.self)
            }
            let bad = cut + [Data("1,2,3\n".utf8)]
            let error = await expectError(.invalidValue) { try await store.save(csv: Pieces(all: bad), as: Plain.self) }
            expect((error?.underlying as? Store.CSVProblem)?.line, equals: 100_002)
            try await expect(store.select(Plain.self).count(), equals: 0)
        }
    }

    @Test
    func `a sequence that ends because its task is cancelled stores nothing`() async throws {
        try await withStore(.sqlite) { (store) async throws -> Void in
            let (bytes, more) = AsyncStream.makeStream(of: [UInt8].self)
            let (started, go) = AsyncStream.makeStream(of: Void.self)
            more.yield(Array("id,name\n1,a\n".utf8))
            let running = Task {
                for await _ in started { break }
                return try await store.save(csv: bytes, as: Plain.self)
            }
            running.cancel()
            go.yield()
            await expectError(.cancelled) { try await running.value }
            try await expect(store.select(Plain.self).count(), equals: 0)
        }
    }

    @Test
    func `records are found by another property than the key`() async throws {
        try await withStore(.sqlite) { store in
            try await store.save(Contact(id: 5, email: "a@b", name: "old"))
            let text = "email,name\na@b,new\nc@d,other\n".data
            try await expect(store.save(csv: text, as: Contact.self, options: .init(matching: [\.email])), equals: 2)
            try await expect(store.find(Contact.self, key: 5)?.name, equals: "new")
            try await expect(store.select(Contact.self).count(), equals: 2)
        }
    }

    @Test
    func `no bytes make it fail in another way than by an error`() throws {
        var random = SeededGenerator(seed: 7)
        let pieces: [[UInt8]] = [
            [0x22], [0x2C], [0x0A], [0x0D], [0x0D, 0x0A], [0xFF], [0xC3], [0], Array("id".utf8), Array("name".utf8),
            Array("1".utf8),
            Array("sep=;".utf8), [0x3B], [0x20], Array("-9223372036854775809".utf8), Array("1e999".utf8),
            Array("é".utf8),
        ]
        for _ in 0..<3000 {
            var bytes = Bool.random(using: &random) ? Array("id,name,age\n".utf8) : []
            for _ in 0..<Int.random(in: 0..<24, using: &random) {
                bytes += pieces.randomElement(using: &random) ?? []
            }
            let skipped = Mutex(0)
            let options = Store.CSVOptions<Plain>(skipping: { _ in skipped.withLock { $0 += 1 } })
            do {
                let strict = try Plain.models(csv: Data(bytes))
                try expect(Plain.models(csv: Data(bytes), options: options), equals: strict)
                expect(skipped.withLock { $0 }, equals: 0)
            } catch {
                expect(error.code, equals: .invalidValue)
            }
        }
    }
}
