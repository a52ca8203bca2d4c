public import StorageDriver

extension FilterBuilder {
    /// For an extension of a builder that cannot mean anything: the error is thrown when the query runs. Of several the
    /// first counts.
    public func failing(_ error: StorageError) -> Self {
        var builder = self
        builder.selection.problem = selection.problem ?? error
        return builder
    }
}

extension SelectionBuilder {
    /// Sorts by the stored property that a key path of the model leads to; any other key path, and a property without
    /// an order, are `invalidQuery` when the query runs.
    public func order(by property: PartialKeyPath<Model>, descending isDescending: Bool = false) -> Self {
        guard let ordinal = Model.ordinal(of: property) else {
            return failing(StorageError(.invalidQuery, "The key path leads to no stored property of the model."))
        }
        var builder = self
        builder.selection.order.append(
            SortOrder(node: .property(PropertyPath([ordinal])), isDescending: isDescending))
        return builder
    }
}
