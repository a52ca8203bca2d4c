import Foundation
import MemoryBackend
import StorageKit
import TestSupport
import Testing

@Suite("JSON into models") struct JSONDecodingTests {
    static let whole = """
        {"id": 7, "name": "Ann", "info": {"age": 28, "height": "1.75", "more": [1, {"a": null}]}, "nickname": null,
         "motto": null, "rank": "senior", "born": "03.04.1991 05:06", "code": "ab", "tags": ["x", "\\u00e4"],
         "town": {"id": 1, "cityName": "Chengdu", "spell": "ChengDu"},
         "quills": [{"colour": {"name": "red"}}, {"colour": {"name": "blue"}, "price": 2}],
         "editor": {"name": "Bob", "id": 8}, "friends": [1, {"id": 2}]}
        """

    static let ann = Writer(
        id: 7, name: "Ann", age: 28, nickname: nil, motto: nil, rank: .senior,
        born: Date(timeIntervalSince1970: 670_655_160), height: 1.75, code: "AB", tags: ["x", "ä"],
        town: Town(id: 1, name: "Chengdu"), quills: [Quill(color: "red"), Quill(color: "blue", price: 2)], editor: 8,
        friends: [1, 2])

    @Test func `a graph is read by the schema of its type`() throws {
        try expect(Writer(json: Self.whole.data), equals: Self.ann)
    }

