/// The stored name of a model, of a property, or of an element of a path.
///
/// Names are compared by their bytes: two normal forms of a name are two names (clauses S6 and V4), and to Swift they are equal
/// strings.
@usableFromInline
package struct StoredName: Hashable, Sendable {
    @usableFromInline package let text: String

    @inlinable
    package init(_ text: String) { self.text = text }

    @usableFromInline
    package static func == (one: StoredName, other: StoredName) -> Bool {
        // The strings' `==` distinguishes most by comparing memory; comparing byte by byte takes ten times as long.
        guard one.text == other.text else { return false }
        let areSame = one.text.utf8.withContiguousStorageIfAvailable { bytes in
            other.text.utf8.withContiguousStorageIfAvailable { others in
                UnsafeRawBufferPointer(bytes).elementsEqual(UnsafeRawBufferPointer(others))
            }
        }
        return (areSame ?? nil) ?? one.text.utf8.elementsEqual(other.text.utf8)
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // Otherwise the names of a path would have the hash of one long name.
        hasher.combine(0xFF as UInt8)
    }
}

extension StoredName: Comparable {
    @usableFromInline
    package static func < (one: StoredName, other: StoredName) -> Bool {
        one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }
}

extension StoredName: ExpressibleByStringLiteral {
    @inlinable
    package init(stringLiteral text: String) { self.text = text }
}

extension StoredName: CustomStringConvertible {
    @usableFromInline package var description: String { text }
}

extension StoredName: Codable {
    @usableFromInline
    package init(from decoder: any Decoder) throws { text = try String(from: decoder) }

    @usableFromInline
    package func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// The path of a table: the stored names of the model and of the properties that lead to the table.
@usableFromInline
package struct StoredPath: Hashable, Sendable {
    @usableFromInline package private(set) var texts: [String]

    @inlinable
    package init(_ texts: [String]) { self.texts = texts }

    @usableFromInline
    package static func == (one: StoredPath, other: StoredPath) -> Bool {
        guard one.count == other.count else { return false }
        // Copies of one schema share their path, as the arrays' `==` would notice.
        let areOne = one.texts.withUnsafeBufferPointer { one in
            other.texts.withUnsafeBufferPointer { $0.baseAddress == one.baseAddress }
        }
        return areOne || one.elementsEqual(other)
    }

    @usableFromInline
    package func hash(into hasher: inout Hasher) { for name in self { hasher.combine(name) } }

    /// The path as a text: `Person.pens`.
    package func joined(separator: String = ".") -> String { texts.joined(separator: separator) }
}

extension StoredPath: RandomAccessCollection, RangeReplaceableCollection {
    @inlinable
    package init() { texts = [] }

    @inlinable package var startIndex: Int { 0 }
    @inlinable package var endIndex: Int { texts.count }

    @inlinable
    package subscript(position: Int) -> StoredName { StoredName(texts[position]) }

    @usableFromInline
    package mutating func replaceSubrange(_ range: Range<Int>, with names: some Collection<StoredName>) {
        texts.replaceSubrange(range, with: names.map(\.text))
    }
}

extension StoredPath: ExpressibleByArrayLiteral {
    @usableFromInline
    package init(arrayLiteral names: StoredName...) { texts = names.map(\.text) }
}

extension StoredPath: Codable {
    @usableFromInline
    package init(from decoder: any Decoder) throws { texts = try [String](from: decoder) }

    @usableFromInline
    package func encode(to encoder: any Encoder) throws { try texts.encode(to: encoder) }
}

extension StorageError {
    /// An error about records of a model.
    package init(
        _ code: Code, _ message: String, operation: String? = nil, model: StoredName, key: [Value]? = nil,
        property: String? = nil, underlying: (any Error)? = nil
    ) {
        self.init(
            code, message, operation: operation, model: model.text, key: key, property: property, underlying: underlying
        )
    }

    /// The same error with the given context, if it has none yet.
    package func at(operation: String? = nil, model: StoredName, backend: String? = nil) -> StorageError {
        at(operation: operation, model: model.text, backend: backend)
    }
}
