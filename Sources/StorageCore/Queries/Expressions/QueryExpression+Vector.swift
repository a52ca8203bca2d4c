public import StorageDriver

extension QueryExpression where V == Vector {
    /// The distance between the vector and another, to filter and to sort by; see `VectorMetric.distance(_:_:)`.
    public func distance(to other: Vector, by metric: Vector.Metric) -> QueryExpression<Double> {
        QueryExpression<Double>(.distance(metric, node, other.node), depth: depth + 1)
    }

    /// The distance between the vector and that of another property.
    public func distance(to other: Self, by metric: Vector.Metric) -> QueryExpression<Double> {
        QueryExpression<Double>(.distance(metric, node, other.node), depth: Swift.max(depth, other.depth) + 1)
    }
}

extension QueryExpression where V == Vector? {
    /// The distance between the vector and another; nil if it is nil. See `VectorMetric.distance(_:_:)`.
    public func distance(to other: Vector, by metric: Vector.Metric) -> QueryExpression<Double?> {
        QueryExpression<Double?>(.distance(metric, node, other.node), depth: depth + 1)
    }
}
