import TestSupport
import Testing

/// Tests the code that the markers of properties and of structs add.
@Suite struct MarkerExpansionTests {
    @Test(arguments: [
        ("@Indexed var a: Int", #""a", (Int).self, [.indexed]"#),
        ("@Created var a = Date()", #""a", (Date).self, [.created], default: { Date() }"#),
        ("@Modified var a: Date?", #""a", (Date?).self, [.modified]"#),
        ("@Expires var a: Date?", #""a", (Date?).self, [.expires]"#),
        ("@Unique var a: Int", #""a", (Int).self, [.unique]"#),
        ("@Unique @Indexed var a: Int", #""a", (Int).self, [.indexed, .unique]"#),
        ("@StorageKit.Indexed var a: Int", #""a", (Int).self, [.indexed]"#),
    ])
    func `indexed and unique are traits`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test(arguments: [
        (#"@Field("b") var a: Int"#, #""a", (Int).self, stored: "b""#),
        (##"@Field(#"b"c"#) var a: Int"##, ##""a", (Int).self, stored: #"b"c"#"##),
        (#"@Field("b", renamedFrom: "c") var a: Int"#, #""a", (Int).self, stored: "b", renamedFrom: "c""#),
        (#"@Field(renamedFrom: "c") var a: Int"#, #""a", (Int).self, renamedFrom: "c""#),
        (#"@Field(renamedFrom: "c", "d") var a: Int"#, #""a", (Int).self, renamedFrom: "c", "d""#),
        (
            #"@Field("b", renamedFrom: "c", "d", path: "e") var a = 1"#,
            #""a", (Int).self, stored: "b", renamedFrom: "c", "d", default: { 1 }).json(path: "e""#
        ),
        (#"@Unique @Field("b") var a = 1"#, #""a", (Int).self, [.unique], stored: "b", default: { 1 }"#),
    ])
    func `a field has its stored names`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test func `what a field says of JSON stands after its property`() {
        let source = #"@Field("b", path: "c.d", dates: .iso8601, lenient: true, convert: { $0 }) var a = 1"#
        expect(
            Expansion(properties: source).lines(with: ".json("),
            equals: [
                #"StorageAPI.Property("a", (Int).self, stored: "b", default: { 1 })"#
                    + #".json(path: "c.d", dates: .iso8601, lenient: true, convert: { $0 }),"#
            ])
    }

    @Test func `markers of others are passed over`() {
        expect(Expansion(properties: "@Other.Ignored var a: Int").properties, equals: [#""a", (Int).self"#])
    }

    @Test func `the key is the property called id`() {
        let expansion = Expansion("@Storable struct A { var name: String; var id: String }")
        expect(expansion.lines(with: "typealias"), equals: ["typealias Key = String"])
        expect(expansion.properties, equals: [#""name", (String).self"#])
        expect(expansion.lines(with: "[.key]"), equals: [#"StorageAPI.Property("id", (String).self, [.key]),"#])
    }

    @Test func `a marked key makes id a property like others`() {
        let expansion = Expansion("@Storable struct A { var id: Int; @Key var name: String }")
        expect(expansion.lines(with: "typealias"), equals: ["typealias Key = String"])
        expect(expansion.lines(with: "[.key]"), equals: [#"StorageAPI.Property("name", (String).self, [.key]),"#])
    }

    @Test(arguments: ["Int?", "Int!", "Optional<Int>", "(Int)?"])
    func `an Optional key is assigned, and its own type is not Optional`(type: String) {
        let expansion = Expansion("@Storable struct A { var id: \(type) }")
        expect(expansion.lines(with: "typealias"), equals: ["typealias Key = Int"])
        expect(expansion.lines(with: "func assign"), equals: ["nonisolated mutating func assign(_ key: Key) {"])
    }

    @Test func `a key that is always there is never assigned`() {
        expect(Expansion("@Storable struct A { var id: Int }").lines(with: "func assign").isEmpty)
    }

    @Test(arguments: [
        (#"@Storable("select") struct A { var id: Int }"#, #"StorageAPI.ModelSchema("select", ["#),
        ("@Storable struct `Type` { var id: Int }", #"StorageAPI.ModelSchema("Type", ["#),
    ])
    func `a model has its own name or the given one`(source: String, schema: String) {
        expect(Expansion(source).lines(with: "StorageAPI.ModelSchema("), equals: [schema])
    }

    @Test(arguments: [
        ("public struct A { var id: Int }", "public typealias Key = Int"),
        ("package struct A { var id: Int }", "package typealias Key = Int"),
        ("private struct A { var id: Int }", "typealias Key = Int"),
        ("fileprivate struct A { var id: Int }", "typealias Key = Int"),
    ])
    func `members are visible where the struct is`(source: String, key: String) {
        expect(Expansion("@Storable " + source).lines(with: "typealias"), equals: [key])
    }

    @Test func `a struct in a public extension is public`() {
        let expansion = Expansion("public extension Shop { @Storable struct A { var id: Int } }")
        expect(expansion.lines(with: "typealias"), equals: ["public typealias Key = Int"])
    }

    @Test func `a nested model is extended by its full name`() {
        let expansion = Expansion("struct Shop { enum Shelf { @Storable struct A { var id: Int } } }")
        expect(
            expansion.lines(with: "extension"),
            equals: [
                "extension Shop.Shelf.A: StorageAPI.Storable, StorageAPI.AlwaysKeyed {"
            ])
    }

    @Test(arguments: [
        "init(x: Int) { id = x }", "init?() { nil }",
        """
        #if DEBUG
        init() { id = 1 }
        #endif
        """,
    ])
    func `with an initialiser in the body the properties are assigned`(initializer: String) {
        let expansion = Expansion("@Storable struct A { var id: Int\n\(initializer)\n}")
        expect(expansion.lines(with: "self.init").isEmpty)
        expect(expansion.lines(with: "self.id = p0"), equals: ["self.id = p0"])
    }

    @Test(arguments: ["@Storable @Observed struct A { var id: Int }", "@Storable struct A { @Clamped var id: Int }"])
    func `with macros or wrappers of others the properties are assigned`(source: String) {
        expect(Expansion(source).lines(with: "self.id = p0"), equals: ["self.id = p0"])
    }

    @Test func `attributes of the language leave the memberwise initialiser`() {
        let expansion = Expansion("@Storable @MainActor struct A { @available(*, deprecated) var id: Int }")
        expect(expansion.lines(with: "self.init"), equals: ["self.init(id: p0)"])
    }
}
