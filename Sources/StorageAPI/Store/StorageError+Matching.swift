public import StorageDriver

extension StorageError {
    /// Matches errors by their code in a `catch`, for any static type of the error: in closures, tests and functions that
    /// throw any error.
    ///
    /// ```swift
    /// do {
    ///     try await store.insert(person)
    /// } catch StorageError.code(.duplicateKey) {
    ///     try await store.save(person)
    /// } catch {
    ///     print(error)
    /// }
    /// ```
    public static func code(_ codes: Code...) -> CodePattern { CodePattern(codes: codes) }

    /// A pattern that matches errors of some codes; see ``code(_:)``.
    public struct CodePattern: Sendable {
        let codes: [Code]

        /// Returns whether an error is a `StorageError` with one of the codes.
        public static func ~= <E: Error>(pattern: Self, error: E) -> Bool {
            (error as? StorageError).map { pattern.codes.contains($0.code) } ?? false
        }
    }
}
