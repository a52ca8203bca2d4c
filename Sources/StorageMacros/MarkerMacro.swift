import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Key`, `@Indexed`, `@Unique`, `@Expires`, `@Created`, `@Modified`, `@Field`, `@Reference`, `@Searchable` and `@Ignored`: read by ``StorableMacro``, and expanding to nothing.
///
/// Expanding them shows misplaced ones.
public struct MarkerMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if let reason = misuse(of: node, at: DeclSyntax(declaration), in: context.lexicalContext) {
            context.diagnose(.misplacedMarker(node, because: reason))
        }
        return []
    }

    private static func misuse(
        of node: AttributeSyntax, at declaration: DeclSyntax, in lexicalContext: [Syntax]
    ) -> String? {
        guard let variable = declaration.as(VariableDeclSyntax.self) else { return "marks stored properties only" }
        let type = lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        guard let type, type.attributes.hasStorable else {
            return "has no meaning outside a '@Storable' struct"
        }
        if variable.isStatic { return "marks stored properties, and a static property is not stored" }
        return variable.hasStorage ? nil : "marks stored properties, and a computed property is not stored"
    }
}

extension Diagnostic {
    fileprivate static func misplacedMarker(_ attribute: AttributeSyntax, because reason: String) -> Diagnostic {
        let name = attribute.storageName
        return .error(
            "'@\(name)' \(reason)", at: attribute, fixIts: [.remove(attribute, "remove '@\(name)'")])
    }
}
