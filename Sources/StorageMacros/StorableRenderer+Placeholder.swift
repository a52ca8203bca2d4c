// The conformance of a declaration with an error. It is never run, and names no more than its uses do.
extension StorableRenderer {
    /// The declarations in the struct's body.
    var placeholders: [String] {
        [
            keyType,
            "\(access)nonisolated static var schema: StorageAPI.ModelSchema { StorageAPI.ModelSchema(\"\", []) }",
            "\(access)nonisolated func write(into row: inout StorageAPI.RowWriter) {}", columns,
        ] + (model.keys.isEmpty ? [] : keyPlaceholders)
    }

    private var keyPlaceholders: [String] {
        [
            "\(access)nonisolated func writeKey(into row: inout StorageAPI.RowWriter) {}",
            "\(access)nonisolated static func values(of key: Key) -> [StorageAPI.Value] { [] }",
            """
            \(access)nonisolated static func readKey(_ row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) -> Key {
                \(failure)
            }
            """,
        ]
    }

    /// The declaration in the extension, indented for it.
    var placeholderInitializer: String {
        """
            \(model.initializerAccess)nonisolated init(reading row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) {
                \(failure)
            }
        """
    }

    private var failure: String {
        "throw StorageAPI.StorageError(.configuration, \"The declaration has an error.\")"
    }
}
