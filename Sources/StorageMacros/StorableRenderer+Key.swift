// The key.
extension StorableRenderer {
    private var keyTypes: [String] {
        model.keys.map { ($0.type.wrapped ?? $0.type).trimmedDescription }
    }

    /// `Never` for a type without a key, which other types own; the library has the rest of its conformance.
    var keyType: String {
        let type = keyTypes.count == 1 ? keyTypes[0] : "(\(keyTypes.joined(separator: ", ")))"
        return "\(access)typealias Key = \(keyTypes.isEmpty ? "Never" : type)"
    }

    var writeKey: String? {
        keyTypes.isEmpty
            ? nil
            : """
            \(access)nonisolated func writeKey(into row: inout StorageAPI.RowWriter) {
            \(model.keys.map { "    row.write(self.\($0.name.source))" }.joined(separator: "\n"))
            }
            """
    }

    /// The key property of a type whose key can be nil; otherwise all key properties.
    private func key(of record: String) -> String {
        let parts = model.keys.map { "\(record).\($0.name.source)" }
        return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))"
    }

    var keyOfRecord: String? {
        keyTypes.isEmpty
            ? nil : "\(access)nonisolated static func key(of record: Self) -> Key? { \(key(of: "record")) }"
    }

    /// The number of values in a key, where that is not evident from its type.
    var keyWidth: String? {
        keyTypes.count > 1 ? "\(access)nonisolated static var _keyWidth: Int { \(keyTypes.count) }" : nil
    }

    /// True if every record has a key. A property called `ref` leaves no name for the reference.
    var isAlwaysKeyed: Bool {
        !keyTypes.isEmpty && model.keys.allSatisfy { $0.type.wrapped == nil }
            && !model.properties.contains { $0.name.plain == "ref" }
    }

    var reference: String {
        "\(access)nonisolated var ref: StorageAPI.Ref<Self> { .init(key: \(key(of: "self"))) }"
    }

    var valuesOfKey: String? {
        guard !keyTypes.isEmpty else { return nil }
        let parts = keyTypes.count == 1 ? ["key"] : keyTypes.indices.map { "key.\($0)" }
        return """
            \(access)nonisolated static func values(of key: Key) -> [StorageAPI.Value] {
                [\(parts.map { "StorageAPI.Value(\($0))" }.joined(separator: ", "))]
            }
            """
    }

    var readKey: String? {
        guard !keyTypes.isEmpty else { return nil }
        let parts = keyTypes.map { "try row.read((\($0)).self)" }
        return """
            \(access)nonisolated static func readKey(_ row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) -> Key {
                \(parts.count == 1 ? parts[0] : "(\(parts.joined(separator: ", ")))")
            }
            """
    }

    /// Only a key that can be nil is ever assigned by the store.
    var assign: String? {
        guard model.keys.count == 1, model.keys[0].type.wrapped != nil else { return nil }
        return """
            \(access)nonisolated mutating func assign(_ key: Key) {
                self.\(model.keys[0].name.source) = key
            }
            """
    }
}
