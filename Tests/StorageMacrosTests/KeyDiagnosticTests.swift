import TestSupport
import Testing

/// Tests the diagnostics about keys.
@Suite struct KeyDiagnosticTests {
    @Test(arguments: ["", "static let id = 1", "var id: Int { 1 }", "@Ignored var id = 1"])
    func `a struct whose id is not stored has no key, and writes none`(property: String) {
        let expansion = Expansion("@Storable struct Pen { var color: String; \(property) }")
        expect(expansion.lines(with: "typealias"), equals: ["typealias Key = Never"])
        expect(expansion.lines(with: "writeKey") == [] && expansion.lines(with: "readKey") == [])
        expect(expansion.lines(with: "values(of"), equals: [])
    }

    @Test(arguments: [
        "Double", "Float", "Bool", "Date", "Foundation.Date", "Data", "URL", "Decimal", "Duration", "Vector", "[Int]",
        "[UInt8]",
        "[Int: Int]", "Set<Int>", "Double?", "[Int]?", "Int??",
    ])
    func `a type that keys do not have is refused`(type: String) {
        let message =
            "'\(type)' cannot be a key: a key is an integer, a String, a UUID, or an enum of integers or strings"
        expectRefusal(
            "@Storable struct Pen { @Key var code: \(type) }",
            DiagnosticSpec(message: message, line: 1, column: 39))
        expectRefusal(
            "@Storable struct Pen { var id: \(type) }",
            DiagnosticSpec(message: message, line: 1, column: 32))
    }

    @Test func `a key whose literal has another type is refused`() {
        expectRefusal(
            "@Storable struct Pen { var id = 0.5 }",
            DiagnosticSpec(
                message: "'Double' cannot be a key: a key is an integer, a String, a UUID, or an enum of integers or "
                    + "strings", line: 1, column: 28))
    }

    @Test(arguments: [
        "Int", "Int8", "UInt64", "String", "UUID", "Foundation.UUID", "Status", "Shop.Code", "Int64?", "UUID?",
    ])
    func `a type that keys may have is taken`(type: String) {
        expect(Expansion("@Storable struct Pen { var id: \(type) }").lines(with: "typealias").count, equals: 1)
    }

    @Test(arguments: [("String?", "String"), ("Optional<String>", "String"), ("String!", "String")])
    func `an Optional text key is refused and can be unwrapped`(type: String, wrapped: String) {
        expectRefusal(
            "@Storable struct Pen { var id: \(type) }",
            DiagnosticSpec(
                message: "the key 'id' cannot be Optional: the store assigns integers and UUIDs only", line: 1,
                column: 32,
                fixIts: ["remove the Optional"]),
            fixed: "@Storable struct Pen { var id: \(wrapped) }")
    }

    @Test func `an Optional in a composite key is refused and can be unwrapped`() {
        expectRefusal(
            "@Storable struct Line { @Key var order: String; @Key var number: Int? }",
            DiagnosticSpec(
                message: "'number' is part of a composite key and cannot be Optional: the store assigns single keys "
                    + "only", line: 1, column: 66, fixIts: ["remove the Optional"]),
            fixed: "@Storable struct Line { @Key var order: String; @Key var number: Int }")
    }

    @Test func `an Optional key that is a let is refused and can be turned into a var`() {
        expectRefusal(
            "@Storable struct Pen { let id: Int? }",
            DiagnosticSpec(
                message: "the store assigns the key 'id' where it is nil, so it cannot be a 'let'", line: 1,
                column: 24, fixIts: ["replace 'let' with 'var'"]),
            fixed: "@Storable struct Pen { var id: Int? }")
    }
}
