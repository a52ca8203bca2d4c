import StorageMacros
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
import Testing

private let macroSpecs: [String: MacroSpec] = [
    "Storable": MacroSpec(type: StorableMacro.self, conformances: ["Storable"]),
    "Key": MacroSpec(type: MarkerMacro.self),
    "Indexed": MacroSpec(type: MarkerMacro.self),
    "Unique": MacroSpec(type: MarkerMacro.self),
    "Field": MacroSpec(type: MarkerMacro.self),
    "Ignored": MacroSpec(type: MarkerMacro.self),
]

/// Expects that a source expands to another, without diagnostics.
func expectExpansion(
    _ source: String, _ expanded: String, conforms: Bool = false,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
) {
    assertMacroExpansion(
        source, expandedSource: expanded, macroSpecs: macroSpecs, failureHandler: record,
        fileID: fileID, filePath: filePath, line: line, column: column)
}

private func record(_ failure: TestFailureSpec) {
    let location = failure.location
    Issue.record(
        Comment(rawValue: failure.message),
        sourceLocation: SourceLocation(
            fileID: location.fileID, filePath: location.filePath, line: location.line, column: location.column))
}
