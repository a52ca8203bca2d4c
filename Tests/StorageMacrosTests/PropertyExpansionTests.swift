import TestSupport
import Testing

/// Tests the expansion of each kind of property.
@Suite struct PropertyExpansionTests {
    @Test(arguments: [
        ("var a: Int", #""a", (Int).self"#),
        ("let a: [[UInt8]]", #""a", ([[UInt8]]).self"#),
        ("var a: [String: Int]", #""a", ([String: Int]).self"#),
        ("var a: Pen?", #""a", (Pen?).self"#),
        ("var a: Optional<Pen>", #""a", (Optional<Pen>).self"#),
        ("var a: Shop.Pen", #""a", (Shop.Pen).self"#),
        ("var a: Int!", #""a", (Int?).self"#),
    ])
    func `a written type is taken as it is, T! as T?`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test(arguments: [
        ("var a = 3", #""a", (Int).self, default: { 3 }"#),
        ("var a = -3", #""a", (Int).self, default: { -3 }"#),
        ("var a = 0.5", #""a", (Double).self, default: { 0.5 }"#),
        ("var a = +0.5", #""a", (Double).self, default: { +0.5 }"#),
        (#"var a = "x\(1)""#, #""a", (String).self, default: { "x\(1)" }"#),
        ("var a = true", #""a", (Bool).self, default: { true }"#),
    ])
    func `a literal gives the type`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test(arguments: [
        ("var a = Date()", #""a", (Date).self, default: { Date() }"#),
        ("var a = Foundation.UUID()", #""a", (Foundation.UUID).self, default: { Foundation.UUID() }"#),
        ("var a = Date.init()", #""a", (Date).self, default: { Date.init() }"#),
        ("var a = Set<Int>()", #""a", (Set<Int>).self, default: { Set<Int>() }"#),
        ("var a = [Int]()", #""a", ([Int]).self, default: { [Int]() }"#),
        ("var a = [Int: Pen]()", #""a", ([Int: Pen]).self, default: { [Int: Pen]() }"#),
        (#"var a = URL(string: "x")!"#, #""a", (URL).self, default: { URL(string: "x")! }"#),
    ])
    func `an initialiser's call gives the type`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test(arguments: [
        ("var a: Status = .on", #""a", (Status).self, default: { .on }"#),
        ("var a: [Pen] = []", #""a", ([Pen]).self, default: { [] }"#),
        ("var a: Int? = nil", #""a", (Int?).self, default: { nil }"#),
        ("var a: Int = { 5 }()", #""a", (Int).self, default: { ({ 5 }()) }"#),
        ("var a = 3 // three", #""a", (Int).self, default: { 3 }"#),
    ])
    func `a default value goes along`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test func `an Optional without a value has no default to tell`() {
        expect(Expansion(properties: "var a: Int?").properties, equals: [#""a", (Int?).self"#])
    }

    @Test func `each binding of one var is a property`() {
        expect(
            Expansion(properties: "var a: Int32 = 3, b = -2, c: Int?, d, e: Bool").properties,
            equals: [
                #""a", (Int32).self, default: { 3 }"#,
                #""b", (Int).self, default: { -2 }"#,
                #""c", (Int?).self"#,
                #""d", (Bool).self"#,
                #""e", (Bool).self"#,
            ])
    }

    @Test func `a property with observers is stored`() {
        let expansion = Expansion(properties: "var a: Int { didSet { print(a) } }\nvar b = 1 { willSet {} }")
        expect(expansion.properties, equals: [#""a", (Int).self"#, #""b", (Int).self, default: { 1 }"#])
    }

    @Test func `computed, static and ignored properties are not stored`() {
        let expansion = Expansion(
            properties: """
                var a: Int { 1 }
                var b: Int { get { 1 } set {} }
                static let c = 1
                @Ignored var d: [Int: () -> Void] = [:]
                @Ignored let e = 1
                @Ignored var f: (() -> Void)?
                @StorageKit.Ignored lazy var g = 1
                """)
        expect(expansion.properties, equals: [])
        expect(expansion.lines(with: "self.init"), equals: ["self.init(id: p0)"])
    }

    @Test func `a name in backticks is stored without them`() {
        let expansion = Expansion(properties: "var `let`: Int\nvar `inout`: Int\nvar `1 \"x\"`: Int\nvar `2nd`: Int")
        expect(
            expansion.properties,
            equals: [
                #""let", (Int).self"#,
                #""inout", (Int).self"#,
                #""1 \"x\"", (Int).self"#,
                #""2nd", (Int).self"#,
            ])
        expect(expansion.lines(with: "row.write(self.`let`)").count, equals: 1)
        expect(
            expansion.lines(with: "self.init"),
            equals: [
                #"self.init(id: p0, let: p1, `inout`: p2, `1 "x"`: p3, `2nd`: p4)"#
            ])
    }

    @Test(arguments: [
        ("public var a: Int", "public var a: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 1) }"),
        ("private var a: Int", "fileprivate var a: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 1) }"),
        ("fileprivate var a: Int", "fileprivate var a: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 1) }"),
        ("internal var a: Int", "var a: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 1) }"),
        ("public private(set) var a: Int", "public var a: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 1) }"),
        ("private(set) var a: Int", "var a: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 1) }"),
    ])
    func `a column is visible where its property is`(source: String, column: String) {
        expect(
            Expansion(properties: source).lines(with: "QueryExpression<Int> { .init(_propertyPath, 1) }"),
            equals: [column])
    }

    @Test(arguments: [
        "Int?", "[String]", "[String: Date]?", "Swift.Set<UUID>", "Optional<Foundation.URL>", "Ref<Pen>?",
    ])
    func `the column of a private property is visible in its file where its type surely is`(type: String) {
        let lines = Expansion(properties: "private var a: \(type)").lines(with: "{ .init(_propertyPath, 1) }")
        expect(lines, equals: ["fileprivate var a: StorageAPI.QueryExpression<\(type)> { .init(_propertyPath, 1) }"])
    }

    @Test(arguments: ["Kind", "[Kind]", "Kind?", "Outer.Kind", "Set<Kind>", "[String: Kind]"])
    func `the column of a private property of another type is private`(type: String) {
        let lines = Expansion(properties: "private var a: \(type)").lines(with: "{ .init(_propertyPath, 1) }")
        expect(lines, equals: ["private var a: StorageAPI.QueryExpression<\(type)> { .init(_propertyPath, 1) }"])
    }

    @Test(arguments: [
        ("public struct A { @Storable public struct B { public var id: Int } }", "public "),
        ("struct A { @Storable public struct B { public var id: Int } }", ""),
        ("public struct A { @Storable package struct B { var id: Int } }", "package "),
        ("package enum A { @Storable public struct B { var id: Int } }", "package "),
        ("public struct A { @Storable struct B { var id: Int } }", ""),
        ("extension A { @Storable public struct B { var id: Int } }", "public "),
        ("private enum A { public enum C { @Storable public struct B { var id: Int } } }", ""),
    ])
    func `the initialiser has the narrowest access level of the types around it`(source: String, access: String) {
        let lines = Expansion(source).lines(with: "init(reading")
        expect(
            lines,
            equals: [
                "\(access)nonisolated init(reading row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) {"
            ])
    }

    @Test func `a property called path does not meet the columns' own`() {
        let expansion = Expansion(properties: "var path: Int\nvar _path: Int")
        expect(
            expansion.lines(with: "var _path: StorageAPI"),
            equals: [
                "var _path: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 2) }"
            ])
    }

    @Test(arguments: [
        ("var a: Ref<Pen>", #""a", (Ref<Pen>).self"#),
        ("@Reference(onDelete: .cascade) var a: Ref<Pen>", #""a", (Ref<Pen>).self, onDelete: .cascade"#),
        ("@Reference(onDelete: .nullify) var a: Ref<Pen>?", #""a", (Ref<Pen>?).self, onDelete: .nullify"#),
        (
            "@Reference(onDelete: .nullify) var a: [Ref<Pen>] = []",
            #""a", ([Ref<Pen>]).self, onDelete: .nullify, default: { [] }"#
        ),
    ])
    func `a reference has its rule`(source: String, property: String) {
        expect(Expansion(properties: source).properties, equals: [property])
    }

    @Test func `a record whose key cannot be nil has a reference to itself`() {
        let reference = "nonisolated var ref: StorageAPI.Ref<Self> { .init(key: self.id) }"
        expect(Expansion("@Storable struct A { var id: Int }").lines(with: "var ref"), equals: [reference])
        expect(Expansion("@Storable struct A { var id: Int? }").lines(with: "var ref"), equals: [])
        expect(Expansion("@Storable struct A { var id: Int; var ref: Int }").lines(with: "Ref<Self>"), equals: [])
        expect(Expansion("@Storable struct A { var name: String }").lines(with: "Ref<Self>"), equals: [])
    }
}
