/// An Optional of anything, recognised at run time.
protocol OptionalValue {
    associatedtype Wrapped
    static var nothing: Self { get }
    var wrapped: Wrapped? { get }
}
extension OptionalValue {
    var isNothing: Bool { wrapped == nil }
}
extension Optional: OptionalValue {
    static var nothing: Self { .none }
    var wrapped: Wrapped? { self }
}
