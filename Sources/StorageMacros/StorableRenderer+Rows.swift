// Rows. Reading has two parts: the values are read where their types can be named, and the extension makes the model
// from them.
extension StorableRenderer {
    var readProperties: String {
        """
        @inline(__always)
        private nonisolated static func readProperties(
            _ row: inout StorageAPI.RowReader
        ) throws(StorageAPI.StorageError) -> (\(list { $1.type.description })) {
        \(lines { index, property in "    let p\(index) = try row.read((\(property.type)).self)" })
            return (\(values))
        }
        """
    }

    private var values: String { list { index, _ in "p\(index)" } }

    /// The declaration in the extension, indented for it.
    var initializer: String {
        """
            @inline(__always)
            \(model.initializerAccess)nonisolated init(reading row: inout StorageAPI.RowReader) throws(StorageAPI.StorageError) {
                let (\(values)) = try Self.readProperties(&row)
        \(model.hasMemberwiseInit ? memberwiseCall : assignments)
            }
        """
    }

    private var memberwiseCall: String {
        "        self.init(\(list { index, property in "\(property.name.label): p\(index)" }))"
    }

    private var assignments: String {
        lines { index, property in "        self.\(property.name.source) = p\(index)" }
    }

    var write: String {
        """
        @inline(__always)
        \(access)nonisolated func write(into row: inout StorageAPI.RowWriter) {
        \(lines { _, property in "    row.write(self.\(property.name.source))" })
        }
        """
    }
}
