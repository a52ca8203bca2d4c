import SwiftDiagnostics
import SwiftSyntax

/// Reads a declaration with `@Storable` into a ``StorableDeclaration``, and collects its errors.
struct StorableParser {
    let attribute: AttributeSyntax
    /// The contexts that enclose the declaration, innermost first.
    let lexicalContext: [Syntax]
    private(set) var diagnostics: [Diagnostic] = []

    init(attribute: AttributeSyntax, lexicalContext: [Syntax]) {
        self.attribute = attribute
        self.lexicalContext = lexicalContext
    }

    /// The declaration; nil if it cannot conform. If diagnostics were collected, a property, a name or the key is wrong.
    mutating func parse(_ declaration: some DeclGroupSyntax) -> StorableDeclaration? {
        guard let type = declaration.as(StructDeclSyntax.self) else {
            diagnostics.append(.notAStruct(declaration, attribute))
            return nil
        }
        refuseGenerics(type)
        refuseHidden(type)
        guard diagnostics.isEmpty else { return nil }
        var model = StorableDeclaration(
            storedName: storedName(of: type),
            access: Self.text(access(of: type)),
            initializerAccess: Self.text(initializerAccess(of: type)),
            properties: properties(of: type),
            hasMemberwiseInit: type.hasMemberwiseInit)
        // Errors that follow from a dropped property would only hide the first one.
        if diagnostics.isEmpty { diagnostics = model.checkNames() + model.checkKeys() }
        // Their types are errors wherever they are named.
        model.properties.removeAll { $0.type.unstorablePart != nil || $0.type.shadowedName != nil }
        return model
    }

    private mutating func refuseGenerics(_ type: StructDeclSyntax) {
        if let clause = type.genericParameterClause {
            diagnostics.append(.genericStruct(clause))
        } else if lexicalContext.contains(where: \.isGeneric) {
            diagnostics.append(.genericStruct(attribute))
        }
    }

    /// The extension is at file scope, where what is private to another type cannot be named.
    private mutating func refuseHidden(_ type: StructDeclSyntax) {
        if let modifier = type.modifiers.first(where: \.isPrivate), !lexicalContext.isEmpty {
            return diagnostics.append(.privateNestedStruct(modifier))
        }
        let enclosing = lexicalContext.dropLast().compactMap { $0.asProtocol((any WithModifiersSyntax).self) }
        if enclosing.contains(where: { $0.modifiers.contains(where: \.isPrivate) }) {
            diagnostics.append(.structInPrivateType(attribute))
        }
    }

    private mutating func storedName(of type: StructDeclSyntax) -> String {
        guard let name = attribute.fieldName else { return PropertyName(source: type.name.text).literal }
        diagnostics += name.checkStoredName()
        return name.trimmedDescription
    }

    /// The levels at which members have to be written with theirs.
    private static let wideLevels = ["package", "public"]

    private static func text(_ level: String?) -> String { level.map { $0 + " " } ?? "" }

    /// A struct without a modifier has the access level of its extension.
    private func access(of type: StructDeclSyntax) -> String? {
        let access = type.modifiers.access ?? lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers.access
        return Self.wideLevels.first { $0 == access }
    }

    /// The narrowest of the levels of the struct and of the types around it. An extension does not show that of its type.
    private func initializerAccess(of type: StructDeclSyntax) -> String? {
        let enclosing = lexicalContext.filter { !$0.is(ExtensionDeclSyntax.self) }
            .compactMap { $0.asProtocol((any WithModifiersSyntax).self)?.modifiers.access ?? "internal" }
        let levels = [access(of: type) ?? "internal"] + enclosing.map { $0 == "open" ? "public" : $0 }
        guard levels.allSatisfy(Self.wideLevels.contains) else { return nil }
        return Self.wideLevels.first(where: levels.contains)
    }

    private mutating func properties(of type: StructDeclSyntax) -> [StoredProperty] {
        var properties: [StoredProperty] = []
        for member in type.memberBlock.members {
            if let declaration = member.decl.as(VariableDeclSyntax.self) {
                var parser = PropertyParser(declaration)
                properties += parser.parse()
                diagnostics += parser.diagnostics
            } else if let condition = member.decl.as(IfConfigDeclSyntax.self), condition.hidesStoredProperty {
                diagnostics.append(.hiddenByCondition(condition))
            }
        }
        return properties
    }
}

extension DeclModifierSyntax {
    fileprivate var isPrivate: Bool { name.tokenKind == .keyword(.private) && detail == nil }
}

extension Syntax {
    fileprivate var isGeneric: Bool {
        asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
    }
}

extension StructDeclSyntax {
    /// True if the implicit memberwise initialiser surely exists and takes every stored property: no initialiser in the
    /// body, not even in an `#if`, and no macro or property wrapper of others that could add or change one.
    fileprivate var hasMemberwiseInit: Bool {
        guard !attributes.hasForeign else { return false }
        return memberBlock.members.allSatisfy { member in
            if let condition = member.decl.as(IfConfigDeclSyntax.self) { return !condition.hasInitializer }
            if let variable = member.decl.as(VariableDeclSyntax.self) { return !variable.attributes.hasForeign }
            return !member.decl.is(InitializerDeclSyntax.self)
        }
    }
}

extension IfConfigDeclSyntax {
    fileprivate var hidesStoredProperty: Bool {
        declarations.contains { $0.as(VariableDeclSyntax.self)?.hasStorage ?? false }
    }

    fileprivate var hasInitializer: Bool { declarations.contains { $0.is(InitializerDeclSyntax.self) } }

    /// The declarations in all branches, those of nested `#if`s included.
    private var declarations: [DeclSyntax] {
        clauses.flatMap { clause -> [DeclSyntax] in
            guard case .decls(let members) = clause.elements else { return [] }
            return members.flatMap { $0.decl.as(IfConfigDeclSyntax.self)?.declarations ?? [$0.decl] }
        }
    }
}
