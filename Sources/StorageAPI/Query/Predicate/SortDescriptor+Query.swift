// SortDescriptor with a key path is in the full Foundation alone.
#if canImport(Foundation)
public import Foundation

extension SelectionBuilder {
    /// Sorts by Foundation's descriptors, each a key path to one of the model's own properties.
    ///
    /// Text is sorted by UTF-8 bytes, so a descriptor of text needs the comparator `.lexical`. Another one, and a key
    /// path that is no stored property of the model, are `invalidQuery` when the query runs.
    public func order(_ descriptors: SortDescriptor<Model>...) -> Self {
        var builder = self
        for descriptor in descriptors {
            guard let property = descriptor.keyPath, let ordinal = Model.ordinal(of: property) else {
                return builder.failing("The sort descriptor names no stored property of the model.")
            }
            if let comparator = descriptor.stringComparator, comparator != .lexical {
                return builder.failing("Text is sorted by its bytes; give the sort descriptor the comparator .lexical.")
            }
            builder.selection.order.append(
                SortOrder(
                    node: .property(PropertyPath([ordinal])), isDescending: descriptor.order == .reverse))
        }
        return builder
    }

    private func failing(_ message: String) -> Self {
        var builder = self
        builder.selection.problem = selection.problem ?? StorageError(.invalidQuery, message)
        return builder
    }
}
#endif
