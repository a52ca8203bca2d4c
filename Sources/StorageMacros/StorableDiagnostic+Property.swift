import SwiftDiagnostics
import SwiftSyntax

// Errors of one property.
extension Diagnostic {
    static func severalNames(_ binding: PatternBindingSyntax) -> Diagnostic {
        .error("a stored property has to have one name", at: binding.pattern)
    }

    static func missingType(_ binding: PatternBindingSyntax, _ name: IdentifierPatternSyntax) -> Diagnostic {
        .error(
            "write the type of '\(name.identifier.text)': '@Storable' sees types only in annotations, literals and "
                + "calls of initialisers", at: name,
            fixIts: [.insert(": <#Type#>", after: binding.pattern, "write the type")])
    }

    static func letWithValue(_ declaration: VariableDeclSyntax, _ name: IdentifierPatternSyntax) -> Diagnostic {
        .error(
            "'\(name.identifier.text)' is a constant that cannot be read back: make it a 'var', or mark it with "
                + "'@Ignored'", at: declaration.bindingSpecifier,
            fixIts: [.makeVariable(declaration), .ignore(declaration)])
    }

    static func lazyProperty(_ declaration: VariableDeclSyntax, _ name: IdentifierPatternSyntax) -> Diagnostic {
        let modifier = declaration.modifiers.first { $0.name.tokenKind == .keyword(.lazy) }
        return .error(
            "the lazy property '\(name.identifier.text)' cannot be stored: writing must not change the model",
            at: modifier.map(Syntax.init) ?? Syntax(declaration),
            fixIts: [.ignore(declaration)])
    }

    static func ignoredAndMarked(_ attribute: AttributeSyntax) -> Diagnostic {
        let name = attribute.storageName
        return .error(
            "'@\(name)' contradicts '@Ignored'", at: attribute, fixIts: [.remove(attribute, "remove '@\(name)'")])
    }

    static func ignoredWithoutDefault(_ binding: PatternBindingSyntax) -> Diagnostic {
        let end = binding.typeAnnotation.map(Syntax.init) ?? Syntax(binding.pattern)
        return .error(
            "an '@Ignored' property needs a default value, which a model that is read will have", at: binding,
            fixIts: [.insert(" = <#value#>", after: end, "write a default value")])
    }

    static func unstorable(_ property: StoredProperty, _ part: String) -> Diagnostic {
        .error(
            "\(part) cannot be stored; mark '\(property.name.plain)' with '@Ignored' or give it another type",
            at: property.typeNode, fixIts: [.ignore(property.declaration)])
    }

    static func shadowedType(_ property: StoredProperty, _ name: String) -> Diagnostic {
        .error(
            "'\(name)' means a member of this '@Storable' struct here; write the type around it or its module as well",
            at: property.typeNode)
    }

    static func indexedCollection(_ attribute: AttributeSyntax, _ property: StoredProperty) -> Diagnostic {
        let name = attribute.storageName
        return .error(
            "'@\(name)' needs a scalar, and '\(property.name.plain)' is a collection", at: attribute,
            fixIts: [.remove(attribute, "remove '@\(name)'")])
    }
}

// Errors of a key.
extension Diagnostic {
    static func unusableKey(_ property: StoredProperty) -> Diagnostic {
        .error(
            "'\(property.type)' cannot be a key: a key is an integer, a String, a UUID, or an enum of integers or "
                + "strings", at: property.typeNode)
    }

    static func optionalInCompositeKey(_ property: StoredProperty) -> Diagnostic {
        .error(
            "'\(property.name.plain)' is part of a composite key and cannot be Optional: the store assigns single "
                + "keys only", at: property.typeNode, fixIts: [.unwrap(property)].compactMap { $0 })
    }

    static func optionalTextKey(_ property: StoredProperty) -> Diagnostic {
        .error(
            "the key '\(property.name.plain)' cannot be Optional: the store assigns integers and UUIDs only",
            at: property.typeNode, fixIts: [.unwrap(property)].compactMap { $0 })
    }

    static func constantOptionalKey(_ property: StoredProperty) -> Diagnostic {
        .error(
            "the store assigns the key '\(property.name.plain)' where it is nil, so it cannot be a 'let'",
            at: property.declaration.bindingSpecifier, fixIts: [.makeVariable(property.declaration)])
    }
}

extension FixIt {
    fileprivate static func makeVariable(_ declaration: VariableDeclSyntax) -> FixIt {
        .replace(declaration.bindingSpecifier, with: "var", "replace 'let' with 'var'")
    }

    fileprivate static func ignore(_ declaration: VariableDeclSyntax) -> FixIt {
        .insert("@Ignored ", before: declaration, "mark it with '@Ignored'")
    }

    /// Writes the type without its Optional; nil if the type is not written here.
    fileprivate static func unwrap(_ property: StoredProperty) -> FixIt? {
        guard let type = property.binding.typeAnnotation?.type, let wrapped = type.wrapped else { return nil }
        return .replace(type, with: wrapped.trimmedDescription, "remove the Optional")
    }
}
