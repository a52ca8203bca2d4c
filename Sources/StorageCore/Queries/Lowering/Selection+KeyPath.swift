public import StorageDriver

extension FilterBuilder {
    /// For an invalid extension of a builder: the query throws the error when it runs. Of several errors the first
    /// counts.
    public func failing(_ error: StorageError) -> Self {
        var builder = self
        builder.selection.problem = selection.problem ?? error
        return builder
    }
}

extension SelectionBuilder {
    /// Sorts by the stored property of a key path of the model. Any other key path, and a property without an order,
    /// make the query throw `invalidQuery` when it runs.
    public func order(by property: PartialKeyPath<Model>, descending isDescending: Bool = false) -> Self {
        guard let ordinal = Model.ordinal(of: property) else {
            return failing(StorageError(.invalidQuery, "The key path leads to no stored property of the model."))
        }
        var builder = self
        builder.selection.order.append(
            OrderingTerm(node: .property(PropertyPath([ordinal])), isDescending: isDescending))
        return builder
    }
}
