import ArchiveBackend
import KeyedArchives
import StorageKit
import TestSupport
import Testing

@Suite("Archives that mean harm", .repeatable)
struct HostileArchiveTests {
    /// Every way in refuses these bytes, or gives a value: none may trap, hang or fail in another way.
    private func readEveryWay(_ archive: [UInt8]) -> [StorageError.Code?] {
        [
            code { try ArchivedValue(archive: archive) },
            code { try KeyedArchive.decode([Desk].self, from: archive) },
            code { try KeyedArchive.decode([Branch].self, from: archive) },
        ]
    }

    private let desk = Desk(
        id: 3, best: Pencil(id: 1, color: "é", parts: [Part(id: 1, name: "tip")]), pencils: [Pencil(id: 2)])

    @Test func `an archive cut at any length is refused`() throws {
        let archive = try KeyedArchive.encode(desk)
        for length in TestExtent.share(Array(archive.indices), oneOf: 9) {
            let cut = Array(archive[..<length])
            expect(readEveryWay(cut), equals: [.corrupt, .corrupt, .corrupt], "length \(length)")
        }
    }

    @Test func `a changed byte gives a value or a typed error`() throws {
        let archive = try KeyedArchive.encode(desk)
        let allowed: Set<StorageError.Code?> = [nil, .corrupt, .limitExceeded, .typeMismatch]
        for index in TestExtent.share(Array(archive.indices), oneOf: 15) {
            for flip: UInt8 in [0x01, 0x80, 0xFF, 0x10] {
                var changed = archive
                changed[index] ^= flip
                for code in readEveryWay(changed) {
                    expect(allowed.contains(code), "byte \(index) flipped by \(flip)")
                }
            }
        }
    }

    // MARK: Cycles, depth, repetition

    /// `$objects` with a class, and arrays or branches made by `body`, which returns the entries from number 2 on.
    private func archive(
        class name: String, root: Int = 2, _ body: (inout RawPropertyList, _ classUID: Int) -> [Int]
    ) -> [UInt8] {
        var list = RawPropertyList(width: 4)
        let null = list.string("$null")
        let names = list.array([list.string(name), list.string("NSObject")])
        let description = list.dictionary([
            (list.string("$classname"), list.string(name)), (list.string("$classes"), names),
        ])
        let classUID = list.uid(1)
        let entries = body(&list, classUID)
        return list.archive([null, description] + entries, root: root)
    }

    /// `count` arrays, each of which holds the next one as often as `copies` says; the last holds entry `last`.
    private func chain(_ count: Int, copies: Int, last: Int) -> [UInt8] {
        archive(class: "NSArray") { list, classUID in
            let objectsKey = list.string("NS.objects")
            let classKey = list.string("$class")
            return (0..<count).map { index in
                let next = list.uid(index == count - 1 ? last : index + 3)
                let elements = list.array(Array(repeating: next, count: copies))
                return list.dictionary([(objectsKey, elements), (classKey, classUID)])
            }
        }
    }

    @Test func `an array that contains itself is refused`() {
        expect(code { try ArchivedValue(archive: chain(1, copies: 1, last: 2)) }, equals: .corrupt)
        expect(code { try ArchivedValue(archive: chain(3, copies: 2, last: 2)) }, equals: .corrupt)
        expect(code { try KeyedArchive.decode([Branch].self, from: chain(2, copies: 2, last: 2)) }, equals: .corrupt)
    }

    @Test func `100,000 nested arrays are refused`() {
        let archive = chain(100_000, copies: 1, last: 0)
        expect(code { try ArchivedValue(archive: archive) }, equals: .limitExceeded)
        expect(code { try KeyedArchive.decode([Branch].self, from: archive) }, equals: .corrupt)
    }

    @Test func `a billion laughs are refused`() {
        let archive = chain(60, copies: 10, last: 0)
        expect(code { try ArchivedValue(archive: archive) }, equals: .limitExceeded)
        expect(code { try KeyedArchive.decode([Branch].self, from: archive) }, equals: .corrupt)
    }

    /// Branches whose branches are the next ones, `copies` times.
    private func branches(_ count: Int, copies: Int, last: Int) -> [UInt8] {
        archive(class: "Branch") { list, classUID in
            let arrayName = list.array([list.string("NSArray")])
            let arrayClass = list.dictionary([
                (list.string("$classname"), list.string("NSArray")), (list.string("$classes"), arrayName),
            ])
            let keys = (list.string("id"), list.string("branches"), list.string("$class"), list.string("NS.objects"))
            let zero = list.int(1)
            let arrayClassUID = list.uid(2 + count * 2)
            var entries: [Int] = []
            for index in 0..<count {
                let next = list.uid(index == count - 1 ? last : 2 + (index + 1) * 2)
                let elements = list.array(Array(repeating: next, count: copies))
                let arrayUID = list.uid(3 + index * 2)
                entries.append(list.dictionary([(keys.0, zero), (keys.1, arrayUID), (keys.2, classUID)]))
                entries.append(list.dictionary([(keys.3, elements), (keys.2, arrayClassUID)]))
            }
            return entries + [arrayClass]
        }
    }

