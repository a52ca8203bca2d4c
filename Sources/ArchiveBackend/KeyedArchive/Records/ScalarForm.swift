internal import StorageDriver

/// The representation of a column's values in an archive: their kind, and the depth of arrays.
struct ScalarForm: BitwiseCopyable, Equatable {
    enum Leaf: UInt8, BitwiseCopyable {
        case bool, integer, double, float, date, text, url, data, uuid, embedded
    }

    var leaf: Leaf
    /// 0 for a scalar, 1 for an array of scalars, 2 for an array of such arrays.
    var arrays: Int

    init(_ type: ColumnType) {
        switch type {
        case .array(let element):
            self = ScalarForm(element)
            arrays += 1
        // Types that Foundation has a class for, or that read back to another cell than their element alone tells.
        case .float: self.init(leaf: .float)
        case .date: self.init(leaf: .date)
        case .url: self.init(leaf: .url)
        case .data: self.init(leaf: .data)
        case .uuid: self.init(leaf: .uuid)
        case .embedded: self.init(leaf: .embedded)
        default:
            switch type.row.element {
            case .bool: self.init(leaf: .bool)
            case .integer: self.init(leaf: .integer)
            case .double: self.init(leaf: .double)
            case .text, .bytes: self.init(leaf: .text)
            case .numbers: self.init(leaf: .embedded)
            }
        }
    }

    private init(leaf: Leaf) {
        self.leaf = leaf
        arrays = 0
    }

    /// The representation of an array's elements.
    var element: ScalarForm {
        var element = self
        element.arrays -= 1
        return element
    }
}
