import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Storable`: reads a struct's properties from its syntax and writes the conformance to `Storable`.
///
/// The expansion decides nothing about types: each property's type selects an overload of `Property`, `read` and
/// `write`. A declaration with an error gets a conformance without contents, so that the compiler shows that error alone, and
/// not one more at each use of the model.
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
        guard let model else { return [] }
        let renderer = StorableRenderer(model: model)
        let members = parser.diagnostics.isEmpty ? renderer.members : renderer.placeholders
        let reference = renderer.isAlwaysKeyed && protocols.containsAlwaysKeyed ? [renderer.reference] : []
        return (members + reference).map(DeclSyntax.init(unparsed:))
    }
}

/// The initialiser alone goes into an extension: in the body it would take the implicit memberwise one away. Members of an
/// extension do not get the access level of the types around them.
extension StorableMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        var parser = StorableParser(attribute: node, lexicalContext: context.lexicalContext)
        guard let model = parser.parse(declaration) else {
            if declaration.is(EnumDeclSyntax.self) { parser.diagnostics.forEach(context.diagnose) }
            return []
        }
        let renderer = StorableRenderer(model: model)
        let isKeyed = renderer.isAlwaysKeyed && protocols.containsAlwaysKeyed
        let names = ["StorageAPI.Storable"] + (isKeyed ? ["StorageAPI.AlwaysKeyed"] : [])
        let conformance = protocols.isEmpty ? "" : ": " + names.joined(separator: ", ")
        let initializer = parser.diagnostics.isEmpty ? renderer.initializer : renderer.placeholderInitializer
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed)\(raw: conformance) {
                \(raw: initializer)
                }
                """)
        ]
    }
}

extension [TypeSyntax] {
    fileprivate var containsAlwaysKeyed: Bool { contains { $0.trimmedDescription.hasSuffix("AlwaysKeyed") } }
}

extension DeclSyntax {
    /// A declaration that is only printed. The compiler takes an expansion as text and parses it itself; to parse it
    /// here as well would add two thirds to a model's compile time.
    fileprivate init(unparsed text: String) {
        self.init(MissingDeclSyntax(placeholder: .identifier(text)))
    }
}
