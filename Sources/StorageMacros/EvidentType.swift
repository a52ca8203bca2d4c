import SwiftSyntax

extension ExprSyntax {
    /// The type of a literal or of an initialiser's call: all that syntax shows of a default value's type.
    var evidentType: TypeSyntax? {
        evidentTypeName.map { TypeSyntax(stringLiteral: $0) }
    }

    private var evidentTypeName: String? {
        switch kind {
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        case .stringLiteralExpr: "String"
        case .booleanLiteralExpr: "Bool"
        case .prefixOperatorExpr: cast(PrefixOperatorExprSyntax.self).signedNumberType
        case .functionCallExpr: cast(FunctionCallExprSyntax.self).calledExpression.calledTypeName
        case .forceUnwrapExpr: self.cast(ForceUnwrapExprSyntax.self).expression.evidentTypeName
        default: nil
        }
    }

    /// The type that is called: `Date`, `Foundation.Date`, `Set<Int>`, `[Int]`, each also with `.init`.
    fileprivate var calledTypeName: String? {
        switch kind {
        case .declReferenceExpr: typeName(cast(DeclReferenceExprSyntax.self))
        case .memberAccessExpr: cast(MemberAccessExprSyntax.self).calledTypeName
        case .genericSpecializationExpr:
            cast(GenericSpecializationExprSyntax.self).expression.calledTypeName.map { _ in trimmedDescription }
        case .arrayExpr, .dictionaryExpr: trimmedDescription
        default: nil
        }
    }
}

extension PrefixOperatorExprSyntax {
    fileprivate var signedNumberType: String? {
        guard ["-", "+"].contains(self.operator.text) else { return nil }
        return switch expression.kind {
        case .integerLiteralExpr: "Int"
        case .floatLiteralExpr: "Double"
        default: nil
        }
    }
}

extension MemberAccessExprSyntax {
    fileprivate var calledTypeName: String? {
        guard let outer = base?.calledTypeName else { return nil }
        if declName.baseName.tokenKind == .keyword(.`init`) { return outer }
        return typeName(declName).map { "\(outer).\($0)" }
    }
}

/// A name that by convention is a type's.
private func typeName(_ reference: DeclReferenceExprSyntax) -> String? {
    let name = reference.baseName.text
    return name.first?.isUppercase == true ? name : nil
}
