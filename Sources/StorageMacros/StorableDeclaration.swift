import SwiftSyntax

/// The facts about a struct that the renderer needs.
struct StorableDeclaration {
    /// The stored name as a Swift string literal.
    var storedName: String
    /// `public` or `package` and a space, or nothing: the access level that makes the expansion's members as visible as
    /// the struct.
    var access: String
    /// The access level of the initialiser. Unlike the members of the body, it does not get that of the types around the struct.
    var initializerAccess: String
    /// The stored properties in the order in which rows are read and written.
    var properties: [StoredProperty]
    /// True if the struct has its implicit memberwise initialiser. Calling it is measurably faster than assigning the
    /// properties one by one, because the struct then need not live in memory.
    var hasMemberwiseInit: Bool

    /// The key properties: the marked ones, or else the one called `id`.
    var keys: [StoredProperty] {
        let marked = properties.filter { $0.markers[.key] != nil }
        return marked.isEmpty ? properties.filter { $0.name.plain == "id" } : marked
    }
}

/// One stored property that is not `@Ignored`.
struct StoredProperty {
    var name: PropertyName
    /// The type that is written or evident, with T? instead of T!.
    var type: TypeSyntax
    /// The property's access level and a space, or nothing. Its column has the same level.
    var access: String
    var markers: Markers
    /// The default value's source.
    var defaultValue: String?
    /// The binding, from which diagnostics are located.
    var binding: PatternBindingSyntax
    var declaration: VariableDeclSyntax

    /// The node of the type, or otherwise of the name.
    var typeNode: Syntax {
        binding.typeAnnotation.map { Syntax($0.type) } ?? Syntax(binding.pattern)
    }

    /// The name under which the property is stored, if the syntax shows it.
    var storedName: String? {
        guard let field = markers[.field]?.fieldName else { return name.plain }
        return field.plainText
    }
}

/// An identifier as the source spells it and without backticks.
struct PropertyName {
    var source: String

    var plain: String { source.filter { $0 != "`" } }
    var literal: String { plain.stringLiteral }

    /// The name as an argument's label, where every keyword but one needs no backticks, and the compiler warns of them.
    var label: String {
        let isPlain = plain.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } && plain.first?.isNumber == false
        return isPlain && plain != "inout" ? plain : source
    }
}
