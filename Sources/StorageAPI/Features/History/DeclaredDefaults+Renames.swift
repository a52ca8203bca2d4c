import StorageDriver

// Renames that earlier versions of the library did not record in the store's history. The program still declares some.

extension DeclaredDefaults {
    /// Replaces former names of tables and columns of an image by the names that the program declares, if the store does not
    /// know the former ones.
    func renameFormer(in images: inout [ImageTable], _ known: [TableSchema]) throws(StorageError) {
        guard let type, images.contains(where: { !Self.isKnown($0, known) }) else { return }
        // Owners come before their owned records.
        for table in try DeclaredTables(type).tables {
            let path = Array(table.path.dropFirst())
            for former in table.owner?.property.renamedFrom ?? [] {
                Self.rename(path.dropLast() + [former], to: path, in: &images, known)
            }
            guard let place = images.firstIndex(where: { Self.isSame($0.path, path) }),
                let schema = known.first(where: images[place].isSame)
            else { continue }
            for member in table.members {
                for former in member.property.renamedFrom {
                    for column in member.columns {
                        let name = former + column.property.dropFirst(member.property.storedName.count)
                        Self.rename(name, to: column, in: &images[place], schema)
                    }
                }
            }
        }
    }

    private static func rename(
        _ former: [String], to path: [String], in images: inout [ImageTable], _ known: [TableSchema]
    ) {
        guard !images.contains(where: { isSame($0.path, path) }),
            !known.contains(where: { isSame(Array($0.path.dropFirst()), former) })
        else { return }
        for index in images.indices where isSame(Array(images[index].path.prefix(former.count)), former) {
            images[index].path = path + images[index].path.dropFirst(former.count)
        }
    }

    private static func rename(
        _ former: String, to column: ColumnSchema, in image: inout ImageTable, _ known: TableSchema
    ) {
        let isKnown = known.columns.contains { $0.role == column.role && $0.property.isSame(as: former) }
        guard !isKnown, image.place(of: column.property, column.role.code) == nil,
            let place = image.place(of: former, column.role.code)
        else { return }
        image.columns[place].property = column.property
    }

    private static func isKnown(_ image: ImageTable, _ known: [TableSchema]) -> Bool {
        guard let schema = known.first(where: image.isSame) else { return false }
        return image.columns.allSatisfy { column in
            !column.isData
                || schema.columns.contains { $0.role.code == column.role && $0.property.isSame(as: column.property) }
        }
    }

    private static func isSame(_ left: [String], _ right: [String]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    }
}
