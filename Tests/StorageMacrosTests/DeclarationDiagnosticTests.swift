import Testing

/// Tests the diagnostics about a declaration as a whole.
@Suite struct DeclarationDiagnosticTests {
    @Test func `a class is refused and can be turned into a struct`() {
        expectRefusal(
            """
            @Storable
            public final class Pen {
                var id: Int
            }
            """,
            DiagnosticSpec(
                message: "'@Storable' belongs to a struct: models are plain values", line: 1, column: 1,
                fixIts: ["make it a struct"]),
            fixed: """
                @Storable
                public struct Pen {
                    var id: Int
                }
                """)
    }

    @Test(arguments: ["enum Pen { case red }", "actor Pen { var id = 1 }", "protocol Pen { var id: Int { get } }"])
    func `an enum, an actor and a protocol are refused`(declaration: String) {
        expectRefusal(
            "@Storable \(declaration)",
            DiagnosticSpec(
                message: "'@Storable' belongs to a struct: models are plain values", line: 1, column: 1))
    }

    @Test func `a generic struct is refused`() {
        expectRefusal(
            "@Storable struct Box<T> { var id: Int }",
            DiagnosticSpec(
                message: "a generic struct cannot be '@Storable': one stored name would mean many types",
                line: 1, column: 21))
    }

    @Test func `a struct in a generic type is refused`() {
        expectRefusal(
            "struct Box<T> { @Storable struct Pen { var id: Int } }",
            DiagnosticSpec(
                message: "a generic struct cannot be '@Storable': one stored name would mean many types",
                line: 1, column: 17))
    }

    @Test func `a private struct in a type is refused and can be made fileprivate`() {
        expectRefusal(
            "enum Shop { @Storable private struct Pen { var id: Int } }",
            DiagnosticSpec(
                message: "a nested '@Storable' struct cannot be 'private': its conformance is at file scope",
                line: 1, column: 23, fixIts: ["make it 'fileprivate'"]),
            fixed: "enum Shop { @Storable fileprivate struct Pen { var id: Int } }")
    }

    @Test func `a stored property inside #if is refused`() {
        expectRefusal(
            """
            @Storable struct Pen {
                var id: Int
                #if DEBUG
                #if os(Linux)
                var color: String
                #endif
                #endif
            }
            """,
            DiagnosticSpec(
                message: "'@Storable' cannot see which branch of '#if' is compiled; write stored properties and their "
                    + "attributes outside of it", line: 3, column: 5))
    }

    @Test func `an attribute inside #if is refused`() {
        expectRefusal(
            """
            @Storable struct Pen {
                var id: Int
                #if DEBUG
                @Indexed
                #endif
                var color: String
            }
            """,
            DiagnosticSpec(
                message: "'@Storable' cannot see which branch of '#if' is compiled; write stored properties and their "
                    + "attributes outside of it", line: 3, column: 5))
    }

    @Test func `methods and computed properties may stand inside #if`() {
        let expansion = Expansion(properties: "#if DEBUG\nfunc f() {}\nvar a: Int { 1 }\nstatic var b = 1\n#endif")
        #expect(expansion.lines(with: "self.init") == ["self.init(id: p0)"])
    }
}
