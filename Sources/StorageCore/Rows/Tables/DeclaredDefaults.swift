import StorageDriver

/// The defaults that the program declares for properties that older records lack.
package struct DeclaredDefaults: Sendable {
    /// Nil where the program does not declare the model.
    package let type: (any Storable.Type)?

    package init(type: (any Storable.Type)?) { self.type = type }

    /// A property's default; nil if it has none.
    ///
    /// - Throws: `invalidValue` if the default cannot be encoded.
    package func value(of column: ColumnSchema, in table: TableSchema) throws(StorageError) -> Value? {
        guard let type else { return nil }
        let declared = try DeclaredTables(type).tables.first { $0.path == table.storedPath }
        for member in declared?.members ?? [] {
            guard member.columns.contains(where: { $0.storedProperty == column.storedProperty }) else { continue }
            do {
                return try member.property.defaultValue?()
            } catch {
                throw StorageError(
                    .invalidValue, "The property's default cannot be encoded.", model: table.path.first,
                    property: member.property.name, underlying: error)
            }
        }
        return nil
    }
}