    @Test func `models that contain themselves, or each other too often, are refused`() throws {
        expect(code { try KeyedArchive.decode(Branch.self, from: branches(1, copies: 1, last: 2)) }, equals: .corrupt)
        expect(code { try KeyedArchive.decode(Branch.self, from: branches(40, copies: 4, last: 2)) }, equals: .corrupt)
        expect(
            code { try KeyedArchive.decode(Branch.self, from: branches(5000, copies: 1, last: 2)) }, equals: .corrupt)
        let shared = archive(class: "Branch") { list, classUID in
            [list.dictionary([(list.string("id"), list.int(8)), (list.string("$class"), classUID)])]
        }
        try expect(KeyedArchive.decode(Branch.self, from: shared).id, equals: 8)
        let laughs = branches(60, copies: 10, last: 2)
        expect(code { try KeyedArchive.decode(Branch.self, from: laughs) }, equals: .corrupt)
    }

    // MARK: Wrong bytes

    @Test(arguments: [
        (24, 0xFF), (26, 0), (26, 9), (25, 0), (25, 9), (8, 0xFF), (16, 0xFF), (1, 0), (24, 1),
    ])
    func `a trailer that contradicts itself is refused`(fromEnd: Int, value: Int) throws {
        var archive = try KeyedArchive.encode(desk)
        archive[archive.count - fromEnd] = UInt8(value)
        expect(readEveryWay(archive), equals: [.corrupt, .corrupt, .corrupt])
    }

    private func listWith(_ object: [UInt8]) -> [UInt8] {
        archive(class: "Branch") { list, classUID in
            let value = list.add(object)
            return [list.dictionary([(list.string("id"), value), (list.string("$class"), classUID)])]
        }
    }

    @Test(arguments: [
        [0x15], [0x1F], [0x20], [0x24], [0x2F], [0x4F, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0x5F, 0x14], [0x6F, 0x12, 0x7F, 0xFF, 0xFF, 0xFF], [0xAF, 0x13, 0x80, 0, 0, 0, 0, 0, 0, 0],
        [0xDF, 0x12, 0xFF, 0xFF, 0xFF, 0xFF], [0x8F], [0x70], [0x51, 0x80], [0x62, 0xD8, 0x00, 0x00, 0x41],
        [0x14, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [0x80, 99], [0x83, 0xFF, 0xFF, 0xFF, 0xFF],
    ])
    func objectsOfImpossibleWidthLengthOrKind(object: [UInt8]) {
        expect(code { try KeyedArchive.decode(Branch.self, from: listWith(object)) }, equals: .corrupt)
        expect(code { try ArchivedValue(archive: listWith(object)) }, equals: .corrupt)
    }

    @Test func `a repeated key is refused`() {
        let twice = archive(class: "Branch") { list, classUID in
            [
                list.dictionary([
                    (list.string("id"), list.int(1)), (list.string("id"), list.int(2)),
                    (list.string("$class"), classUID),
                ])
            ]
        }
        expect(readEveryWay(twice), equals: [.corrupt, .corrupt, .corrupt])
    }

    @Test func `a value of a wrong type names its property`() {
        let archive = archive(class: "Branch") { list, classUID in
            let text = list.uid(3)
            return [
                list.dictionary([
                    (list.string("id"), list.int(1)), (list.string("name"), list.int(5)),
                    (list.string("$class"), classUID),
                ]), text,
            ]
        }
        do {
            _ = try KeyedArchive.decode(Branch.self, from: archive)
            Issue.record("read")
        } catch {
            expect(error.code, equals: .typeMismatch)
            expect(error.property, equals: "name")
            expect(error.storedValue, equals: .int(5))
        }
    }

    @Test func `records without a key, or of Foundation's classes, are refused`() {
        let keyless = archive(class: "Branch") { list, classUID in
            [list.dictionary([(list.string("$class"), classUID)])]
        }
        expect(code { try KeyedArchive.decode(Branch.self, from: keyless) }, equals: .typeMismatch)
        let set = archive(class: "NSSet") { list, classUID in
            [list.dictionary([(list.string("id"), list.int(1)), (list.string("$class"), classUID)])]
        }
        expect(code { try KeyedArchive.decode(Branch.self, from: set) }, equals: .corrupt)
    }
}
