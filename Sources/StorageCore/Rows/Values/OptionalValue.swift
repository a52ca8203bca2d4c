/// An Optional of anything, recognised at run time.
package protocol OptionalValue {
    associatedtype Wrapped
    static var nothing: Self { get }
    var wrapped: Wrapped? { get }
    init(_ wrapped: Wrapped)
}
extension OptionalValue {
    package var isNothing: Bool { wrapped == nil }
}
extension Optional: OptionalValue {
    package static var nothing: Self { .none }
    package var wrapped: Wrapped? { self }
}
