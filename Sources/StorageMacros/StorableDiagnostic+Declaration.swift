import SwiftDiagnostics
import SwiftSyntax

// Errors of a declaration as a whole: what it is, its name and its key.
extension Diagnostic {
    static func notAStruct(_ declaration: some DeclGroupSyntax, _ attribute: AttributeSyntax) -> Diagnostic {
        .error(
            "'@Storable' belongs to a struct: models are plain values", at: attribute,
            fixIts: declaration.as(ClassDeclSyntax.self).map { [.makeStruct($0)] } ?? [])
    }

    static func genericStruct(_ node: some SyntaxProtocol) -> Diagnostic {
        .error("a generic struct cannot be '@Storable': one stored name would mean many types", at: node)
    }

    static func privateNestedStruct(_ modifier: DeclModifierSyntax) -> Diagnostic {
        .error(
            "a nested '@Storable' struct cannot be 'private': its conformance is at file scope", at: modifier,
            fixIts: [.replace(modifier.name, with: "fileprivate", "make it 'fileprivate'")])
    }

    static func structInPrivateType(_ attribute: AttributeSyntax) -> Diagnostic {
        .error(
            "a '@Storable' struct cannot be in a nested type that is 'private': its conformance is at file scope; make that "
                + "type 'fileprivate'", at: attribute)
    }

    static func hiddenByCondition(_ condition: IfConfigDeclSyntax) -> Diagnostic {
        .error(
            "'@Storable' cannot see which branch of '#if' is compiled; write stored properties and their attributes "
                + "outside of it", at: condition)
    }

    static func nameIsNoLiteral(_ node: ExprSyntax) -> Diagnostic {
        .error("a stored name has to be a string literal without interpolation", at: node)
    }

    static func emptyName(_ node: ExprSyntax) -> Diagnostic {
        .error("a stored name cannot be empty", at: node)
    }

    static func nameWithNUL(_ node: ExprSyntax) -> Diagnostic {
        .error("a stored name cannot contain NUL", at: node)
    }

    static func duplicateName(_ name: String, of property: StoredProperty, first: StoredProperty) -> Diagnostic {
        .error(
            "two properties are stored as '\(name)'", at: property.nameNode,
            notes: [Note("the other one is '\(first.name.plain)'", at: first.nameNode)])
    }
}

extension StoredProperty {
    /// The syntax from which the stored name comes.
    fileprivate var nameNode: Syntax {
        markers[.field]?.fieldName.map(Syntax.init) ?? Syntax(binding.pattern)
    }
}

extension FixIt {
    /// Turns a class into a struct. A struct cannot be final.
    fileprivate static func makeStruct(_ declaration: ClassDeclSyntax) -> FixIt {
        let keyword = FixIt.replace(declaration.classKeyword, with: "struct", "make it a struct")
        let final = declaration.modifiers.first { $0.name.tokenKind == .keyword(.final) }
        let removal = final.map { FixIt.remove($0, "").changes } ?? []
        return FixIt(message: keyword.message, changes: removal + keyword.changes)
    }
}
