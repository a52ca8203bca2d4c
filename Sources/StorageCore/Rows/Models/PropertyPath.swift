/// The path of a property in a query, from the model through owned children.
///
/// The store makes it and passes it to a ``ColumnSet``. A property at the path is `QueryExpression(path, ordinal)`.
public struct PropertyPath: Sendable {
    /// The closure in which the path starts: 0 for the query's closure, plus one for each enclosing `any`, `all`, `none` or
    /// `count`.
    let scope: Int
    let ordinals: [Int]
    /// Names from the text form, instead of indices in the schema.
    var names: [Name] = []
    /// The referrers of the record that the path leads to, at which the path then ends.
    var inverse: Backlink?

    /// A reference of another model, by the model and the reference's path in it.
    struct Backlink: Sendable {
        let model: any Storable.Type
        let ordinals: [Int]
    }

    /// A property's name in a query's text.
    struct Name: Sendable {
        let text: String
        let place: TextLocation
    }

    package init(scope: Int = 0, _ ordinals: [Int] = []) {
        self.scope = scope
        self.ordinals = ordinals
    }

    func appending(_ ordinal: Int) -> PropertyPath { PropertyPath(scope: scope, ordinals + [ordinal]) }
}

/// A model's properties as terms of queries; `@Storable` writes one as `Columns`.
///
/// ```swift
/// struct Columns: ColumnSet {
///     let _propertyPath: PropertyPath
///     init(_ path: PropertyPath) { _propertyPath = path }
///     var id: QueryExpression<Int> { .init(_propertyPath, 0) }        // the property's place in the schema
///     var color: QueryExpression<String> { .init(_propertyPath, 1) }
/// }
/// ```
public protocol ColumnSet: Sendable {
    /// The properties of the model at the path.
    init(_ path: PropertyPath)

    /// The path, from which inverses of references begin.
    var _propertyPath: PropertyPath { get }
}
