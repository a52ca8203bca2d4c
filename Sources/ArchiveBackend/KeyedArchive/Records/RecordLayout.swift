package import StorageDriver

/// The mapping of one model's rows to a keyed archive. Made once for each schema.
///
/// A row is an object whose keys are the stored names of its properties. Owner, position, node and parent columns are
/// not written: the object's position in the graph says the same.
package struct RecordLayout: Sendable {
    let tables: [Table]
    /// All keys that objects of this layout have, each once; fields refer to them by index.
    let keys: [[UInt8]]
    /// For each part of the root's key its index in the root's `columns`.
    let keyColumns: [Int]

    struct Table: Sendable {
        let name: String
        let className: [UInt8]
        let width: Int
        let columns: [Column]
        var relations: [Relation] = []
        let form: Form
        /// The columns that hold the root's key, in its order.
        let owners: [Int]
        /// The columns of positions on the path from the root.
        let positions: [Int]
        /// The values of columns whose key an archive does not have.
        let missing: [Value]
    }

    /// The place of a table's rows in the archive.
    enum Form: Equatable, Sendable {
        case root
        case child
        /// Rows that own each other, by the number in `node`; 0 in `parent` means a row of the entry's table.
        case node(node: Int, parent: Int)
    }

    /// A column that has a separate value in the archive.
    struct Column: Sendable {
        let index: Int
        let key: Int
        let form: ScalarForm
    }

    /// An owned property.
    struct Relation: Sendable {
        let key: Int
        /// The key of a value with the same name. In files of earlier versions both had this key, so the key occurs
        /// twice in these files.
        let formerKey: Int?
        let target: Int
        let isMany: Bool
        /// True if it is an array of references, whose rows have positions with gaps.
        let isOfReferences: Bool
        /// The owner's column that distinguishes nil from an empty array.
        let presence: Int?
    }

    /// More levels of children than a store takes, so that whatever it took can be written and read.
    static let maximumDepth = 128

    var root: Table { tables[0] }
    var hasNodes: Bool { tables.contains { $0.nodeColumns != nil } }

    /// - Parameters:
    ///   - tables: the root's table first.
    ///   - missing: for each table and column the value of rows from archives that lack the column's key.
    ///   - rootClass: the root objects' class; without it their model's stored name.
    /// - Throws: `configuration` if the tables do not belong to one model.
    package init(
        tables schemas: [TableSchema], missing: [[Value]] = [], rootClass: String? = nil
    ) throws(StorageError) {
        var builder = RecordLayoutBuilder(schemas, missing: missing, rootClass: rootClass)
        tables = try builder.build()
        keys = builder.keys
        let columns = tables[0].columns
        keyColumns = schemas[0].key.compactMap { key in columns.firstIndex { $0.index == key } }
    }
}

extension RecordLayout.Table {
    var nodeColumns: (node: Int, parent: Int)? {
        if case .node(let node, let parent) = form { (node, parent) } else { nil }
    }
}
