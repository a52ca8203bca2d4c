/// Writes the expansion of `@Storable`: one function for each member, and every name of the library fully qualified.
struct StorableRenderer {
    let model: StorableDeclaration

    /// The declarations in the struct's body.
    var members: [String] {
        [
            keyType, schema, readProperties, write, writeKey, keyOfRecord, keyWidth, valuesOfKey, readKey, assign,
            ordinal,
            columns,
        ].compactMap { $0 }
    }

    var access: String { model.access }

    /// One line of source for each property.
    func lines(_ line: (Int, StoredProperty) -> String) -> String {
        model.properties.enumerated().map { line($0, $1) }.joined(separator: "\n")
    }

    /// One term for each property.
    func list(_ element: (Int, StoredProperty) -> String) -> String {
        model.properties.enumerated().map { element($0, $1) }.joined(separator: ", ")
    }
}
