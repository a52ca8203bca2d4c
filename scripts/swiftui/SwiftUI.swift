// A stub of SwiftUI: the declarations that StorageObservation uses, as Apple's interface has them, without a body that
// does anything. scripts/check-swiftui compiles against it.

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError("A stub.") }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> Several<repeat each Content> {
        Several()
    }
    public static func buildEither<First: View, Second: View>(first: First) -> Either<First, Second> { .first(first) }
    public static func buildEither<First: View, Second: View>(second: Second) -> Either<First, Second> {
        .second(second)
    }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
}

public struct Several<each Content: View>: View {
    public var body: Never { fatalError("A stub.") }
}

public enum Either<First: View, Second: View>: View {
    case first(First)
    case second(Second)
    public var body: Never { fatalError("A stub.") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("A stub.") }
}

public struct Text: View {
    public init(_ text: String) {}
    public var body: Never { fatalError("A stub.") }
}

public struct ProgressView: View {
    public init() {}
    public var body: Never { fatalError("A stub.") }
}

public struct List<Content: View>: View {
    public init<Data: RandomAccessCollection, ID: Hashable>(
        _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder row: (Data.Element) -> Content
    ) {}
    public var body: Never { fatalError("A stub.") }
}

public protocol DynamicProperty {
    mutating func update()
}

@propertyWrapper
public struct State<Value>: DynamicProperty {
    private let initial: Value
    public init(wrappedValue value: Value) { initial = value }
    public var wrappedValue: Value {
        get { initial }
        nonmutating set {}
    }
    public func update() {}
}

extension State where Value: ExpressibleByNilLiteral {
    public init() { self.init(wrappedValue: nil) }
}

extension State: Sendable where Value: Sendable {}

@propertyWrapper
public struct Environment<Value>: DynamicProperty {
    private let path: KeyPath<EnvironmentValues, Value>
    public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { path = keyPath }
    public var wrappedValue: Value { EnvironmentValues()[keyPath: path] }
    public func update() {}
}

public protocol EnvironmentKey {
    associatedtype Value
    static var defaultValue: Value { get }
}

public struct EnvironmentValues: Sendable {
    public init() {}
    public subscript<K: EnvironmentKey>(key: K.Type) -> K.Value {
        get { K.defaultValue }
        set {}
    }
}

extension View {
    public func environment<V>(_ keyPath: WritableKeyPath<EnvironmentValues, V>, _ value: V) -> some View { self }
    public func task(
        priority: TaskPriority = .userInitiated, @_inheritActorContext _ action: sending @escaping () async -> Void
    ) -> some View { self }
    public func onAppear(perform action: (() -> Void)? = nil) -> some View { self }
    public func onChange<V: Equatable>(
        of value: V, initial: Bool = false, _ action: @escaping () -> Void
    ) -> some View { self }
}
