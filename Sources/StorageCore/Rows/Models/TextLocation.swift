import StorageDriver

/// A position in a query's text.
package struct TextLocation: Sendable {
    let text: String
    let offset: Int
    /// The word at the position.
    let word: String

    /// An error with the position.
    func error(_ problem: String) -> StorageError { StorageError(.invalidQuery, sentence(problem)) }

    /// The error with the position in its message, unless it has one.
    func placing(_ error: StorageError) -> StorageError {
        guard error.code == .invalidQuery, !error.message.contains("(character ") else { return error }
        return error.with { $0.message = "\(error.message) \(position)" }
    }

    private func sentence(_ problem: String) -> String {
        "The query's text cannot be read: \(problem) \(position)."
    }

    private var position: String {
        let excerpt = String(text.unicodeScalars.dropFirst(offset).prefix(24))
        return excerpt.isEmpty
            ? "(character \(offset + 1), the end)" : "(character \(offset + 1), at \(excerpt.debugDescription))"
    }
}
