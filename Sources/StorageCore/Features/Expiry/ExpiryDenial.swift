import StorageDriver

/// A reference that denies the deletion of records that expire, or of records that refer to them by a rule that cascades, at
/// any depth.
package struct ExpiryDenial: Hashable {
    /// The stored name of the referring model.
    package let model: StoredName
    /// The path of the rows that refer, and the property.
    let path: StoredPath
    package let property: StoredName
    /// The model that is referred to.
    let target: StoredName
    /// The model whose records expire.
    let expiring: StoredName

    package var message: String {
        let name = (path + [property]).joined()
        let going =
            target == expiring
            ? "whose records expire" : "whose records go with those of \(expiring), which expire"
        return "\(name) refers to \(target), \(going), and denies that they are deleted"
    }

    /// The denials in a store's tables, in their order.
    package static func all(in tables: [TableSchema]) -> [ExpiryDenial] {
        let going = goingModels(tables)
        if going.isEmpty { return [] }
        return tables.flatMap { table in
            table.references.compactMap { reference in
                guard reference.schema.onDelete == .deny, let expiring = going[reference.schema.storedModel] else {
                    return nil
                }
                return ExpiryDenial(
                    model: table.storedPath[0], path: table.storedPath,
                    property: table.columns[reference.columns[0]].storedProperty, target: reference.schema.storedModel,
                    expiring: expiring)
            }
        }
    }

    /// The models whose records may go because some expire, each with one of these.
    private static func goingModels(_ tables: [TableSchema]) -> [StoredName: StoredName] {
        var going: [StoredName: StoredName] = [:]
        var open: [StoredName] = []
        for table in tables where table.isRoot && table.columns.contains(where: \.isExpiry) {
            going[table.storedPath[0]] = table.storedPath[0]
            open.append(table.storedPath[0])
        }
        if open.isEmpty { return [:] }
        var cascading: [StoredName: [StoredName]] = [:]
        for table in tables {
            for reference in table.references where reference.schema.onDelete == .cascade {
                cascading[reference.schema.storedModel, default: []].append(table.storedPath[0])
            }
        }
        while let next = open.popLast() {
            for model in cascading[next] ?? [] where going[model] == nil {
                going[model] = going[next]
                open.append(model)
            }
        }
        return going
    }
}
