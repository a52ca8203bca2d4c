/// The term by which the document of a record is found: the byte FF, and the key of the record.
///
/// A key is indexed as a word is, so merges and removals keep it up to date (Lucene's `_id` field works alike).
enum KeyTerm {
    static let property: UInt8 = 0xFF
    /// The bytes of a key that a term has. A longer key is cut, and its hash follows, so that keys with the same beginning have
    /// different terms.
    private static let maximumLength = 96

    /// Returns whether other keys may have the same term.
    static func isShared(_ key: [UInt8]) -> Bool { key.count > maximumLength }

    static func bytes(_ key: [UInt8]) -> [UInt8] {
        var term = [property]
        term.reserveCapacity(key.count + 1)
        guard isShared(key) else { return term + key }
        term += key[..<maximumLength]
        let hash = FNV1a.hash(key)
        for shift in stride(from: 56, through: 0, by: -8) { term.append(UInt8(truncatingIfNeeded: hash >> shift)) }
        return term
    }
}
