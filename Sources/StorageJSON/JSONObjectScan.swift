import StorageDriver

/// Finds the members of an object whose values are scalars, without making values of them.
///
/// Used by one thread, for one object after the other.
package final class JSONObjectScan {
    /// A member: where its name and its value are in the bytes.
    package struct Member {
        package let name: Range<Int>
        /// The value; a text with its quotes.
        package let value: Range<Int>
        /// True for a text whose characters are all written as themselves.
        package let isPlainText: Bool
        package let isASCII: Bool
    }

    package private(set) var members: [Member] = []

    package init() {}

    /// Finds the members of the object that is all of the bytes.
    ///
    /// - Returns: false for everything that a parser has to look at: text that is no JSON, other values, names with escapes.
    package func read(_ bytes: UnsafeRawBufferPointer) -> Bool {
        // A local variable, since each access to a property of a class is checked at run time.
        var members: [Member] = []
        swap(&members, &self.members)
        defer { swap(&members, &self.members) }
        members.removeAll(keepingCapacity: true)
        var scanner = JSONScanner(bytes)
        do {
            var isFirst = true
            try scanner.enter(UInt8(ascii: "{"))
            while try scanner.hasNext(UInt8(ascii: "}"), isFirst: isFirst) {
                isFirst = false
                let name = try scanner.name()
                guard !name.hasEscapes, let next = scanner.peek() else { return false }
                let start = scanner.position
                switch next {
                case UInt8(ascii: "\""):
                    let text = try scanner.string()
                    members.append(
                        Member(
                            name: name.range, value: start..<scanner.position, isPlainText: !text.hasEscapes,
                            isASCII: text.isASCII))
                case UInt8(ascii: "{"), UInt8(ascii: "["): return false
                default:
                    try scanner.passValue()
                    members.append(
                        Member(name: name.range, value: start..<scanner.position, isPlainText: false, isASCII: true))
                }
            }
            return scanner.peek() == nil
        } catch {
            return false
        }
    }
}

extension JSONObjectScan.Member {
    /// The bytes of a plain text, if they are UTF-8.
    package func text(in bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard isPlainText else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[value.dropFirst().dropLast()])
        return isASCII || String.isUTF8(text) ? text : nil
    }
}
