import SwiftSyntax

// What the spelling of a type shows. A type with a separate name is left to the compiler's overloads.
extension TypeSyntax {
    private static let refusedKeys: Set = [
        "Bool", "Double", "Float", "Float16", "CGFloat", "TimeInterval", "Date", "Data", "URL", "Decimal", "Duration",
        "Vector",
    ]
    private static let scalars: Set = [
        "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double",
        "Float",
        "CGFloat", "TimeInterval", "String", "Data", "Date", "UUID", "URL", "Decimal", "Duration", "Vector",
    ]
    private static let collections: Set = ["Array", "ContiguousArray", "ArraySlice", "Set", "Dictionary"]

    /// The type without the parentheses around it.
    var unparenthesized: TypeSyntax {
        guard let tuple = self.as(TupleTypeSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1
        else { return self }
        return only.type.unparenthesized
    }

    /// The type that T?, T! or Optional<T> wraps.
    var wrapped: TypeSyntax? {
        let type = unparenthesized
        if let optional = type.as(OptionalTypeSyntax.self) { return optional.wrappedType.unparenthesized }
        if let optional = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return optional.wrappedType.unparenthesized
        }
        guard type.standardName == "Optional" else { return nil }
        return type.firstGenericArgument?.unparenthesized
    }

    /// T? instead of T!, which is not allowed everywhere.
    var withoutImplicitUnwrapping: TypeSyntax {
        guard let optional = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return trimmed }
        return TypeSyntax(OptionalTypeSyntax(wrappedType: optional.wrappedType.trimmed))
    }

    /// The type's name, if it is alone or has the prefix of a standard module.
    private var standardName: String? {
        if let type = self.as(IdentifierTypeSyntax.self) { return type.name.text }
        guard let type = self.as(MemberTypeSyntax.self) else { return nil }
        let module = type.baseType.trimmedDescription
        return ["Swift", "Foundation", "FoundationEssentials"].contains(module) ? type.name.text : nil
    }

    private var firstGenericArgument: TypeSyntax? { genericArguments.first }

    private var genericArguments: [TypeSyntax] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.compactMap { if case .type(let type) = $0.argument { type } else { nil } } ?? []
    }

    /// True if this is an array, a set or a dictionary, or an Optional of one.
    var isCollection: Bool {
        if let wrapped { return wrapped.isCollection }
        let type = unparenthesized
        return type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self)
            || type.standardName.map(Self.collections.contains) ?? false
    }

    /// True if the type is spelt with names of the standard library, of Foundation and of this library alone. What a reference
    /// refers to is visible in the file as well, where its conformance is.
    var isStandard: Bool {
        if let wrapped { return wrapped.isStandard }
        let type = unparenthesized
        if let array = type.as(ArrayTypeSyntax.self) { return array.element.isStandard }
        if let dictionary = type.as(DictionaryTypeSyntax.self) {
            return dictionary.key.isStandard && dictionary.value.isStandard
        }
        guard let name = type.standardName else { return false }
        if Self.collections.contains(name) { return type.genericArguments.allSatisfy(\.isStandard) }
        return name == "Ref" || Self.scalars.contains(name)
    }

    /// True if this surely cannot be a key. An Optional has to be unwrapped first.
    var isSurelyNoKey: Bool {
        isCollection || unparenthesized.standardName.map(Self.refusedKeys.contains) ?? false
    }

    /// A key that can be nil has to be an integer or a UUID, since the store assigns it.
    var isString: Bool { standardName == "String" }

    /// A part that visibly cannot be stored: a closure, a tuple, an existential, a metatype. Looks into Optionals and
    /// arrays.
    var unstorablePart: String? {
        if let wrapped { return wrapped.unstorablePart }
        let type = unparenthesized
        return switch type.kind {
        case .arrayType: type.cast(ArrayTypeSyntax.self).element.unstorablePart
        case .dictionaryType: type.cast(DictionaryTypeSyntax.self).value.unstorablePart
        case .attributedType: type.cast(AttributedTypeSyntax.self).baseType.unstorablePart
        case .functionType: "a closure"
        case .tupleType: "a tuple"
        case .metatypeType: "a metatype"
        case .someOrAnyType: "'\(type.trimmedDescription)'"
        case .compositionType: "a composition of protocols"
        default: ["Any", "AnyObject"].contains(type.standardName) ? "'\(type.trimmedDescription)'" : nil
        }
    }

    /// A bare name that inside the struct means a member of the expansion, whatever it means outside.
    var shadowedName: String? {
        let bare = tokens(viewMode: .sourceAccurate).filter { $0.previousToken(viewMode: .sourceAccurate)?.text != "." }
        return bare.map(\.text).first { $0 == "Key" || $0 == "Columns" }
    }
}
