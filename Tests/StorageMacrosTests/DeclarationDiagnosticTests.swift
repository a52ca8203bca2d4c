import TestSupport
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

    @Test func `a struct in a private type that is itself nested is refused`() {
        let diagnostic = DiagnosticSpec(
            message:
                "a '@Storable' struct cannot be in a nested type that is 'private': its conformance is at file scope; make "
                + "that type 'fileprivate'", line: 1, column: 32)
        expectRefusal("enum Shop { private enum Box { @Storable struct Pen { var id: Int } } }", diagnostic)
        expect(
            Expansion("private enum Shop { enum Box { @Storable struct Pen { var id: Int } } }").lines(
                with: "extension Shop.Box.Pen"
            ).count, equals: 1)
    }

    @Test func `a struct with a wrong property has a conformance all the same`() {
        let expansion = Expansion(
            """
            @Storable public struct Book {
                public var id: Int
                var title: String
                var status = Status.wanted
            }
            """)
        expect(
            expansion.lines(with: "extension Book"),
            equals: [
                "extension Book: StorageAPI.Storable, StorageAPI.AlwaysKeyed {"
            ])
        expect(expansion.lines(with: "typealias"), equals: ["public typealias Key = Int"])
        expect(
            expansion.lines(with: "QueryExpression"),
            equals: [
                "public var id: StorageAPI.QueryExpression<Int> { .init(_propertyPath, 0) }",
                "var title: StorageAPI.QueryExpression<String> { .init(_propertyPath, 1) }",
            ])
        expect(expansion.lines(with: "throw StorageAPI.StorageError").count, equals: 2)
        expect(expansion.properties, equals: [])
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
        expect(expansion.lines(with: "self.init"), equals: ["self.init(id: p0)"])
    }
}
