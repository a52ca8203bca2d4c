import StorageDriver

/// The key that a store assigns.
package enum KeyAssignment: Sendable {
    /// The number after the greatest that the model ever had, which the table remembers.
    case number
    /// A new random UUID.
    case uuid

    init?(_ type: ColumnType) {
        switch type {
        case .uuid: self = .uuid
        case _ where type.storage == .integer: self = .number
        default: return nil
        }
    }
}
