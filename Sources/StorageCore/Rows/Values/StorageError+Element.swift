package import StorageDriver

extension StorageError {
    /// The error without the number of an element, for a caller that has named no elements.
    @usableFromInline
    package var withoutElement: StorageError { with { $0.element = nil } }
}
