internal import StorageDriver

/// How a column's values stand in an archive: what they are, and in how many arrays.
struct ScalarForm: BitwiseCopyable, Equatable {
    enum Leaf: UInt8, BitwiseCopyable {
        case bool, integer, double, float, date, text, url, decimal, data, uuid, embedded
    }

    var leaf: Leaf
    /// 0 for a scalar, 1 for an array of scalars, 2 for an array of those.
    var arrays: Int

    init(_ type: ColumnType) {
        switch type {
        case .array(let element):
            self = ScalarForm(element)
            arrays += 1
        case .bool: self.init(leaf: .bool)
        case .double: self.init(leaf: .double)
        case .float: self.init(leaf: .float)
        case .date: self.init(leaf: .date)
        case .string: self.init(leaf: .text)
        case .url: self.init(leaf: .url)
        case .decimal: self.init(leaf: .decimal)
        case .data: self.init(leaf: .data)
        case .uuid: self.init(leaf: .uuid)
        case .embedded: self.init(leaf: .embedded)
        default: self.init(leaf: .integer)
        }
    }

    private init(leaf: Leaf) {
        self.leaf = leaf
        arrays = 0
    }

    /// The form of an array's elements.
    var element: ScalarForm {
        var element = self
        element.arrays -= 1
        return element
    }
}
