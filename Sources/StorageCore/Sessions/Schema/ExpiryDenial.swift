import StorageDriver

/// A reference that denies the deletion of records that expire, or of records that refer to them by a rule that cascades, at
/// any depth.
package struct ExpiryDenial: Hashable {
    /// The stored name of the referring model.
    package let model: String
    /// The path of the rows that refer, and the property.
    let path: [String]
    package let property: String
    /// The model that is referred to.
    let target: String
    /// The model whose records expire.
    let expiring: String

    package var message: String {
        let name = (path + [property]).joined(separator: ".")
        let going =
            target.isSame(as: expiring)
            ? "whose records expire" : "whose records go with those of \(expiring), which expire"
        return "\(name) refers to \(target), \(going), and denies that they are deleted"
    }

    /// The denials in a store's tables, in their order.
    package static func all(in tables: [TableSchema]) -> [ExpiryDenial] {
        let going = goingModels(tables)
        if going.isEmpty { return [] }
        return tables.flatMap { table in
            table.references.compactMap { reference in
                guard reference.schema.onDelete == .deny, let expiring = going[name(reference.schema.model)] else {
                    return nil
                }
                return ExpiryDenial(
                    model: table.path[0], path: table.path, property: table.columns[reference.columns[0]].property,
                    target: reference.schema.model, expiring: expiring)
            }
        }
    }

    /// The models whose records may go because some expire, each with one of these. Names are compared by their bytes.
    private static func goingModels(_ tables: [TableSchema]) -> [[UInt8]: String] {
        var going: [[UInt8]: String] = [:]
        var open: [[UInt8]] = []
        for table in tables where table.isRoot && table.columns.contains(where: \.isExpiry) {
            going[name(table.path[0])] = table.path[0]
            open.append(name(table.path[0]))
        }
        if open.isEmpty { return [:] }
        var cascading: [[UInt8]: [String]] = [:]
        for table in tables {
            for reference in table.references where reference.schema.onDelete == .cascade {
                cascading[name(reference.schema.model), default: []].append(table.path[0])
            }
        }
        while let next = open.popLast() {
            for model in cascading[next] ?? [] where going[name(model)] == nil {
                going[name(model)] = going[next]
                open.append(name(model))
            }
        }
        return going
    }

    private static func name(_ model: String) -> [UInt8] { Array(model.utf8) }
}
