/// A document to be indexed: the key of its record, and the texts of each searched property.
package struct SearchDocument: Sendable {
    /// Positions between two texts of one property, so that no phrase reaches from one into the next.
    static let gap = 1

    package var key: [UInt8]
    package var texts: [[String]]

    package init(key: [UInt8], texts: [[String]]) {
        self.key = key
        self.texts = texts
    }
}
