import StorageMacros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// A source with its macros expanded, for tests that look at a few lines of it.
struct Expansion {
    private let text: String

    init(_ source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
        let expanded = file.expand(macroSpecs: macroSpecs()) { node in
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
        }
        text = expanded.description
    }

    /// A struct with these properties and a key.
    init(properties: String) {
        self.init("@Storable struct Model {\nvar id: Int\n\(properties)\n}")
    }

    /// The lines that contain a text, without their indentation.
    func lines(with part: String) -> [String] {
        text.split(separator: "\n").filter { $0.contains(part) }.map { String($0.drop { $0 == " " }) }
    }

    /// The arguments of the schema's properties, one line for each, without that of the key `id`.
    var properties: [String] {
        lines(with: "StorageAPI.Property(").map { $0.dropFirst("StorageAPI.Property(".count).dropLast(2) }
            .map(String.init).filter { !$0.hasPrefix("\"id\", ") }
    }

    fileprivate var source: String { text }
}

/// Expects that a source expands to another, without diagnostics.
func expectExpansion(
    _ source: String, _ expanded: String, alreadyConforms: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: expanded,
        macroSpecs: macroSpecs(conformances: alreadyConforms ? [] : ["Storable", "AlwaysKeyed"]),
        failureHandler: record, fileID: fileID, filePath: filePath, line: line, column: column)
}

/// Expects that a source is refused with exactly these diagnostics, and what it becomes with their fix-its applied: the
/// first of each, or those with the given message.
func expectRefusal(
    _ source: String, _ diagnostics: DiagnosticSpec..., applying fixIt: String? = nil, fixed: String? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: Expansion(source).source, diagnostics: diagnostics, macroSpecs: macroSpecs(),
        applyFixIts: fixIt.map { [$0] }, fixedSource: fixed, failureHandler: record,
        fileID: fileID, filePath: filePath, line: line, column: column)
}

private func macroSpecs(conformances: [TypeSyntax] = ["Storable", "AlwaysKeyed"]) -> [String: MacroSpec] {
    var specs = ["Key", "Indexed", "Unique", "Expires", "Created", "Modified", "Field", "Ignored", "Reference"].reduce(
        into: [:]) {
            specs, marker in
            specs[marker] = MacroSpec(type: MarkerMacro.self)
        }
    specs["Storable"] = MacroSpec(type: StorableMacro.self, conformances: conformances)
    return specs
}

private func record(_ failure: TestFailureSpec) {
    let location = failure.location
    Issue.record(
        Comment(rawValue: failure.message),
        sourceLocation: SourceLocation(
            fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column))
}
