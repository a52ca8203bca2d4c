import StorageMacros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import TestSupport
import Testing

/// A source with its macros expanded. Nothing here needs swift-syntax's support for tests, which toolchains do not have.
struct Expansion {
    private let original: SourceFileSyntax
    private let expanded: Syntax
    private let context: BasicMacroExpansionContext

    init(_ source: String, alreadyConforms: Bool = false) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(
            sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
        original = file
        expanded = file.expand(
            macroSpecs: macroSpecs(conformances: alreadyConforms ? [] : ["Storable", "AlwaysKeyed"]),
            contextGenerator: { node in
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
            },
            indentationWidth: .spaces(4))
        self.context = context
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

    /// Everything that the expansion expects of its source and of the macro: the text parses, and the macro reported these
    /// diagnostics.
    fileprivate func expectDiagnostics(_ diagnostics: [DiagnosticSpec], at location: Testing.SourceLocation) {
        expect(!Parser.parse(source: text).hasError, "not Swift:\n\(text)", sourceLocation: location)
        expect(context.diagnostics.map(spec), equals: diagnostics, sourceLocation: location)
    }

    fileprivate var text: String { expanded.description }

    /// The original source with fix-its applied: those with the message, or the first one of each diagnostic.
    fileprivate func fixed(applying message: String?) -> String {
        let chosen = context.diagnostics.flatMap { diagnostic in
            message.map { message in diagnostic.fixIts.filter { $0.message.message == message } }
                ?? Array(diagnostic.fixIts.prefix(1))
        }
        // From the end, so that each change leaves the offsets of those before it as they are.
        let changes = chosen.flatMap(\.changes).compactMap(replacement).sorted {
            $0.range.lowerBound > $1.range.lowerBound
        }
        var bytes = Array(original.description.utf8)
        for change in changes { bytes.replaceSubrange(change.range, with: change.text.utf8) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The bytes that a change replaces, and what it puts there; nil, and an issue, if it is no change of text, which is the
    /// only kind that the macro makes.
    private func replacement(_ change: FixIt.Change) -> (range: Range<Int>, text: String)? {
        guard case .replaceText(let range, let text, let node) = change else {
            Issue.record("a fix-it that is no change of text: \(change)")
            return nil
        }
        let start = location(of: range.lowerBound, in: node).offset
        return (start..<start + range.upperBound.utf8Offset - range.lowerBound.utf8Offset, text)
    }

    private func spec(_ diagnostic: Diagnostic) -> DiagnosticSpec {
        let place = location(of: diagnostic.position, in: diagnostic.node)
        return DiagnosticSpec(
            message: diagnostic.message, line: place.line, column: place.column,
            notes: diagnostic.notes.map { note in
                let place = location(of: note.position, in: note.node)
                return NoteSpec(message: note.message, line: place.line, column: place.column)
            },
            fixIts: diagnostic.fixIts.map(\.message.message), severity: diagnostic.diagMessage.severity)
    }

    /// A place in the original source. The macro sees a copy of the declaration, which has places of its own.
    private func location(of position: AbsolutePosition, in node: Syntax) -> SwiftSyntax.SourceLocation {
        context.location(for: position, anchoredAt: node, fileName: "")
    }
}

/// A diagnostic: its text, its place, its notes and the messages of its fix-its.
struct DiagnosticSpec: Equatable {
    var message: String
    var line: Int
    var column: Int
    var notes: [NoteSpec] = []
    var fixIts: [String] = []
    var severity = DiagnosticSeverity.error
}

/// A note of a diagnostic: its text and its place.
struct NoteSpec: Equatable {
    var message: String
    var line: Int
    var column: Int
}

/// Expects that a source expands to another, without diagnostics.
func expectExpansion(
    _ source: String, _ expanded: String, alreadyConforms: Bool = false,
    at location: Testing.SourceLocation = #_sourceLocation
) {
    let expansion = Expansion(source, alreadyConforms: alreadyConforms)
    expansion.expectDiagnostics([], at: location)
    expect(lines(expansion.text), equals: lines(expanded), sourceLocation: location)
}

/// Expects that a source is refused with exactly these diagnostics, and what it becomes with their fix-its applied: the
/// first of each, or those with the given message.
func expectRefusal(
    _ source: String, _ diagnostics: DiagnosticSpec..., applying fixIt: String? = nil, fixed: String? = nil,
    at location: Testing.SourceLocation = #_sourceLocation
) {
    let expansion = Expansion(source)
    expansion.expectDiagnostics(diagnostics, at: location)
    guard let fixed else { return }
    expect(lines(expansion.fixed(applying: fixIt)), equals: lines(fixed), sourceLocation: location)
}

/// The lines of a text between its first and its last that is not empty. A failure names the lines that differ.
private func lines(_ text: String) -> [Substring] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    while lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.isEmpty == true { lines.removeLast() }
    return lines
}

private func macroSpecs(conformances: [TypeSyntax]) -> [String: MacroSpec] {
    var specs = ["Key", "Indexed", "Unique", "Expires", "Created", "Modified", "Field", "Ignored", "Reference"].reduce(
        into: [:]) {
            specs, marker in
            specs[marker] = MacroSpec(type: MarkerMacro.self)
        }
    specs["Storable"] = MacroSpec(type: StorableMacro.self, conformances: conformances)
    return specs
}
