import TestSupport
import Testing

/// Tests the diagnostics about stored names.
@Suite struct NameDiagnosticTests {
    @Test(arguments: [("\"\"", "a stored name cannot be empty"), (#""a\0b""#, "a stored name cannot contain NUL")])
    func `an empty name and one with NUL are refused`(name: String, message: String) {
        expectRefusal(
            "@Storable(\(name)) struct Pen { var id: Int }",
            DiagnosticSpec(message: message, line: 1, column: 11))
        expectRefusal(
            "@Storable struct Pen { @Field(\(name)) var id: Int }",
            DiagnosticSpec(message: message, line: 1, column: 31))
        expectRefusal(
            "@Storable struct Pen { @Field(renamedFrom: \(name)) var id: Int }",
            DiagnosticSpec(message: message, line: 1, column: 44))
    }

    @Test(arguments: ["name", #""a\(1)""#, #""a" + "b""#])
    func `a name that is no plain literal is refused`(name: String) {
        expectRefusal(
            "@Storable(\(name)) struct Pen { @Field(\(name)) var id: Int }",
            DiagnosticSpec(
                message: "a stored name has to be a string literal without interpolation", line: 1, column: 11),
            DiagnosticSpec(
                message: "a stored name has to be a string literal without interpolation", line: 1,
                column: name.count + 33))
    }

    @Test func `two properties under one stored name are refused`() {
        expectRefusal(
            """
            @Storable struct Pen {
                var id: Int
                var color: String
                @Field("color") var tint: String
            }
            """,
            DiagnosticSpec(
                message: "two properties are stored as 'color'", line: 4, column: 12,
                notes: [NoteSpec(message: "the other one is 'color'", line: 3, column: 9)]))
    }

    @Test func `names that differ in case or in normalisation only are two names`() {
        let expansion = Expansion(
            properties: """
                var color: Int
                var Color: Int
                @Field("\u{E9}") var a: Int
                @Field("e\u{301}") var b: Int
                """)
        expect(expansion.properties.count, equals: 4)
    }
}
