import SwiftSyntax

/// The attributes that mark a stored property.
enum Marker: String {
    case key = "Key"
    case indexed = "Indexed"
    case unique = "Unique"
    case expires = "Expires"
    case created = "Created"
    case modified = "Modified"
    case field = "Field"
    case ignored = "Ignored"
    case reference = "Reference"
    case searchable = "Searchable"
}

/// The markers of one property.
struct Markers {
    var attributes: [AttributeSyntax]

    init(_ list: AttributeListSyntax) {
        attributes = list.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.marker != nil }
    }

    subscript(marker: Marker) -> AttributeSyntax? {
        attributes.first { $0.marker == marker }
    }
}

extension AttributeSyntax {
    /// The attribute's name without this library's module prefix.
    var storageName: String {
        if let member = attributeName.as(MemberTypeSyntax.self), member.baseType.trimmedDescription == "StorageKit" {
            return member.name.text
        }
        return attributeName.trimmedDescription
    }

    var marker: Marker? { Marker(rawValue: storageName) }

    var isStorable: Bool { storageName == "Storable" }

    /// True if the attribute may be another library's macro or property wrapper, which can change initialisers and
    /// storage. Attributes of the language begin with a lower-case letter.
    var isForeign: Bool {
        marker == nil && !isStorable && storageName.first?.isUppercase == true && storageName != "MainActor"
    }

    /// The name in `@Storable("name")` and `@Field("name")`.
    var fieldName: ExprSyntax? { labeledArguments.first.flatMap { $0.label == nil ? $0.expression : nil } }

    /// The older names in `@Field(renamedFrom: "later", "earlier")`.
    var renamedFrom: [ExprSyntax] {
        let arguments = labeledArguments.drop { $0.label?.text != "renamedFrom" }
        return arguments.prefix(1).map(\.expression)
            + arguments.dropFirst().prefix { $0.label == nil }.map(\.expression)
    }

    /// The JSON part of `@Field`, as arguments: `path: "info.age", lenient: true`.
    var jsonArguments: String? {
        let arguments = ["path", "dates", "lenient", "convert"].compactMap { label in
            argument(labeled: label).map { label + ": " + $0.trimmedDescription }
        }
        return arguments.isEmpty ? nil : arguments.joined(separator: ", ")
    }

    /// The weight in `@Searchable(weight: 2)`.
    var weight: ExprSyntax? { argument(labeled: "weight") }

    /// The rule in `@Reference(onDelete: .cascade)`.
    var deleteRule: ExprSyntax? { argument(labeled: "onDelete") }

    private var labeledArguments: [LabeledExprSyntax] {
        guard case .argumentList(let list) = arguments else { return [] }
        return Array(list)
    }

    private func argument(labeled label: String) -> ExprSyntax? {
        labeledArguments.first { $0.label?.text == label }?.expression
    }
}

extension AttributeListSyntax {
    /// True if any attribute is a macro or property wrapper that is not this library's.
    var hasForeign: Bool { contains { $0.as(AttributeSyntax.self)?.isForeign ?? true } }

    var hasStorable: Bool { contains { $0.as(AttributeSyntax.self)?.isStorable ?? false } }

    /// The first `#if` among the attributes.
    var condition: IfConfigDeclSyntax? { lazy.compactMap { $0.as(IfConfigDeclSyntax.self) }.first }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var plainText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

extension String {
    /// The text as the source of a Swift string literal.
    var stringLiteral: String {
        "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
