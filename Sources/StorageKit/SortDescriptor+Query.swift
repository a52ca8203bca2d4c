// Here and not in StorageAPI, which needs less than the full Foundation.
public import Foundation
public import StorageAPI

extension SelectionBuilder {
    /// Sorts by Foundation's descriptors, each a key path to one of the model's own properties.
    ///
    /// Text is sorted by UTF-8 bytes, so a descriptor of text needs the comparator `.lexical`. With another comparator,
    /// or a key path that is not a stored property of the model, the query throws `invalidQuery` when it runs.
    public func order(_ descriptors: SortDescriptor<Model>...) -> Self {
        var builder = self
        for descriptor in descriptors {
            guard let property = descriptor.keyPath, (descriptor.stringComparator ?? .lexical) == .lexical else {
                return builder.failing(
                    StorageError(
                        .invalidQuery,
                        "A query sorts by a stored property, and text by its bytes: give the sort descriptor a key path, and for text the comparator .lexical."
                    ))
            }
            builder = builder.order(by: property, descending: descriptor.order == .reverse)
        }
        return builder
    }
}
