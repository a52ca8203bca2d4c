import ArchiveBackend
import Foundation
import KeyedArchives
import StorageKit
import TestSupport
import Testing

/// The reader model as a class that Foundation archives.
final class FoundationReader: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let model: Reader

    init(_ model: Reader) { self.model = model }

    required init?(coder: NSCoder) {
        model = Reader(
            id: coder.decodeInteger(forKey: "id"),
            name: coder.decodeObject(of: NSString.self, forKey: "name").map { $0 as String } ?? "missing",
            age: coder.decodeInteger(forKey: "age"), height: coder.decodeDouble(forKey: "height"),
            photo: coder.decodeObject(of: NSData.self, forKey: "photo").map { $0 as Data } ?? Data(),
            tags: (coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String]) ?? ["missing"],
            born: coder.decodeObject(of: NSDate.self, forKey: "born").map { $0 as Date },
            odd: coder.decodeInteger(forKey: "$odd"))
    }

    func encode(with coder: NSCoder) {
        coder.encode(model.id, forKey: "id")
        coder.encode(NSString(string: model.name), forKey: "name")
        coder.encode(model.age, forKey: "age")
        coder.encode(model.height, forKey: "height")
        coder.encode(NSMutableData(data: model.photo), forKey: "photo")
        coder.encode(NSMutableArray(array: model.tags.map { NSMutableString(string: $0) }), forKey: "tags")
        coder.encode(
            model.born.map { NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) }, forKey: "born"
        )
        coder.encode(model.odd, forKey: "$odd")
        coder.encode(true, forKey: "unknown")
    }
}

@Suite("Keyed archives and Foundation")
struct FoundationTests {
    private let readers = [
        Reader(
            id: 1, name: "Ada é \u{1F600}", age: 36, height: 1.65, photo: Data([0, 1, 255]), tags: ["x", "x", "é"],
            born: Date(timeIntervalSinceReferenceDate: -5.5), odd: 3),
        Reader(id: -2, name: "", age: 1 << 40, tags: []),
    ]

    private func unarchive(_ archive: [UInt8]) throws -> Any? {
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(archive))
        unarchiver.requiresSecureCoding = true
        unarchiver.setClass(FoundationReader.self, forClassName: "Person")
        let root = unarchiver.decodeObject(
            of: [FoundationReader.self, NSArray.self], forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        return root
    }

    @Test func `Foundation reads one model`() throws {
        for reader in readers {
            let object = try #require(try unarchive(try KeyedArchive.encode(reader)) as? FoundationReader)
            expect(object.model, equals: reader)
        }
    }

    @Test func `Foundation reads a list`() throws {
        let objects = try #require(try unarchive(try KeyedArchive.encode(readers)) as? [FoundationReader])
        expect(objects.map(\.model), equals: readers)
    }

    @Test func `Foundation reads a list of many objects`() throws {
        let many = (0..<300).map { Reader(id: $0, name: "reader \($0)", tags: ["tag \($0 % 7)"]) }
        let objects = try #require(try unarchive(try KeyedArchive.encode(many)) as? [FoundationReader])
        expect(objects.map(\.model), equals: many)
    }

    @Test func `what Foundation archived is read`() throws {
        for reader in readers {
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: FoundationReader(reader), requiringSecureCoding: true)
            try expect(KeyedArchive.decode(Reader.self, from: [UInt8](data)), equals: reader)
        }
        let list = NSArray(array: readers.map { FoundationReader($0) })
        let data = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
        try expect(KeyedArchive.decode([Reader].self, from: [UInt8](data)), equals: readers)
    }

    @Test func `Foundation parses the property lists of our archives`() throws {
        let archive = try KeyedArchive.encode(readers[0], className: "Renamed")
        let list = try PropertyListSerialization.propertyList(from: Data(archive), format: nil)
        let dictionary = try #require(list as? [String: Any])
        expect(dictionary["$archiver"] as? String == "NSKeyedArchiver")
        expect(dictionary["$version"] as? Int == 100_000)
        let classes = try #require(dictionary["$objects"] as? [Any]).compactMap { $0 as? [String: Any] }
            .compactMap { $0["$classname"] as? String }
        expect(Set(classes), equals: ["Renamed", "NSArray", "NSDate"])
    }
}
