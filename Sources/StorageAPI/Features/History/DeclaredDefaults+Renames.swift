import StorageDriver

// Renames that earlier versions of the library did not record in the store's history. The program still declares some.

extension DeclaredDefaults {
    /// Replaces former names of tables and columns of an image by the names that the program declares, if the store does not
    /// know the former ones.
    func renameFormer(in images: inout [ImageTable], _ known: [TableSchema]) throws(StorageError) {
        guard let type, images.contains(where: { !Self.isKnown($0, known) }) else { return }
        // Owners come before their owned records.
        for table in try DeclaredTables(type).tables {
            let path = StoredPath(table.path.dropFirst())
            for former in table.owner?.property.renamedFrom ?? [] {
                Self.rename(path.dropLast() + [former], to: path, in: &images, known)
            }
            guard let place = images.firstIndex(where: { $0.path == path }),
                let schema = known.first(where: images[place].isOf)
            else { continue }
            for member in table.members {
                for former in member.property.renamedFrom {
                    for column in member.columns {
                        let part = column.property.utf8.dropFirst(member.property.storedName.text.utf8.count)
                        let name = StoredName("\(former)\(String(part) ?? "")")
                        Self.rename(name, to: column, in: &images[place], schema)
                    }
                }
            }
        }
    }

    private static func rename(
        _ former: StoredPath, to path: StoredPath, in images: inout [ImageTable], _ known: [TableSchema]
    ) {
        guard !images.contains(where: { $0.path == path }),
            !known.contains(where: { $0.storedPath.dropFirst().elementsEqual(former) })
        else { return }
        for index in images.indices where images[index].path.starts(with: former) {
            images[index].path = path + images[index].path.dropFirst(former.count)
        }
    }

    private static func rename(
        _ former: StoredName, to column: ColumnSchema, in image: inout ImageTable, _ known: TableSchema
    ) {
        let isKnown = known.columns.contains { $0.role == column.role && $0.storedProperty == former }
        guard !isKnown, image.place(of: column.storedProperty, column.role.code) == nil,
            let place = image.place(of: former, column.role.code)
        else { return }
        image.columns[place].property = column.storedProperty
    }

    private static func isKnown(_ image: ImageTable, _ known: [TableSchema]) -> Bool {
        guard let schema = known.first(where: image.isOf) else { return false }
        return image.columns.allSatisfy { column in
            !column.isData
                || schema.columns.contains { $0.role.code == column.role && $0.storedProperty == column.property }
        }
    }
}
