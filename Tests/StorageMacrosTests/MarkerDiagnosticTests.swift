import Testing

/// Markers without effect.
@Suite struct MarkerDiagnosticTests {
    @Test(arguments: ["@Key", "@Indexed", "@Unique", "@Expires", "@Created", "@Modified", "@Field(\"b\")"])
    func `another marker beside @Ignored is refused and can be removed`(marker: String) {
        let name = marker.prefix { $0 != "(" }
        expectRefusal(
            "@Storable struct Pen { var id: Int; @Ignored \(marker) var a = 1 }",
            DiagnosticSpec(
                message: "'\(name)' contradicts '@Ignored'", line: 1, column: 46,
                fixIts: ["remove '\(name)'"]),
            fixed: "@Storable struct Pen { var id: Int; @Ignored var a = 1 }")
    }

    @Test(arguments: ["@Key", "@Indexed", "@Unique", "@Field(\"b\")", "@Ignored"])
    func `a marker on a computed property is refused and can be removed`(marker: String) {
        let name = marker.prefix { $0 != "(" }
        expectMisplaced(
            "@Storable struct Pen { var id: Int; \(marker) var a: Int { 1 } }",
            "'\(name)' marks stored properties, and a computed property is not stored", column: 37,
            fixIt: "remove '\(name)'", fixed: "@Storable struct Pen { var id: Int; var a: Int { 1 } }")
    }

    @Test func `a marker on a static property is refused and can be removed`() {
        expectMisplaced(
            "@Storable struct Pen { var id: Int; @Indexed static let a = 1 }",
            "'@Indexed' marks stored properties, and a static property is not stored", column: 37,
            fixIt: "remove '@Indexed'", fixed: "@Storable struct Pen { var id: Int; static let a = 1 }")
    }

    @Test func `a marker on a method is refused and can be removed`() {
        expectMisplaced(
            "@Storable struct Pen { var id: Int; @Key func f() {} }", "'@Key' marks stored properties only",
            column: 37, fixIt: "remove '@Key'", fixed: "@Storable struct Pen { var id: Int; func f() {} }")
    }

    @Test(arguments: [("struct Pen { ", " }"), ("class Pen { ", " }"), ("", ""), ("func f() { ", " }")])
    func `a marker outside a Storable struct is refused and can be removed`(before: String, after: String) {
        expectMisplaced(
            "\(before)@Unique var a = 1\(after)", "'@Unique' has no meaning outside a '@Storable' struct",
            column: before.count + 1, fixIt: "remove '@Unique'", fixed: "\(before)var a = 1\(after)")
    }

    @Test func `a marker in a Storable class adds no second error`() {
        expectRefusal(
            "@Storable class Pen { @Key var id = 1 }",
            DiagnosticSpec(
                message: "'@Storable' belongs to a struct: models are plain values", line: 1, column: 1,
                fixIts: ["make it a struct"]),
            fixed: "@Storable struct Pen { @Key var id = 1 }")
    }

    private func expectMisplaced(
        _ source: String, _ message: String, column: Int, fixIt: String, fixed: String,
        at location: SourceLocation = #_sourceLocation
    ) {
        expectRefusal(
            source,
            DiagnosticSpec(message: message, line: 1, column: column, fixIts: [fixIt]),
            fixed: fixed, at: location)
    }
}
