import ArchiveBackend
import Foundation
import KeyedArchives
import StorageKit
import TestSupport
import Testing

@Suite("Archives of other software as values")
struct ArchivedValueTests {
    private func fixture(_ name: String) throws -> [UInt8] {
        let url = try #require(Bundle.module.url(forResource: "Fixtures/KeyedArchives/\(name)", withExtension: nil))
        return [UInt8](try Data(contentsOf: url))
    }

    private func entry(_ key: String, _ value: ArchivedValue) -> ArchivedValue.Entry {
        ArchivedValue.Entry(key: .string(key), value: value)
    }

    @Test func `nested collections of a binary archive are read`() throws {
        let value = try ArchivedValue(archive: try fixture("NSKeyedUnarchiver-ComplexTest.plist"))
        let uuid: [UInt8] = [
            0x71, 0xDC, 0x06, 0x8E, 0x34, 0x20, 0x45, 0xFF, 0x91, 0x9E, 0x3A, 0x26, 0x7D, 0x55, 0xEC, 0x22,
        ]
        expect(
            value
                == .dictionary([
                    entry(
                        "array",
                        .array([
                            .null, .string("hello"), .int(34545), .dictionary([entry("key", .string("val"))]),
                        ])), entry("string", .string("hello")),
                    entry("url", .url("index.xml", base: "https://www.swift.org")), entry("uuid", .uuid(uuid)),
                ]))
    }

    @Test func `arrays and relative URLs are read`() throws {
        try expect(
            ArchivedValue(archive: try fixture("NSKeyedUnarchiver-ArrayTest.plist"))
                == .array([.string("baa"), .string("baa"), .string("black"), .string("sheep")]))
        try expect(
            ArchivedValue(archive: try fixture("NSKeyedUnarchiver-URLTest.plist"))
                == .url("foo.xml", base: "https://www.example.com"))
    }

    @Test func `sets and ordered sets written on macOS are read`() throws {
        try expect(
            ArchivedValue(archive: try fixture("NSSet-Numbers.archive"))
                == .set([.int(3), .int(2), .int(5), .int(1), .int(4)]))
        try expect(
            ArchivedValue(archive: try fixture("NSOrderedSet-Numbers.archive"))
                == .array([.int(1), .int(2), .int(3), .int(4), .int(5)]))
    }

    @Test func `several roots are read`() throws {
        let roots = try ArchivedValue.roots(of: try fixture("primitives.bin"))
        expect(roots.count, equals: 12)
        expect(roots["$0"], equals: .int(1))
        expect(roots["$2"], equals: .real(1))
        expect(roots["$4"], equals: .data(Array("asdfasdfadsfadsf".utf8)))
        expect(roots["$5"], equals: .bool(true))
        expect(roots["$8"], equals: .string("Hello, World!"))
        expect(roots["$11"], equals: .int(42))
        expect(code { try ArchivedValue(archive: try fixture("primitives.bin")) }, equals: .corrupt)
    }

    @Test func `a dictionary is read`() throws {
        try expect(
            ArchivedValue(archive: try fixture("dict.bin"))
                == .dictionary([
                    entry("int", .int(1)), entry("string", .string("string")),
                    entry("array", .array([.bool(true), .string("Hello, World!"), .int(42)])),
                ]))
    }

    @Test(arguments: [
        "missing_archiver.bin", "missing_objects.bin", "missing_top.bin", "wrong_archiver.bin", "wrong_version.bin",
        "broken_plist.xml",
    ])
    func `a damaged archive is refused`(name: String) throws {
        let archive = try fixture(name)
        expect(code { try ArchivedValue(archive: archive) }, equals: .corrupt)
        expect(code { try KeyedArchive.decode(Reader.self, from: archive) }, equals: .corrupt)
    }

    @Test func `our own archive keeps its class and keys`() throws {
        let archive = try KeyedArchive.encode(Desk(id: 4, spare: Pencil(id: 2, color: "blue")))
        guard case .object("Desk", let fields) = try ArchivedValue(archive: archive) else {
            Issue.record("no object")
            return
        }
        expect(Set(fields.keys), equals: ["id", "best", "spare", "pencils", "drawer"])
        expect(fields["id"], equals: .int(4))
        expect(fields["drawer"], equals: .null)
        expect(fields["pencils"], equals: .array([]))
        expect(
            fields["spare"]
                == .object(className: "Pencil", fields: ["id": .int(2), "color": .string("blue"), "parts": .array([])]))
    }

    @Test func `an XML archive is refused with the command that makes it binary`() throws {
        let archive = try fixture("dict.xml")
        for archive in [archive, Array("\u{FEFF}".utf8) + archive] {
            let errors = [
                #expect(throws: StorageError.self) { try ArchivedValue(archive: archive) },
                #expect(throws: StorageError.self) { try KeyedArchive.decode(Reader.self, from: archive) },
            ]
            for error in errors {
                expect(error?.code, equals: .corrupt)
                expect(error?.message.contains("plutil -convert binary1"), equals: true)
            }
        }
    }

    @Test func `limits hold exactly`() throws {
        let archive = try fixture("NSSet-Numbers.archive")
        #expect(throws: Never.self) { try ArchivedValue(archive: archive, limits: .init(bytes: archive.count)) }
        expect(
            code { try ArchivedValue(archive: archive, limits: .init(bytes: archive.count - 1)) },
            equals: .limitExceeded)
        #expect(throws: Never.self) { try ArchivedValue(archive: archive, limits: .init(values: 6)) }
        expect(code { try ArchivedValue(archive: archive, limits: .init(values: 5)) }, equals: .limitExceeded)
        #expect(throws: Never.self) { try ArchivedValue(archive: archive, limits: .init(depth: 2)) }
        expect(code { try ArchivedValue(archive: archive, limits: .init(depth: 1)) }, equals: .limitExceeded)
    }
}
