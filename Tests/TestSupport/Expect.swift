package import Testing

/// Records an issue if a condition does not hold.
///
/// The macro `#expect` takes each condition apart to print its parts, and costs a quarter of the time in which a module of tests is
/// compiled. It stays for errors and for processes that exit.
package func expect(
    _ condition: Bool, _ comment: @autoclosure () -> Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    if !condition { Issue.record(comment() ?? "The condition does not hold.", sourceLocation: sourceLocation) }
}

/// Records an issue with both values if they differ.
package func expect<T: Equatable>(
    _ value: T, equals expected: T, _ comment: @autoclosure () -> Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    guard value != expected else { return }
    let values = "It is \(String(reflecting: value)), not \(String(reflecting: expected))."
    Issue.record(
        "\([values, comment()?.rawValue].compactMap(\.self).joined(separator: " "))", sourceLocation: sourceLocation)
}
