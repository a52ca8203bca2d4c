public import StorageDriver

/// A type whose values are text: String and its Optional.
public protocol TextValue: ColumnValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped: TextValue & ScalarValue {}

// Patterns are plain text: only `like` has wildcards. A test of nil is false.
extension QueryExpression where V: TextValue {
    /// Tests whether the text begins with these UTF-8 bytes. Can use an index on the property if no difference is
    /// ignored.
    public func hasPrefix(_ prefix: String, ignoring folding: TextFolding = []) -> QueryExpression<Bool> {
        test(.hasPrefix, (.value(.text(prefix)), 0), folding: folding)
    }

    /// Tests whether the text ends with these UTF-8 bytes.
    public func hasSuffix(_ suffix: String, ignoring folding: TextFolding = []) -> QueryExpression<Bool> {
        test(.hasSuffix, (.value(.text(suffix)), 0), folding: folding)
    }

    /// Tests whether these UTF-8 bytes occur in the text.
    public func contains(_ part: String, ignoring folding: TextFolding = []) -> QueryExpression<Bool> {
        test(.contains, (.value(.text(part)), 0), folding: folding)
    }

    /// Tests whether the whole text matches a pattern: `*` matches any characters, `?` matches one Unicode scalar, and
    /// `\` makes the next character plain. A pattern of more than 65,536 bytes throws `limitExceeded`.
    public func like(_ pattern: String, ignoring folding: TextFolding = []) -> QueryExpression<Bool> {
        test(.like, (.value(.text(pattern)), 0), folding: folding)
    }

    /// Tests whether the texts are equal, as `==`, apart from the ignored differences.
    public func equals(_ text: String?, ignoring folding: TextFolding) -> QueryExpression<Bool> {
        QueryExpression<Bool>(.comparison(.equal, node, .value(text.value), folding), depth: depth + 1)
    }

    /// Tests whether the text begins with another property's.
    public func hasPrefix<T: TextValue>(_ prefix: QueryExpression<T>) -> QueryExpression<Bool> {
        test(.hasPrefix, prefix.nested, folding: [])
    }

    /// Tests whether the text ends with another property's.
    public func hasSuffix<T: TextValue>(_ suffix: QueryExpression<T>) -> QueryExpression<Bool> {
        test(.hasSuffix, suffix.nested, folding: [])
    }

    /// Tests whether another property's text occurs in the text.
    public func contains<T: TextValue>(_ part: QueryExpression<T>) -> QueryExpression<Bool> {
        test(.contains, part.nested, folding: [])
    }

    private func test(
        _ test: TextTest, _ pattern: QueryNode.Nested, folding: TextFolding
    ) -> QueryExpression<Bool> {
        QueryExpression<Bool>(.text(test, node, pattern.node, folding), depth: Swift.max(depth, pattern.depth) + 1)
    }
}

extension QueryExpression {
    /// Tests whether the value is nil: of an Optional property, or of an Optional child.
    public var isNil: QueryExpression<Bool> { QueryExpression<Bool>(.isNil(node), depth: depth + 1) }
}

// MARK: Sets and ranges

extension QueryExpression where V: ColumnValue {
    /// Tests whether the value is one of these, any number of them. Costs one pass over them.
    public func isIn(_ values: some Sequence<V>) -> QueryExpression<Bool> {
        QueryExpression<Bool>(values.contains(node), depth: depth + 1)
    }
}

extension QueryExpression where V: RawRepresentable & Sendable, V.RawValue: ScalarValue {
    /// Tests whether the value is one of these, any number of them. Costs one pass over them.
    public func isIn(_ values: some Sequence<V>) -> QueryExpression<Bool> {
        QueryExpression<Bool>(values.lazy.map(\.rawValue).contains(node), depth: depth + 1)
    }
}

extension QueryExpression where V: ScalarValue & Comparable {
    /// Tests whether the value is in the range, without its upper end.
    public func isIn(_ range: Range<V>) -> QueryExpression<Bool> {
        self >= range.lowerBound && self < range.upperBound
    }

    /// Tests whether the value is in the range, with both ends.
    public func isIn(_ range: ClosedRange<V>) -> QueryExpression<Bool> {
        self >= range.lowerBound && self <= range.upperBound
    }
}

extension QueryExpression {
    /// Tests whether the value is in the range, without its upper end; false for nil.
    public func isIn<W: ScalarValue & Comparable>(_ range: Range<W>) -> QueryExpression<Bool> where V == W? {
        self >= range.lowerBound && self < range.upperBound
    }

    /// Tests whether the value is in the range, with both ends; false for nil.
    public func isIn<W: ScalarValue & Comparable>(_ range: ClosedRange<W>) -> QueryExpression<Bool> where V == W? {
        self >= range.lowerBound && self <= range.upperBound
    }
}

// MARK: Arrays

/// An array of values or of owned children.
public protocol ArrayValue {}
extension Array: ArrayValue {}

/// An Optional of an array.
public protocol OptionalArrayValue {}
extension Optional: OptionalArrayValue where Wrapped: ArrayValue {}

extension QueryExpression where V: ArrayValue {
    /// The number of elements or children.
    public var count: QueryExpression<Int> { QueryExpression<Int>(.count(node), depth: depth + 1) }
    /// Tests whether it has neither elements nor children.
    public var isEmpty: QueryExpression<Bool> { count == 0 }
}

extension QueryExpression where V: OptionalArrayValue {
    /// The number of elements or children; nil if the array is nil.
    public var count: QueryExpression<Int?> { QueryExpression<Int?>(.count(node), depth: depth + 1) }
    /// Tests whether the array is empty, and not nil.
    public var isEmpty: QueryExpression<Bool> { count == 0 }
}

extension QueryExpression {
    /// Tests whether the array has an element that equals this one.
    public func contains<E: ColumnValue>(_ element: E) -> QueryExpression<Bool> where V == [E] {
        hasElement(element)
    }

    /// Tests whether the array has an element that equals this one; false for nil.
    public func contains<E: ColumnValue>(_ element: E) -> QueryExpression<Bool> where V == [E]? {
        hasElement(element)
    }

    /// Tests whether the array has this case of an enum.
    public func contains<E: RawRepresentable>(_ element: E) -> QueryExpression<Bool>
    where V == [E], E.RawValue: ScalarValue { hasElement(element.rawValue) }

    private func hasElement<E: ColumnValue>(_ element: E) -> QueryExpression<Bool> {
        QueryExpression<Bool>(
            ArrayElements.element(element).map { .hasElement(node, $0) } ?? element.unstorable, depth: depth + 1)
    }
}

extension ArrayElements {
    /// An element to look for; nil if no array can store it.
    static func element<E: ColumnValue>(_ element: E) -> Value? {
        if E.self == UInt8.self { return element.value }
        var json = JSONWriter()
        element.encode(into: &json)
        return json.failure == nil ? .text(String(decoding: json.bytes, as: UTF8.self)) : nil
    }
}
