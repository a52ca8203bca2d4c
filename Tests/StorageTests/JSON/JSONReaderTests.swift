import Foundation
import StorageKit
import TestSupport
import Testing

/// Records are read from their bytes, and from parsed values where something is unusual, as a conversion is.
@Suite("Two ways to read JSON") struct JSONReaderTests {
    @Storable struct Nib: Equatable {
        @Field(path: "shape.width") var width: Int8
        var note: String? = "none"
    }
    @Storable struct Plain: Equatable {
        var id: Int
        @Field(path: "a.b.name") var name = "none"
        @Field(path: "a.size") var size: Int8 = 3
        @Field(path: "a.b.part") var part: Double?
        var isOn = false
        var mark: UUID?
        var list: [Int] = []
        @Field(lenient: true) var count: UInt64 = 0
        @Field(dates: .secondsSince1970) var at: Date?
        @Field(convert: { .text("<\($0)>") }) var text: String?
        @Field(path: "a.nib") var nib: Nib?
        var nibs: [Nib] = []
        var spare: [Nib]? = [Nib(width: 9)]
        @Reference(onDelete: .unchecked) var next: Ref<Plain>?
        @Reference(onDelete: .unchecked) var others: [Ref<Plain>] = [4]
    }
    /// The same with a property that is too deep for the first, which leaves every record to the parsed values.
    @Storable struct Converted: Equatable {
        var id: Int
        @Field(path: "a.b.name") var name = "none"
        @Field(path: "a.size") var size: Int8 = 3
        @Field(path: "a.b.part") var part: Double?
        var isOn = false
        var mark: UUID?
        var list: [Int] = []
        @Field(lenient: true) var count: UInt64 = 0
        @Field(dates: .secondsSince1970) var at: Date?
        @Field(convert: { .text("<\($0)>") }) var text: String?
        @Field(path: "a.nib") var nib: Nib?
        var nibs: [Nib] = []
        var spare: [Nib]? = [Nib(width: 9)]
        @Reference(onDelete: .unchecked) var next: Ref<Plain>?
        @Reference(onDelete: .unchecked) var others: [Ref<Plain>] = [4]
        @Field(
            path:
                "x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x.x"
        ) var deep = 0

        var plain: Plain {
            Plain(
                id: id, name: name, size: size, part: part, isOn: isOn, mark: mark, list: list, count: count, at: at,
                text: text, nib: nib, nibs: nibs, spare: spare, next: next, others: others)
        }
    }

    private static let members = [
        #""a": {"b": {"name": "x", "part": 1.5}, "size": -128}"#, #""a": {"size": 128}"#, #""a": {}"#, #""a": null"#,
        #""a": {"b": null, "size": 4}"#, #""a": 5"#, #""a": {"b": {"name": "x"}}, "a": {"b": {"part": 2}}"#,
        #""a": {"b": {"name": "\u00e4\n"}, "b": {"part": 1}}"#, #""a": {"b": {"na\u006de": "y"}}"#,
        #""a": {"b": {"part": 1e3}}"#, #""a": {"b": {"part": 1e999}}"#, #""a": {"b": {"part": "-Infinity"}}"#,
        #""a": {"b": {"part": null, "name": null}}"#, #""isOn": true"#, #""isOn": 1"#, #""isOn": "true""#,
        #""isOn": tru"#,
        #""mark": "6F9619FF-8B86-D011-B42D-00C04FC964FF""#, #""mark": "x""#, #""list": [1, 2]"#, #""list": [1, "2"]"#,
        #""list": {}"#, #""count": 18446744073709551615"#, #""count": "7""#, #""count": -1"#, #""count": 2.0"#,
        #""a": {"size": 2.0}"#, #""a": {"size": 20e-1}"#, #""a": {"size": 2.5}"#, #""list": [1.0, 2e1]"#,
        #""list": [1.5]"#,
        #""list": [true]"#, #""isOn": 0"#, #""count": true"#, #""count": null"#, #""others": [1.0]"#, #""next": 5.0"#,
        #""at": 1700000000.25"#, #""at": "2023-11-14""#, #""text": {"k": [1]}"#, #""text": "a""#, #""text": null"#,
        #""other": {"z": [1, {"y": null}]}"#, #""other": {"z": 1, "z": 2}"#, #""other": 1, "other": 2"#,
        #""other": 01"#,
        #""other": "\ud800""#, #""other": [1,]"#, #""": 1"#, #""id": 5"#, "\"name\": \"\u{7F}\"",
        "\"other\": \"\u{1}\"", #""a": {"nib": {"shape": {"width": 1}}}"#, #""a": {"nib": null}"#,
        #""a": {"nib": {}}"#, #""a": {"nib": []}"#, #""a": {"nib": {"shape": {"width": 1, "width": 2}}}"#,
        #""nibs": [{"shape": {"width": 1}, "note": null}, {"note": "ä\n", "shape": {"x": 1, "width": -7}}]"#,
        #""nibs": null"#, #""nibs": {}"#, #""nibs": [null]"#, #""nibs": [{"shape": {"width": 128}}]"#,
        #""nibs": [{"shape": {"width": 1}},]"#, #""nibs": [], "nibs": []"#, #""spare": null"#, #""spare": []"#,
        #""spare": [{"shape": {"width": 5}}]"#, #""spare": 1"#, #""next": 5"#, #""next": null"#, #""next": {"id": 6}"#,
        #""next": {"name": 6}"#, #""next": "5""#, #""next": [5]"#, #""others": [1, {"x": [], "id": 2}, 1]"#,
        #""others": []"#, #""others": null"#, #""others": [null]"#, #""others": [1.5]"#, #""others": [[1]]"#,
        #""a": {"b": {"name": "\ud83d\ude00"}}"#, #""a": {"b": {"name": "\ude00"}}"#,
        #""a": {"b": {"name": "\ud83d\u0041"}}"#, #""a": {"b": {"name": "\ud83dx"}}"#,
    ]

