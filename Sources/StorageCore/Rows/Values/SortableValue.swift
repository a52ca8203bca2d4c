/// A type whose values can be sorted: every scalar and Optionals of scalars, but no arrays.
public protocol SortableValue: ColumnValue {
    /// The type without its Optional.
    associatedtype Scalar: ScalarValue = Self
}

extension Optional: SortableValue where Wrapped: SortableValue & ScalarValue {
    /// The wrapped type.
    public typealias Scalar = Wrapped
}
