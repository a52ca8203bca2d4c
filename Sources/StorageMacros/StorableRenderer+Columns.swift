// The columns.
extension StorableRenderer {
    var columns: String {
        """
        \(access)nonisolated struct Columns: StorageAPI.ColumnSet {
            \(access)let _propertyPath: StorageAPI.PropertyPath
            \(access)init(_ path: StorageAPI.PropertyPath) { _propertyPath = path }
        \(lines(column))
        }
        """
    }

    /// The property that a key path names.
    var ordinal: String {
        """
        \(access)nonisolated static func ordinal(of property: PartialKeyPath<Self>) -> Int? {
            let properties: [PartialKeyPath<Self>] = [\(list { #"\."# + $1.name.source })]
            return properties.firstIndex(of: property)
        }
        """
    }

    /// A column is visible where its property is: a wider column could name a type that is not. The struct around the columns does
    /// not see a private one, so that is widened if its type is surely visible in the whole file.
    private func column(_ index: Int, _ property: StoredProperty) -> String {
        let type = "StorageAPI.QueryExpression<\(property.type)>"
        let access = property.access == "private " && property.type.isStandard ? "fileprivate " : property.access
        return "    \(access)var \(property.name.source): \(type) { .init(_propertyPath, \(index)) }"
    }
}