    @Test func `both read the same and refuse the same`() {
        func result<T>(_ body: () throws(StorageError) -> T) -> Result<T, StorageError> { Result(catching: body) }
        for first in Self.members {
            for second in Self.members.prefix(12) + [#""isOn": true"#, #""nibs": [{"shape": {"width": 3}}]"#] {
                let json = "{\(first), \"id\": 9, \(second)}".data
                let read = result { () throws(StorageError) in try Plain(json: json) }
                let built = result { () throws(StorageError) in try Converted(json: json).plain }
                switch (read, built) {
                case (.success(let left), .success(let right)): expect(left, equals: right, "\(first), \(second)")
                case (.failure(let left), .failure(let right)):
                    expect(left.message == right.message && left.property == right.property)
                default: Issue.record("{\(first), \(second)}: \(read), \(built)")
                }
            }
        }
    }

    @Test func `a text's escapes are what they stand for`() async throws {
        let text = #"\"\\\/\b\f\n\r\t\u00e4\uD83D\uDE00\u0000\uFFFF\udbff\udfff"#
        let read = try Plain(json: #"{"id": 1, "a": {"b": {"name": "\#(text)"}}}"#.data).name
        expect(read, equals: "\"\\/\u{8}\u{C}\n\r\t\u{E4}\u{1F600}\0\u{FFFF}\u{10FFFF}")
        for wrong in [#"\ud83d"#, #"\ud83d\ud83d"#, #"\ude00\ud83d"#, #"\ud83d\n"#, #"\u12"#, #"\u12g4"#, #"\x"#] {
            let json = #"{"id": 1, "a": {"b": {"name": "\#(wrong)"}}}"#.data
            await expectError(.invalidValue) { try Plain(json: json) }
        }
    }

    @Test func `a number is the nearest double`() throws {
        let special = [
            "0", "-0", "-0.0", "0.1", "0.30000000000000004", "9007199254740993", "9007199254740992.5", "4.35", "1.005",
            "123456789012345.6", "1234567890.1234567", "0.0000000000000001", "-99999999999999999", "1e22", "5e-324",
            "179769313486231570000000000000000000000",
        ]
        let many = (1...500).flatMap { ["\($0 * 7919).\($0 * 104_729)", "-0.\($0 * 15_485_863)", "\($0).0\($0)"] }
        for text in special + many {
            let read = try Plain(json: #"{"id": 1, "a": {"b": {"part": \#(text)}}}"#.data).part
            expect(read?.bitPattern, equals: Double(text)?.bitPattern, "\(text)")
        }
    }

    @Test func `a record may be larger than what is read at once`() throws {
        let long = String(repeating: "long ", count: 500_000)
        let records = (0..<5).map { #"{"id": \#($0), "a": {"b": {"name": "\#($0 % 2 == 0 ? "short" : long)"}}}"# }
        for json in ["[\(records.joined(separator: ",\n"))]", records.joined(separator: "\n")] {
            let read = try Plain.models(json: json.data)
            expect(read.map(\.id), equals: [0, 1, 2, 3, 4])
            expect(read.map { $0.name == long }, equals: [false, true, false, true, false])
        }
    }

    @Test func `what a record owns by default is there where the JSON lacks it`() throws {
        let both = try (
            Plain(json: #"{"id": 1, "nibs": [{"shape": {"width": 2}}]}"#.data),
            Converted(json: #"{"id": 1, "nibs": [{"shape": {"width": 2}}]}"#.data).plain
        )
        let expected = Plain(id: 1, nibs: [Nib(width: 2)])
        expect(both == (expected, expected))
        expect(expected.spare == [Nib(width: 9)] && expected.others == [4])
        let given = try Plain(json: #"{"spare": null, "others": [], "id": 1}"#.data)
        expect(given.spare == nil && given.others.isEmpty)
        let desk = try Desk(json: #"{"id": 1}"#.data)
        expect(desk, equals: Desk(id: 1))
        expect(desk.first?.drawers.count == 2 && desk.main.drawers == [Drawer(label: "c")])
    }

    @Storable struct Drawer: Equatable {
        var label: String
        var inner: [Drawer] = []
    }
    @Storable struct Side: Equatable {
        var drawers: [Drawer] = [Drawer(label: "a", inner: [Drawer(label: "b")]), Drawer(label: "c")]
    }
    @Storable struct Desk: Equatable {
        var id: Int
        var main = Side(drawers: [Drawer(label: "c")])
        var first: Side? = Side()
    }

    @Test func `members come in any order, of records that own themselves as well`() throws {
        let json = #"""
            [{"main": {"drawers": [{"inner": [{"label": "y", "inner": [{"inner": [], "label": "z"}]}, {"label": "w"}],
            "label": "x"}, {"label": "v"}]}, "first": null, "id": 2}, {"first": {}, "main": {}, "id": 1}]
            """#
        let drawers = [
            Drawer(
                label: "x", inner: [Drawer(label: "y", inner: [Drawer(label: "z")]), Drawer(label: "w")]),
            Drawer(label: "v"),
        ]
        try expect(
            Desk.models(json: json.data),
            equals: [
                Desk(id: 2, main: Side(drawers: drawers), first: nil), Desk(id: 1, main: Side()),
            ])
    }

    @Test func `records that own themselves too deeply are refused`() async throws {
        let json =
            String(repeating: #"{"text": "a", "children": ["#, count: 100) + #"{"text": "b"}"#
            + String(repeating: "]}", count: 100)
        await expectError(.limitExceeded) { try Line(json: json.data) }
    }

    @Test func `the first record that is refused is named`() async throws {
        let good = (0..<300).map { #"{"id": \#($0), "name": "A", "quills": [{"colour": {"name": "a"}}]}"# }
        let late = good + [#"{"id": 1, "name": "A", "rank": "chief"}"#, #"{"id": 2}"#]
        let error = await expectError(.invalidValue) {
            try Writer.models(json: "[\(late.joined(separator: ","))]".data)
        }
        expect(error?.element, equals: 300)
        expect(error?.message, equals: #"[300].rank is "chief", which the property's type has no value for."#)
        let inside = good + [#"{"id": 2, "quills": [{"colour": {"name": "a"}, "price": "x"}], "name": ""}"#]
        let second = await expectError(.invalidValue) {
            try Writer.models(json: "[\(inside.joined(separator: ","))]".data)
        }
        expect(second?.element, equals: 300)
        expect(second?.message.hasPrefix("[300].quills[0].price is the text \"x\""), equals: true)
        expect(second?.property, equals: "quills[0].price")
    }

    @Test func `text that is not UTF-8 is refused`() async {
        let bad = #"{"id": 1, "cityName": ""#.data + [0xFF] + #""}"#.data
        await expectError(.invalidValue) { try Town(json: bad) }
        let unknown = #"{"id": 1, "cityName": "", "x": ""#.data + [0xC3] + #""}"#.data
        await expectError(.invalidValue) { try Town(json: unknown) }
    }
}
