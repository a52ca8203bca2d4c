import StorageDriver

/// Values by stored names, which are compared by their bytes. To Swift, two normal forms of a name are equal strings, and here they
/// are two names (clauses S6 and V4).
@usableFromInline
package struct ByName<Value> {
    @usableFromInline var values: [Name: Value] = [:]

    @usableFromInline
    struct Name: Hashable {
        @usableFromInline let text: String

        @usableFromInline
        init(_ text: String) { self.text = text }

        @usableFromInline
        static func == (one: Name, other: Name) -> Bool { one.text.isSame(as: other.text) }
    }

    @inlinable
    package init() {}

    @inlinable
    package subscript(name: String) -> Value? {
        get { values[Name(name)] }
        _modify { yield &values[Name(name)] }
    }

    @inlinable
    package subscript(name: String, default value: @autoclosure () -> Value) -> Value {
        get { values[Name(name), default: value()] }
        _modify { yield &values[Name(name), default: value()] }
    }

    package var isEmpty: Bool { values.isEmpty }

    /// The names and their values, in any order.
    package var entries: [(name: String, value: Value)] { values.map { ($0.text, $1) } }

    package func mapValues<T>(_ transform: (Value) -> T) -> ByName<T> {
        var result = ByName<T>()
        for (name, value) in entries { result[name] = transform(value) }
        return result
    }
}

extension ByName: Sendable where Value: Sendable {}
extension ByName.Name: Sendable {}
