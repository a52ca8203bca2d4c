import SwiftDiagnostics
import SwiftSyntax

/// Reads one `var` or `let` of a struct's body into the properties that are stored.
struct PropertyParser {
    private let declaration: VariableDeclSyntax
    private let markers: Markers
    private(set) var diagnostics: [Diagnostic] = []

    init(_ declaration: VariableDeclSyntax) {
        self.declaration = declaration
        markers = Markers(declaration.attributes)
    }

    /// The stored properties: none for static, computed and `@Ignored` ones, and none for those with an error.
    mutating func parse() -> [StoredProperty] {
        guard declaration.hasStorage else { return [] }
        if let condition = declaration.attributes.condition {
            diagnostics.append(.hiddenByCondition(condition))
            return []
        }
        let stored = declaration.bindings.map { $0 }.filter { !$0.isComputed }
        guard markers[.ignored] == nil else {
            checkIgnored(stored)
            return []
        }
        return stored.compactMap { property($0) }
    }

    private mutating func property(_ binding: PatternBindingSyntax) -> StoredProperty? {
        guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
            return refuse(.severalNames(binding))
        }
        if declaration.isLazy { return refuse(.lazyProperty(declaration, pattern)) }
        if declaration.isLet, binding.initializer != nil { return refuse(.letWithValue(declaration, pattern)) }
        guard let type = declaration.type(of: binding) else { return refuse(.missingType(binding, pattern)) }
        let property = StoredProperty(
            name: PropertyName(source: pattern.identifier.text),
            type: type.withoutImplicitUnwrapping,
            access: declaration.modifiers.access.map { $0 == "internal" ? "" : "\($0) " } ?? "",
            markers: markers,
            defaultValue: binding.initializer?.value.trimmedDescription,
            binding: binding,
            declaration: declaration)
        diagnostics += property.check()
        return property
    }

    private mutating func refuse(_ diagnostic: Diagnostic) -> StoredProperty? {
        diagnostics.append(diagnostic)
        return nil
    }

    private mutating func checkIgnored(_ bindings: [PatternBindingSyntax]) {
        for attribute in markers.attributes where attribute.marker != .ignored {
            diagnostics.append(.ignoredAndMarked(attribute))
        }
        for binding in bindings where !declaration.hasDefault(binding) {
            diagnostics.append(.ignoredWithoutDefault(binding))
        }
    }
}

extension VariableDeclSyntax {
    var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    var isLazy: Bool { modifiers.contains { $0.name.tokenKind == .keyword(.lazy) } }

    var isStatic: Bool {
        modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }

    /// True if each instance stores a value for this declaration.
    var hasStorage: Bool { !isStatic && !bindings.allSatisfy(\.isComputed) }

    /// The type annotation that holds for a binding, which in `var a, b: Int` is the next one; or the type that is
    /// evident from its value.
    fileprivate func type(of binding: PatternBindingSyntax) -> TypeSyntax? {
        if let value = binding.initializer?.value, binding.typeAnnotation == nil { return value.evidentType }
        for following in bindings.drop(while: { $0.id != binding.id }) {
            if let annotation = following.typeAnnotation { return annotation.type }
            if following.initializer != nil { return nil }
        }
        return nil
    }

    /// Returns whether an initialiser may leave the binding out. A property wrapper may have a separate value.
    fileprivate func hasDefault(_ binding: PatternBindingSyntax) -> Bool {
        binding.initializer != nil || attributes.hasForeign || !isLet && type(of: binding)?.isImplicitlyNil ?? false
    }
}

extension TypeSyntax {
    /// True if a `var` of this type starts as nil. Swift gives no such default to `Optional<T>`.
    fileprivate var isImplicitlyNil: Bool {
        self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
    }
}

extension PatternBindingSyntax {
    /// True if the binding has accessors other than observers.
    var isComputed: Bool {
        guard let accessors = accessorBlock?.accessors else { return false }
        // No switch: in the swift-syntax of a toolchain, whose enums may grow, it would need a default, which would be dead
        // code in the package's.
        guard case .accessors(let list) = accessors else { return true }
        return !list.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
}

extension DeclModifierListSyntax {
    /// The access level that is written, that of the setter apart.
    var access: String? {
        let levels: Set = ["public", "package", "internal", "fileprivate", "private", "open"]
        return lazy.filter { $0.detail == nil }.map(\.name.text).first { levels.contains($0) }
    }
}
