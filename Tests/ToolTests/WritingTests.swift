import Foundation
import StorageKit
import TestSupport
import Testing

@Suite struct WritingTests {
    let ann = Person(
        id: 8, name: "Ann", age: 40, tags: ["t"], city: City(name: "Oslo", population: 1),
        pens: [Pen(color: "red", price: 0.5)])
    let json = #"""
        {"id": 8, "name": "Ann", "age": 40, "tags": ["t"], "city": {"name": "Oslo", "population": 1},
         "pens": [{"color": "red", "price": 0.5}]}
        """#

    @Test(arguments: Engine.one(.sqlite))
    func `records are inserted from arguments, JSON text and standard input`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let line = json.replacing("\n", with: "")
        try await tool.output("insert", Tool.file, "Person", "--json", json)
        try await expect(tool.people(engine).last, equals: ann)
        for input in [json, "[\(json)]", line + "\n", " \(line)\n\n\(line.replacing("8,", with: "9,"))\n"] {
            try await tool.output("delete", Tool.file, "Person", "--where", "id > 7", "--yes")
            try await tool.output("insert", Tool.file, "Person", "--quiet", input: input)
            try await expect(tool.people(engine).first { $0.id == 8 }, equals: ann)
        }
        try await expect(tool.people(engine).map(\.id), equals: [1, 2, 7, 8, 9])
        let stored = try await tool.output(
            "insert", Tool.file, "Person", "name=a=b", "age=-3", "tags=[\"ü\"]", "pens=[]")
        expect(stored, equals: #"{"id":10,"name":"a=b","age":-3,"tags":["ü"],"city":null,"pens":[]}"# + "\n")
        try await tool.output("insert", Tool.file, "Pair", "first= x ", "second=0", "note=null")
        try await tool.with(engine) { (store) async throws in
            try await expect(store.select(Pair.self).all().first, equals: Pair(first: " x ", second: 0, note: nil))
        }
    }

    @Test(arguments: Engine.one(.archive))
    func `a list of owned records that is left out is empty`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output(
            "insert", Tool.file, "Person", "--quiet", "--json", #"{"name": "A", "age": 1, "tags": []}"#)
        try await tool.output("save", Tool.file, "Person", "--quiet", "id=1", "name=W", "age=2", "tags=[]")
        let people = try await tool.people(engine)
        expect(people.first, equals: Person(id: 1, name: "W", age: 2, tags: [], city: nil, pens: []))
        expect(people.last?.name == "A" && people.last?.pens == [])
        let message = try await tool.failure(
            65, "save", Tool.file, "Person", input: #"{"name": "A", "age": 1, "tags": [], "pens": null}"#)
        expect(message.contains("pens is missing"), "\(message)")
    }

    @Test(arguments: Engine.one(.sqlite))
    func `what is no record of the model is refused by place and property`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let before = try await tool.people(engine)
        for (input, words) in [
            ("", ["Standard input, line 1"]),
            ("{\n\"id\": 1", ["Standard input, line 2"]),
            ("[1]", ["object"]),
            (#"{"id": 8}"#, ["name", "missing"]),
            (#"{"name": "x", "age": "old", "tags": [], "pens": []}"#, ["age"]),
            (#"{"name": "x", "age": 1e400, "tags": [], "pens": []}"#, ["age"]),
            (#"{"name": "x", "age": 1, "tags": [1], "pens": []}"#, ["tags"]),
            (#"{"name": "x", "age": 1, "tags": [], "pens": [{"color": "red"}]}"#, ["pens[0].price", "missing"]),
            (#"{"name": "x", "age": 1, "tags": [], "pens": [], "nose": 1}"#, ["nose", "city"]),
            ("{\"name\": \"x\", \"age\": 1, \"tags\": [], \"pens\": []}\n{\"name\": 2}\n", ["line 2", "name"]),
            ("{\"name\": \"x\", \"age\": 1, \"tags\": [], \"pens\": []}\n{\"name\": \n", ["line 2"]),
        ] {
            let message = try await tool.failure(65, "insert", Tool.file, "Person", input: input)
            expect(words.allSatisfy(message.contains), "\(message)")
        }
        let invalid = try await tool.failure(
            65, ["insert", Tool.file, "Person"],
            input: Data(#"{"name": ""#.utf8) + Data([0xC3, 0x28]) + Data(#"", "age": 1, "tags": [], "pens": []}"#.utf8))
        expect(invalid.contains("UTF-8"), "\(invalid)")
        try await expect(tool.failure(65, "insert", Tool.file, "Person", "nose=1").contains("nose"))
        try await expect(tool.failure(64, "insert", Tool.file, "Person", "age").contains("PROPERTY=VALUE"))
        try await expect(tool.failure(64, "insert", Tool.file, "Person", "age=1", "age=2").contains("twice"))
        try await expect(tool.failure(65, "insert", Tool.file, "Nobody", "age=1").contains("Pair, Person"))
        try await expect(tool.people(engine), equals: before)
    }

    @Test(arguments: Engine.one(.archive))
    func `one refused record undoes all`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let message = try await tool.failure(
            65, "insert", Tool.file, "Person", input: "[\(json), \(json.replacing("8,", with: "7,"))]")
        expect(message.contains("duplicateKey") && message.contains("7"))
        try await expect(tool.people(engine), equals: Person.samples)
    }

    @Test(arguments: Engine.one(.archive))
    func `save replaces whole records, and update only those that are there`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.output("save", Tool.file, "Person", "id=1", "name=W", "age=1", "tags=[]", "pens=[]")
        var first = try #require(try await tool.people(engine).first)
        expect(first, equals: Person(id: 1, name: "W", age: 1, tags: [], city: nil, pens: []))
        try await expect(
            tool.output("update", Tool.file, "Person", "--json", json.replacing("8,", with: "1,"))
                == "1 updated.\n"
        )
        first = try #require(try await tool.people(engine).first)
        expect(first.pens, equals: ann.pens)
        try await expect(tool.failure(1, "update", Tool.file, "Person", "--json", json).contains("notFound"))
        try await expect(tool.people(engine).count, equals: 3)
        // What get prints, save takes.
        try await tool.output(
            "save", Tool.file, "Person", "--quiet", input: tool.output("get", Tool.file, "Person", "1"))
        try await expect(tool.people(engine).first, equals: first)
    }

    @Test(arguments: Engine.one(.sqlite))
    func `update sets properties of the records that meet a condition`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await expect(
            tool.output(
                "update", Tool.file, "Person", "--where", "age < 31", "--set", "age=31", "--set", "tags=[\"n\"]")
                == "2 updated.\n")
        try await expect(tool.people(engine).map(\.age), equals: [31, 31, 31])
        try await expect(tool.people(engine).map(\.tags), equals: [["n"], [], ["n"]])
        try await expect(
            tool.output("update", Tool.file, "Pair", "--set", "note=null", "--yes"), equals: "2 updated.\n")
        try await tool.with(engine) { (store) async throws in
            try await expect(store.select(Pair.self).all().map(\.note), equals: [nil, nil])
        }
        for (assignment, status) in [("id=3", 65), ("age=old", 65), ("age=null", 65), ("pens=[]", 65), ("nose=1", 65)] {
            try await tool.failure(Int32(status), "update", Tool.file, "Person", "--set", assignment, "--yes")
        }
        let before = try await tool.people(engine)
        for arguments in [
            ["update", "--set", "name=null", "--yes"], ["insert", "name=null", "age=1", "tags=[]"],
            ["save", "id=1", "name=null", "age=1", "tags=[]"],
        ] {
            let message = try await tool.failure(65, [arguments[0], Tool.file, "Person"] + arguments.dropFirst())
            expect(message.contains("name is not optional") && message.contains("the text null"), "\(message)")
        }
        try await expect(tool.people(engine), equals: before)
        try await expect(tool.failure(64, "update", Tool.file, "Person", "--set", "age=1").contains("--yes"))
        let computed = try await tool.output(
            "update", Tool.file, "Person", "--where", "id > 1", "--compute", "age = age * 2", "--set", "tags=[]")
        expect(computed, equals: "2 updated.\n")
        try await expect(tool.people(engine).map(\.age), equals: [31, 62, 62])
        try await expect(
            tool.failure(65, "update", Tool.file, "Person", "--compute", "age = nose", "--yes").contains(
                "nose"))
        try await tool.output("update", Tool.file, "Person", "--compute", "age = age - 31", "--where", "age = 62")
        try await expect(tool.people(engine).map(\.age), equals: [31, 31, 31])
        let name = try await tool.people(engine)[0].name
        try await tool.output(
            "update", Tool.file, "Person", "--compute", #"name = "<" + name + '>'"#, "--where", "id = 1")
        try await expect(tool.people(engine)[0].name, equals: "<\(name)>")
        try await tool.output("update", Tool.file, "Person", "--compute", #"name = "null""#, "--where", "id = 1")
        try await expect(tool.people(engine)[0].name, equals: "null")
    }

    @Test(arguments: Engine.one(.archive))
    func `deleting many needs yes if no user can be asked`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await expect(tool.failure(64, "delete", Tool.file, "Person", "--where", "age > 1").contains("--yes"))
        try await expect(tool.failure(64, "truncate", Tool.file, "Person").contains("3 records"))
        try await expect(tool.failure(64, "delete", Tool.file, "Person").contains("--where"))
        try await expect(
            tool.failure(65, "delete", Tool.file, "Person", "--where", "nose > 1", "--yes").contains("nose"))
        try await expect(tool.people(engine), equals: Person.samples)
        try await expect(tool.output("delete", Tool.file, "Person", "7"), equals: "1 deleted.\n")
        try await expect(tool.output("delete", Tool.file, "Person", "7"), equals: "0 deleted.\n")
        try await expect(tool.output("delete", Tool.file, "Pair", "a,b", "--", "-5"), equals: "1 deleted.\n")
        try await expect(tool.output("delete", Tool.file, "Person", "--where", "age == 31"), equals: "1 deleted.\n")
        try await expect(tool.people(engine).map(\.id), equals: [1])
        try await expect(tool.output("truncate", Tool.file, "Person", "--yes"), equals: "1 removed.\n")
        let next = try await tool.output("insert", Tool.file, "Person", "name=n", "age=1", "tags=[]", "pens=[]")
        expect(next.hasPrefix(#"{"id":1,"#))
    }
}
