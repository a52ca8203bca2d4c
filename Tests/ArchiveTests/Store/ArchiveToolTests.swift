import ArchiveBackend
import Foundation
import StorageKit
import TestSupport
import Testing

/// Tests that other programs and Foundation read a store, as the README promises.
@Suite struct ArchiveToolTests {
    let folder: TemporaryFolder
    let path: String
    /// Stored together, so that they are in a segment; one of them is deleted by itself.
    let people = Person.samples(70)
    /// Stored by itself.
    let single = Person.sample(104)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("people.karch")
    }

    /// A store with a segment, an entry of one record, and a deleted record.
    private func write() async throws {
        let store = try await Store(ArchiveBackend(path: path), models: Person.self)
        try await store.insert(people)
        try await store.save(single)
        try await store.delete(Person.self, key: 5)
        try await store.close()
    }

    private func extract() throws {
        try expect(run("bsdtar", "-xf", path, "-C", folder.url.path), equals: "")
    }

    /// The names of files in an extracted folder.
    private func names(in subfolder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path(subfolder)).sorted()
    }

    /// The root of an extracted entry. An object's class is its model's stored name.
    private func unarchive<T: NSObject & NSSecureCoding>(_ name: String, people: T.Type) throws -> Any? {
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.requiresSecureCoding = true
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        unarchiver.setClass(people, forClassName: "Person")
        unarchiver.setClass(ArchivedCity.self, forClassName: "City")
        unarchiver.setClass(ArchivedPen.self, forClassName: "Pen")
        let root = unarchiver.decodeObject(of: [people, NSArray.self], forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return root
    }

    @Test(.enabled(if: ToolTests.has("bsdtar")))
    func `Foundation reads the extracted entry of one record`() async throws {
        try await write()
        try extract()
        let person = try #require(try unarchive("Person/104.plist", people: ArchivedPerson.self) as? ArchivedPerson)
        expect(person.model, equals: single)
    }

    @Test(.enabled(if: ToolTests.has("bsdtar")))
    func `Foundation reads an extracted segment`() async throws {
        try await write()
        try extract()
        let segments = try names(in: "Person/segments")
        expect(segments.count, equals: 1)
        let name = try #require(segments.first)
        let objects = try #require(
            try unarchive("Person/segments/\(name)", people: ArchivedPerson.self) as? [ArchivedPerson])
        expect(objects.map(\.model), equals: people)
    }

    @Test(.enabled(if: ToolTests.has("bsdtar")))
    func `a deleted record is an empty file, and a key in a list`() async throws {
        try await write()
        try extract()
        try expect(Data(contentsOf: URL(fileURLWithPath: folder.path("Person/5.plist"))).isEmpty)
        let name = try #require(try names(in: "Person/deleted").first)
        let objects = try #require(try unarchive("Person/deleted/\(name)", people: ArchivedKey.self) as? [ArchivedKey])
        expect(objects.map(\.id), equals: [5])
    }

    @Test(.enabled(if: ToolTests.has("bsdtar")))
    func `Foundation reads the extracted schema`() async throws {
        try await write()
        try extract()
        let data = try Data(contentsOf: URL(fileURLWithPath: folder.path("STORE.plist")))
        let classes = [NSDictionary.self, NSString.self, NSNumber.self]
        let object = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
        let entries = try #require(object as? [String: Any])
        expect(entries.keys.sorted(), equals: ["format", "schema"])
        expect(entries["format"] as? Int == 1)
        let text = try #require(entries["schema"] as? String)
        let schema = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        expect(schema.keys.sorted(), equals: ["since", "tables", "truncated"])
        expect((schema["tables"] as? [Any])?.count == 3)
    }

    @Test(arguments: ["bsdtar", "tar"].filter(ToolTests.has))
    func `a tar program lists what was written, in order`(program: String) async throws {
        try await write()
        let (status, text) = try ToolTests.run(program, ["-tvf", path])
        expect(status, equals: 0, "\(text)")
        let names = text.split(separator: "\n").compactMap { $0.split(separator: " ").last }
        let folders = names.map { $0.split(separator: "/").dropLast().joined(separator: "/") }
        expect(names.first, equals: "STORE.plist")
        expect(names.contains("Person/104.plist"))
        // The schema is repeated once another commit is there to have it.
        expect(folders, equals: ["", "Person/segments", "", "Person", "Person", "Person/deleted"])
    }
}

/// The model as a class that Foundation archives, with what it owns.
private final class ArchivedPerson: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let model: Person

    required init?(coder: NSCoder) {
        model = Person(
            id: coder.decodeInteger(forKey: "id"), name: coder.text("name"), age: coder.decodeInteger(forKey: "age"),
            height: coder.decodeDouble(forKey: "height"),
            photo: coder.decodeObject(of: NSData.self, forKey: "photo").map { $0 as Data },
            tags: coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String] ?? [],
            born: coder.decodeObject(of: NSDate.self, forKey: "born").map { $0 as Date },
            city: coder.decodeObject(of: ArchivedCity.self, forKey: "city")?.model,
            pens: (coder.decodeObject(of: [NSArray.self, ArchivedPen.self], forKey: "pens") as? [ArchivedPen] ?? [])
                .map(\.model))
    }

    /// Records are only read here.
    func encode(with coder: NSCoder) { Issue.record("nothing is written by Foundation") }
}

/// The remains of a deleted record.
private final class ArchivedKey: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let id: Int

    required init?(coder: NSCoder) { id = coder.decodeInteger(forKey: "id") }

    func encode(with coder: NSCoder) { Issue.record("nothing is written by Foundation") }
}

private final class ArchivedCity: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let model: City

    required init?(coder: NSCoder) {
        model = City(id: coder.decodeInteger(forKey: "id"), name: coder.text("name"), spell: coder.text("spell"))
    }

    func encode(with coder: NSCoder) { Issue.record("nothing is written by Foundation") }
}

private final class ArchivedPen: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let model: Pen

    required init?(coder: NSCoder) {
        model = Pen(
            id: coder.decodeInteger(forKey: "id"), color: coder.text("color"),
            price: coder.decodeDouble(forKey: "price"))
    }

    func encode(with coder: NSCoder) { Issue.record("nothing is written by Foundation") }
}

extension NSCoder {
    fileprivate func text(_ key: String) -> String {
        decodeObject(of: NSString.self, forKey: key).map { $0 as String } ?? "missing"
    }
}
