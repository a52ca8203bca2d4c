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
        try self.table(table)?.initial(of: column)?.value()
    }

    /// The declaration of a table; nil if the program declares none.
    func table(_ table: TableSchema) throws(StorageError) -> Table? {
        guard let type else { return nil }
        return try DeclaredTables(type).tables.first { $0.path == table.storedPath }.map(Table.init)
    }

    /// The declared defaults of one table.
    struct Table {
        fileprivate let declared: DeclaredTables.Table

        /// Nil if the property has no default.
        func initial(of column: ColumnSchema) -> Initial? {
            let member = declared.members.first { member in
                member.columns.contains { $0.storedProperty == column.storedProperty }
            }
            guard let property = member?.property, let make = property.defaultValue else { return nil }
            return Initial(model: declared.path.first?.text, property: property.name, make: make)
        }

        /// Nil if the owned property has no default, or an empty array.
        func owned(by property: StoredName) -> OwnedDefault? {
            declared.members.first { $0.relation != nil && $0.property.storedName == property }?.property.writeDefault
        }
    }

    /// The default of a property.
    struct Initial: Sendable {
        let model: String?
        let property: String
        let make: @Sendable () throws -> Value

        /// - Throws: `invalidValue` if the default cannot be encoded.
        func value() throws(StorageError) -> Value {
            do { return try make() } catch {
                throw StorageError(
                    .invalidValue, "The property's default cannot be encoded.", model: model, property: property,
                    underlying: error)
            }
        }
    }
}
