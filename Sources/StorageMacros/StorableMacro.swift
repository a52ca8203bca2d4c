import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Storable`: reads a struct's properties from its syntax and writes the conformance to `Storable`.
///
/// The expansion decides nothing about types: each property's type selects an overload of `Property`, `read` and
/// `write`. A declaration with an error expands to nothing, so that the compiler shows that error alone.
public enum StorableMacro {
    /// The renderer indents its output; formatting it again would double the macro's time.
    public static var formatMode: FormatMode { .disabled }
}

/// Everything that names types goes into the struct's body: an extension of a nested type does not see the names
/// around it, which the properties' types may use.
extension StorableMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // The compiler drops diagnostics of an enum here, and not those of the extension.
        if declaration.is(EnumDeclSyntax.self) { return [] }
        var parser = StorableParser(attribute: node, lexicalContext: context.lexicalContext)
        let model = parser.parse(declaration)
        parser.diagnostics.forEach(context.diagnose)
        guard let model, parser.diagnostics.isEmpty else { return [] }
        return StorableRenderer(model: model).members.map(DeclSyntax.init(unparsed:))
    }
}

/// The initialiser goes into an extension: in the body it would take the implicit memberwise one away.
extension StorableMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var parser = StorableParser(attribute: node, lexicalContext: context.lexicalContext)
        guard let model = parser.parse(declaration), parser.diagnostics.isEmpty else {
            if declaration.is(EnumDeclSyntax.self) { parser.diagnostics.forEach(context.diagnose) }
            return []
        }
        let renderer = StorableRenderer(model: model)
        let isKeyed = renderer.isAlwaysKeyed && protocols.contains { $0.trimmedDescription.hasSuffix("AlwaysKeyed") }
        let names = ["StorageAPI.Storable"] + (isKeyed ? ["StorageAPI.AlwaysKeyed"] : [])
        let conformance = protocols.isEmpty ? "" : ": " + names.joined(separator: ", ")
        let parts = [renderer.initializer, isKeyed ? renderer.reference : nil].compactMap { $0 }
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed)\(raw: conformance) {
                \(raw: parts.joined(separator: "\n"))
                }
                """)
        ]
    }
}

extension DeclSyntax {
    /// A declaration that is only printed. The compiler takes an expansion as text and parses it itself; to parse it
    /// here as well would add two thirds to a model's compile time.
    fileprivate init(unparsed text: String) {
        self.init(MissingDeclSyntax(placeholder: .identifier(text)))
    }
}
