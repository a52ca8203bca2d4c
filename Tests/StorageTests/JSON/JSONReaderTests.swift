import Foundation
import StorageKit
import Testing

/// Records without owned ones are read from their bytes, others from parsed values.
@Suite("Two ways to read JSON") struct JSONReaderTests {
    @Storable struct Flat: Equatable {
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
    }
    @Storable struct None: Equatable {
        var value = 0
    }
    /// The same with an owned property.
    @Storable struct Graph: Equatable {
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
        var nothing: None?

        var flat: Flat {
            Flat(
                id: id, name: name, size: size, part: part, isOn: isOn, mark: mark, list: list, count: count, at: at,
                text: text)
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
        #""at": 1700000000.25"#, #""at": "2023-11-14""#, #""text": {"k": [1]}"#, #""text": "a""#, #""text": null"#,
        #""other": {"z": [1, {"y": null}]}"#, #""other": {"z": 1, "z": 2}"#, #""other": 1, "other": 2"#,
        #""other": 01"#,
        #""other": "\ud800""#, #""other": [1,]"#, #""": 1"#, #""id": 5"#, "\"name\": \"\u{7F}\"",
        "\"other\": \"\u{1}\"",
    ]

    @Test func `both read the same and refuse the same`() {
        func result<T>(_ body: () throws(StorageError) -> T) -> Result<T, StorageError> { Result(catching: body) }
        for first in Self.members {
            for second in Self.members.prefix(12) + [#""isOn": true"#] {
                let json = "{\(first), \"id\": 9, \(second)}".data
                let plain = result { () throws(StorageError) in try Flat(json: json) }
                let built = result { () throws(StorageError) in try Graph(json: json).flat }
                switch (plain, built) {
                case (.success(let left), .success(let right)): #expect(left == right, "\(json)")
                case (.failure(let left), .failure(let right)):
                    #expect(left.message == right.message && left.property == right.property)
                default: Issue.record("{\(first), \(second)}: \(plain), \(built)")
                }
            }
        }
    }

    @Test func `text that is not UTF-8 is refused`() async {
        let bad = #"{"id": 1, "cityName": ""#.data + [0xFF] + #""}"#.data
        await expectError(.invalidValue) { try Town(json: bad) }
        let unknown = #"{"id": 1, "cityName": "", "x": ""#.data + [0xC3] + #""}"#.data
        await expectError(.invalidValue) { try Town(json: unknown) }
    }
}
