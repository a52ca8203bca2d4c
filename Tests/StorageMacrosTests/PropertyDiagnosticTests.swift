import TestSupport
import Testing

/// Tests the diagnostics about a property.
@Suite struct PropertyDiagnosticTests {
    @Test func `a property without a type is refused and gets a place for it`() {
        expectRefusal(
            """
            @Storable struct Pen {
                var id: Int
                var color = Color.red
            }
            """,
            DiagnosticSpec(
                message: "write the type of 'color': '@Storable' sees types only in annotations, literals and calls of "
                    + "initialisers", line: 3, column: 9, fixIts: ["write the type"]),
            fixed: """
                @Storable struct Pen {
                    var id: Int
                    var color: <#Type#> = Color.red
                }
                """)
    }

    @Test(arguments: ["[]", "nil", "makeColor()", ".red", "1 + 2", "!flag", "{ 5 }()", "paint.color()"])
    func `a value that shows no type needs an annotation`(value: String) {
        expectRefusal(
            "@Storable struct Pen { var id: Int; var a = \(value) }",
            DiagnosticSpec(
                message: "write the type of 'a': '@Storable' sees types only in annotations, literals and calls of "
                    + "initialisers", line: 1, column: 41, fixIts: ["write the type"]))
    }

    @Test func `a let with a value is refused and can be turned into a var`() {
        let source = """
            @Storable struct Pen {
                let id: Int
                /// Fixed.
                public let color = "red"
            }
            """
        let diagnostic = DiagnosticSpec(
            message: "'color' is a constant that cannot be read back: make it a 'var', or mark it with '@Ignored'",
            line: 4, column: 12,
            fixIts: ["replace 'let' with 'var'", "mark it with '@Ignored'"])
        expectRefusal(
            source, diagnostic, applying: "replace 'let' with 'var'",
            fixed: """
                @Storable struct Pen {
                    let id: Int
                    /// Fixed.
                    public var color = "red"
                }
                """)
        expectRefusal(
            source, diagnostic, applying: "mark it with '@Ignored'",
            fixed: """
                @Storable struct Pen {
                    let id: Int
                    /// Fixed.
                    @Ignored public let color = "red"
                }
                """)
    }

    @Test func `a lazy property is refused and can be ignored`() {
        expectRefusal(
            "@Storable struct Pen { var id: Int; lazy var a = 1 }",
            DiagnosticSpec(
                message: "the lazy property 'a' cannot be stored: writing must not change the model", line: 1,
                column: 37, fixIts: ["mark it with '@Ignored'"]),
            fixed: "@Storable struct Pen { var id: Int; @Ignored lazy var a = 1 }")
    }

    @Test func `a pattern of several names is refused`() {
        expectRefusal(
            "@Storable struct Pen { var id: Int; var (a, b) = (1, 2) }",
            DiagnosticSpec(message: "a stored property has to have one name", line: 1, column: 41))
    }

    @Test(arguments: [
        ("() -> Void", "a closure"),
        ("(@Sendable () -> Void)?", "a closure"),
        ("@Sendable () -> Void", "a closure"),
        ("(Int, Int)", "a tuple"),
        ("[(Int, Int)]", "a tuple"),
        ("[Int: (Int, Int)]", "a tuple"),
        ("Any", "'Any'"),
        ("AnyObject?", "'AnyObject'"),
        ("any Paint", "'any Paint'"),
        ("[any Paint]", "'any Paint'"),
        ("some Paint", "'some Paint'"),
        ("Int.Type", "a metatype"),
        ("Paint & Sendable", "a composition of protocols"),
    ])
    func `a type that cannot be stored is refused and can be ignored`(type: String, part: String) {
        expectRefusal(
            "@Storable struct Pen { var id: Int; var a: \(type) }",
            DiagnosticSpec(
                message: "\(part) cannot be stored; mark 'a' with '@Ignored' or give it another type", line: 1,
                column: 44, fixIts: ["mark it with '@Ignored'"]),
            fixed: "@Storable struct Pen { var id: Int; @Ignored var a: \(type) }")
    }

    @Test(arguments: ["Key", "[Columns]", "[String: Key]?"])
    func `a type that the expansion shadows is refused`(type: String) {
        let name = type.contains("Key") ? "Key" : "Columns"
        expectRefusal(
            "@Storable struct Pen { var id: Int; var a: \(type) }",
            DiagnosticSpec(
                message: "'\(name)' means a member of this '@Storable' struct here; write the type around it or its "
                    + "module as well", line: 1, column: 44))
    }

    @Test func `another model's key is no shadowed type`() {
        expect(Expansion(properties: "var a: Person.Key").properties, equals: [#""a", (Person.Key).self"#])
    }

    @Test(arguments: ["@Indexed", "@Unique", "@Expires", "@Created", "@Modified"])
    func `an index on a collection is refused and can be removed`(marker: String) {
        for type in ["[Int]", "[Int]?", "Array<Int>", "[Int: Int]", "Set<Int>"] {
            expectRefusal(
                "@Storable struct Pen { var id: Int; \(marker) var a: \(type) }",
                DiagnosticSpec(
                    message: "'\(marker)' needs a scalar, and 'a' is a collection", line: 1, column: 37,
                    fixIts: ["remove '\(marker)'"]),
                fixed: "@Storable struct Pen { var id: Int; var a: \(type) }")
        }
    }

    @Test(arguments: ["var a: Int", "let a: Int?", "var a: Optional<Int>"])
    func `an ignored property without a default is refused and gets a place for it`(property: String) {
        expectRefusal(
            "@Storable struct Pen { var id: Int; @Ignored \(property) }",
            DiagnosticSpec(
                message: "an '@Ignored' property needs a default value, which a model that is read will have",
                line: 1, column: 50, fixIts: ["write a default value"]),
            fixed: "@Storable struct Pen { var id: Int; @Ignored \(property) = <#value#> }")
    }

    @Test func `a wrapper may give an ignored property its default`() {
        expect(Expansion(properties: "@Ignored @Cached var a: Int").properties, equals: [])
    }
}
