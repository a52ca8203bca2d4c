/// A password with signs that have a meaning in an address, as a person types it without escapes.
package struct TypedPassword: CustomStringConvertible {
    package let description: String
    // Nothing else in an address or a message has them.
    private static let ends = ("Qz7x", "W9kv")
    private static let signs = Array("aZ09 @:/?&=#%'\\+.,;[]~ü\u{301}\n")

    /// - Parameter more: other signs that may be in it.
    package init(_ random: inout SeededGenerator, or more: [Character] = []) {
        let signs = Self.signs + more
        let middle = (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in signs.randomElement(using: &random)
        }
        description = Self.ends.0 + String(middle) + Self.ends.1
    }

    /// Returns whether a text has the beginning or the end of such a password.
    package static func isShown(in text: String) -> Bool { text.contains(ends.0) || text.contains(ends.1) }
}