    @Test func `a missing member gives the default and null gives nil`() throws {
        let writer = try Writer(json: #"{"id": 1, "name": "A"}"#.data)
        expect(writer, equals: Writer(id: 1, name: "A"))
        expect(writer.motto, equals: "none")
        try expect(Writer(json: #"{"id": 1, "name": "A", "motto": null}"#.data).motto == nil)
        try expect(Writer(json: #"{"id": 1, "name": "A", "info": null}"#.data).age, equals: 18)
    }

    @Test func `a path leads to one object or to a list`() throws {
        let json = #"{"ok": true, "data": {"n": [[2], "}"], "people": [{"id": 1, "cityName": "A"}], "x": 1}, "y": []}"#
        try expect(Town.models(json: json.data, at: "data.people"), equals: [Town(id: 1, name: "A")])
        try expect(
            Town(json: #"{"data": {"id": 1, "cityName": "A"}, "x": {}}"#.data, at: "data"),
            equals: Town(id: 1, name: "A")
        )
        try expect(Town.models(json: #"{"data": []}"#.data, at: "data").isEmpty)
    }

    @Test func `keys that the store assigns may be missing, and owned records come in order`() throws {
        let json =
            #"[{"text": "a", "children": [{"text": "b", "children": [{"text": "c"}]}, {"text": "d"}]}, {"text": "e"}]"#
        let lines = try Line.models(json: json.data)
        expect(
            lines,
            equals: [
                Line(text: "a", children: [Line(text: "b", children: [Line(text: "c")]), Line(text: "d")]),
                Line(text: "e"),
            ])
    }

    @Test func `records come in any order of keys, and a key may come again`() throws {
        let json =
            #"[{"id": 3, "text": "a", "children": [{"text": "x"}]}, {"id": 1, "text": "b", "children": [{"text": "y"}]},"#
            + #"{"id": 3, "text": "c", "children": [{"text": "z"}]}]"#
        let lines = try Line.models(json: json.data)
        expect(lines.map(\.id), equals: [3, 1, 3])
        expect(lines.map { $0.children.map(\.text) }, equals: [["x"], ["y"], ["z"]])
    }

    @Test(arguments: [
        (#"{"id": 1, "name": 5}"#, "name is 5, not a valid string.", "name"),
        (#"{"id": "1", "name": "A"}"#, #"id is the text "1", not a valid int64."#, "id"),
        (#"{"name": "A"}"#, "id is missing.", "id"),
        (#"{"id": 1, "name": null}"#, "name is null, and the property is not optional.", "name"),
        (#"{"id": 1, "name": "A", "info": {"age": 1.5}}"#, "info.age is 1.5, not a valid int64.", "age"),
        (#"{"id": 1, "name": "A", "info": 3}"#, "info.age is looked for in an object, and there is 3.", "age"),
        (
            #"{"id": 1, "name": "A", "born": "1991"}"#,
            "born is the text \"1991\", not a valid date of the form dd.MM.yyyy HH:mm.", "born"
        ),
        (
            #"{"id": 1, "name": "A", "quills": [{"colour": {"name": "a"}}, {"colour": {}}]}"#,
            "quills[1].colour.name is missing.", "quills[1].color"
        ),
        (#"{"id": 1, "name": "A", "quills": {}}"#, "quills must be an array of objects; it is an object.", "quills"),
        (
            #"{"id": 1, "name": "A", "editor": {"name": 1}}"#, "editor has no id, which is the key of the record.",
            "editor"
        ),
        (
            #"{"id": 1, "name": "A", "rank": "chief"}"#,
            "rank is \"chief\", which the property's type has no value for.", "rank"
        ),
    ])
    func `an error names the place, what stood there and the property`(
        _ json: String, _ message: String, _ property: String
    ) async throws {
        let error = await expectError(.invalidValue) { try Writer(json: json.data) }
        expect(error?.message, equals: message)
        expect(error?.property, equals: property)
        let listed = #"{"data": [{"id": 0, "name": "Z"}, "# + json + "]}"
        let inList = await expectError(.invalidValue) { try Writer.models(json: listed.data, at: "data") }
        expect(inList?.message, equals: "data[1]." + message)
        expect(inList?.element, equals: 1)
    }

    @Test(arguments: [
        ("", "", "ends where a record should be"), ("[", "", "ends inside a record"),
        ("[{\"id\": 1,}]", "", "[0], line 1: A member's name is expected here."),
        ("[{\"id\": 1}, 5]", "", "[0].cityName is missing."), ("[5]", "", "[0], line 1: A record must be an object"),
        ("{\"a\": 1}", "b", "there is no b"), ("[]", "a", "there is no object that has a"),
        ("{\"a\": [{\"id\": 1, \"cityName\": \"\"}] x}", "a", "there is no }"), ("[] 5", "", "text after the end"),
        ("[{\"id\": 1, \"id\": 2}]", "", "is there twice"),
        ("{\"id\": 1, \"cityName\": \"\"} {\"id\": 2}", "", "text after the end"),
        ("{\"id\": 1, \"cityName\": \"\"}\n[]", "", "text after the end"),
        ("{\"id\": 1, \"cityName\": \"\"}\n{\"id\": 2}", "", "[1].cityName is missing."),
        ("{\"id\": 1, \"cityName\": \"\"}\n{\"id\": 2", "", "[1], line 2: "),
        ("{\"a\": {\"id\": 1, \"cityName\": \"\"}\n{\"id\": 2}}", "a", "there is no }"),
        ("[{\"id\": 1, \"cityName\": \"\"},]", "", "there is no record after a comma"),
        ("[{\"id\": 1, \"cityName\": \"\"}, \n ]", "", "line 2: there is no record after a comma"),
        ("[,]", "", "there is no record before a comma"),
        ("[{\"id\": 1, \"cityName\": \"\"}", "", "there is no , after a record"),
    ])
    func `text that is no such JSON is refused`(_ json: String, _ path: String, _ message: String) async throws {
        let error = await expectError(.invalidValue) { try Town.models(json: json.data, at: path) }
        expect(error?.message.contains(message), equals: true, "\(error?.message ?? "")")
    }

    @Test func `numbers and texts stand for each other only where it is asked for`() async throws {
        let json = #"{"id": "7", "name": 5, "info": {"age": 28.0, "height": "1.5"}}"#
        try expect(Writer(json: json.data, lenient: true), equals: Writer(id: 7, name: "5", age: 28, height: 1.5))
        await expectError(.invalidValue) { try Writer(json: json.data) }
        await expectError(.invalidValue) {
            try Writer(json: #"{"id": 1, "name": "A", "info": {"age": "x"}}"#.data, lenient: true)
        }
    }

    @Storable struct Sample: Equatable {
        var id = 1
        var flag = false
        var small: Int8 = 0
        var big: UInt64 = 0
        var real = 0.0
        var amount: Decimal = 0
        var wait: Duration = .zero
        var text = ""
        var data = Data()
        var link: URL?
        var flags: [Bool] = []
        var numbers: [Int] = []
        var amounts: [Decimal] = []
        var waits: [Duration] = []
        var next: Ref<Sample> = 7
        var kid = Town(id: 1, name: "k")
        var kids: [Town] = [Town(id: 2, name: "l")]
    }

    /// Tests the form in which the type itself is written.
    @Test(arguments: [
        ("flag", "true"), ("small", "3"), ("small", "3.0"), ("small", "30e-1"), ("small", "-1.28E2"), ("small", "-0.0"),
        ("big", "18446744073709551615"), ("big", "18446744073709551615.0"), ("big", "9007199254740993.0"),
        ("real", "1"), ("real", "1.5"), ("real", "\"Infinity\""), ("amount", "0.1"), ("amount", "1e2"),
        ("amount", "\"NaN\""),
        ("wait", "1.5"), ("wait", "2"), ("text", "\"3\""), ("data", "\"AQI=\""), ("link", "\"http://a\""),
        ("flags", "[true]"), ("numbers", "[1, 2.0, 1e2]"), ("amounts", "[0.1, \"0.2\"]"), ("waits", "[1.5, \"2\"]"),
        ("next", "3"), ("next", "3.0"),
    ])
    func `a value of the type's own form is read, lenient or not`(_ name: String, _ value: String) throws {
        let json = "{\"\(name)\": \(value)}".data
        let strict = try Sample(json: json)
        try expect(Sample(json: json, lenient: true), equals: strict)
        try expect(Sample(json: strict.json()), equals: strict)
    }

    @Test func `a number is read by its value`() throws {
        try expect(Sample(json: #"{"big": 9007199254740993.0}"#.data).big, equals: 9_007_199_254_740_993)
        try expect(Sample(json: #"{"small": -1.28e2}"#.data).small, equals: -128)
        try expect(Sample(json: #"{"amounts": [1e2, "0.10"]}"#.data).amounts, equals: [100, Decimal(string: "0.1")!])
        try expect(Sample(json: #"{"numbers": [2.0, 1e2]}"#.data).numbers, equals: [2, 100])
        try expect(Sample(json: #"{"wait": 1.5}"#.data).wait, equals: .milliseconds(1500))
    }

    /// Tests the forms that only `lenient` takes, and the values that it makes of them.
    @Test(arguments: [
        ("flag", "1", "true"), ("flag", "0.0", "false"), ("flag", "\"true\"", "true"), ("flag", "\"1\"", "true"),
        ("small", "\"3\"", "3"), ("small", "\"3.0\"", "3"), ("small", "true", "1"), ("real", "\"1.5\"", "1.5"),
        ("amount", "\"0.1\"", "0.1"), ("wait", "\"1.5\"", "1.5"), ("text", "3.10", "\"3.10\""),
        ("text", "true", "\"true\""),
        ("flags", "[1, \"false\"]", "[true, false]"), ("numbers", "[\"1\", true]", "[1, 1]"), ("next", "\"3\"", "3"),
        ("text", "null", "\"\""), ("next", "null", "7"), ("kid", "null", #"{"id": 1, "cityName": "k"}"#),
        ("kids", "null", #"[{"id": 2, "cityName": "l"}]"#),
    ])
    func `nothing is converted unless it is asked for`(_ name: String, _ value: String, _ same: String) async throws {
        let json = "{\"\(name)\": \(value)}".data
        let error = await expectError(.invalidValue) { try Sample(json: json) }
        if value == "null" { expect(error?.message, equals: "\(name) is null, and the property is not optional.") }
        try expect(Sample(json: json, lenient: true), equals: Sample(json: "{\"\(name)\": \(same)}".data))
    }

    @Test(arguments: [
        ("flag", "2"), ("flag", "\"yes\""), ("small", "128.0"), ("small", "1.5"), ("small", "1e400"),
        ("small", "\"x\""),
        ("big", "-1.0"), ("big", "18446744073709551616.0"), ("amount", "\"x\""), ("wait", "\"x\""), ("data", "1234"),
        ("link", "28"), ("text", "[]"), ("numbers", "[1.5]"), ("amounts", "[true, {}]"), ("kid", "[]"), ("kids", "{}"),
    ])
    func `what is no value of the type is refused, lenient or not`(_ name: String, _ value: String) async throws {
        let json = "{\"\(name)\": \(value)}".data
        await expectError(.invalidValue) { try Sample(json: json) }
        await expectError(.invalidValue) { try Sample(json: json, lenient: true) }
    }

    @Storable struct SamePlace {
        var id: Int
        @Field(path: "info.age") var age = 1
        @Field(path: "info.age") var years = 2
    }
    @Storable struct InsidePlace {
        var id: Int
        @Field(path: "info.age.years") var years = 1
        @Field(path: "info.age") var age = 2
    }
    @Storable struct NamePlace {
        var id: Int
        var info = ""
        @Field(path: "info.age") var age = 2
    }
    @Storable struct OwnedPlace {
        var id: Int
        var parts: [SamePlace] = []
    }
    @Storable struct Places {
        var id: Int
        @Field(path: "info") var age = 1
        @Field("info", path: "other.age") var years = 2
        @Field(path: "other.more") var more = 3
    }

    @Test(arguments: [
        (SamePlace.self as any Storable.Type, ["age", "years", "both at info.age"]),
        (InsidePlace.self, ["years", "age", "info.age.years", "info.age"]),
        (NamePlace.self, ["info", "age", "info.age"]),
        (OwnedPlace.self, ["age", "years"]),
    ])
    func `properties in one place of the JSON are refused at opening`(_ model: any Storable.Type, _ named: [String])
        async
    {
        let error = await expectError(.configuration) { try await Store(InMemoryBackend(), models: [model]) }
        for name in named { expect(error?.message.contains(name), equals: true, "\(error?.message ?? "")") }
    }

    @Test func `places that are near each other are none`() async throws {
        try await Store(InMemoryBackend(), models: Places.self).close()
        try expect(Places(json: #"{"id": 1, "info": 5, "other": {"age": 6, "more": 7}}"#.data).json().count > 20)
        await expectError(.configuration) { try SamePlace(json: #"{"id": 1}"#.data) }
    }

    @Storable struct Stamps: Equatable {
        var id: Int
        var at: Date
        @Field(dates: .secondsSince1970) var seconds: Date?
        var all: [Date] = []
    }

    @Test func `dates have the form that is declared`() async throws {
        let date = Date(timeIntervalSince1970: 1_700_000_000)
        let iso =
            #"{"id": 1, "at": "2023-11-14T22:13:20Z", "seconds": 1700000000, "all": ["2023-11-14T23:13:20+01:00"]}"#
        let stamps = Stamps(id: 1, at: date, seconds: date, all: [date])
        try expect(Stamps(json: iso.data), equals: stamps)
        try expect(Stamps(json: iso.data, dates: .iso8601), equals: stamps)
        let milliseconds = #"{"id": 1, "at": 1700000000000, "seconds": 1700000000, "all": [1700000000000]}"#
        try expect(Stamps(json: milliseconds.data, dates: .millisecondsSince1970), equals: stamps)
        await expectError(.invalidValue) { try Stamps(json: iso.data, dates: .millisecondsSince1970) }
        await expectError(.invalidValue) { try Stamps(json: milliseconds.data, dates: .iso8601) }
        let days = #"{"id": 1, "at": "14/11/23"}"#
        await expectError(.invalidValue) { try Stamps(json: days.data, dates: .pattern("d/M/yyyy")) }
        let day = try Stamps(json: #"{"id": 1, "at": "4/1/2023"}"#.data, dates: .pattern("d/M/yyyy"))
        expect(day.at, equals: Date(timeIntervalSince1970: 1_672_790_400))
    }

    @Test func `a record is written as JSON that makes it again`() async throws {
        let json = try Self.ann.json()
        try expect(Writer(json: json), equals: Self.ann)
        expect(String(decoding: json, as: UTF8.self).contains(#""born":"03.04.1991 05:06""#))
        expect(String(decoding: json, as: UTF8.self).contains(#""info":{"age":28,"height":1.75}"#))
        let lines = [Line(text: "a", children: [Line(text: "b")]), Line(id: 3, text: "c")]
        try expect(Line.models(json: try lines.json()), equals: lines)
    }

    @Test func `a dictionary is read as its JSON`() async throws {
        let dictionary: [String: Any] = [
            "id": 7, "name": "Ann", "info": ["age": UInt8(28), "height": 1.75] as [String: Any],
            "nickname": Int?.none as Any, "tags": ["x"], "born": Date(timeIntervalSince1970: 0),
        ]
        await expectError(.invalidValue) { try Writer(dictionary: dictionary) }
        let known = dictionary.filter { $0.key != "born" }
        try expect(Writer(dictionary: known), equals: Writer(id: 7, name: "Ann", age: 28, height: 1.75, tags: ["x"]))
        let error = await expectError(.invalidValue) {
            try Writer(dictionary: ["id": 1, "name": ["x": Backend.memory]])
        }
        expect(error?.message.hasPrefix("name.x is of type Backend"), equals: true)
    }

    @Test func `what JSON parsers return is read`() throws {
        let parsed = try JSONSerialization.jsonObject(with: Self.whole.data) as? [String: Any]
        try expect(Writer(dictionary: parsed ?? [:]), equals: Self.ann)
    }

    @Test func `a path without a name is refused`() async throws {
        await expectError(.configuration) { try Town.models(json: "[]".data, at: "a..b") }
    }
}
