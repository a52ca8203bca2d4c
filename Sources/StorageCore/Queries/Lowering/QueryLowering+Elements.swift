import StorageDriver

/// Groups by the elements of an array of the records.
///
/// A group's input is a term of the record or of the element. The terms are numbered as the columns of a row that has both: even
/// numbers are terms of the record, and odd ones terms of the element.
struct ElementGroups {
    /// The array: a property of the records.
    let array: PropertyPath
    /// The terms of a record.
    var record: [TypedTerm] = []
    /// The terms of an element; nil for the element itself.
    var element: [QueryNode?] = []
    var elementTypes: [ColumnType] = []

    /// The column of a term of the record.
    mutating func column(ofRecord term: TypedTerm) -> TypedTerm {
        let known = record.firstIndex(of: term)
        if known == nil { record.append(term) }
        return TypedTerm(.column(2 * (known ?? record.count - 1)), term.type)
    }

    /// The column of a term of the element.
    mutating func column(ofElement node: QueryNode?, _ type: ColumnType) -> TypedTerm {
        if node == nil, let known = element.firstIndex(where: { $0 == nil }) {
            return TypedTerm(.column(2 * known + 1), type)
        }
        element.append(node)
        elementTypes.append(type)
        return TypedTerm(.column(2 * element.count - 1), type)
    }
}

extension QueryLowering {
    /// Notes the array by whose elements keys make groups; nil if they make them by records.
    mutating func findElements(in keys: [QueryNode]) throws(StorageError) {
        for key in keys {
            if let found = try elements(key) { return elementGroups = ElementGroups(array: found.array) }
        }
    }

    /// An input of groups: the key of a group, or a value to aggregate.
    mutating func groupInput(_ node: QueryNode) throws(StorageError) -> TypedTerm {
        guard let groups = elementGroups else { return try typed(node) }
        guard let (array, inner) = try elements(node) else {
            let term = try typed(node)
            return elementGroups?.column(ofRecord: term) ?? term
        }
        guard try ordinals(of: array, in: place) == ordinals(of: groups.array, in: place) else {
            throw invalid("Groups are by the elements of one array; ask for each array by itself.")
        }
        let type = try element(inner, of: array).type
        return elementGroups?.column(ofElement: inner, type) ?? TypedTerm(.null, type)
    }

    /// The array of whose elements a node is a term, and the term; nil for any other node.
    private mutating func elements(
        _ node: QueryNode
    ) throws(StorageError) -> (array: PropertyPath, term: QueryNode?)? {
        switch node {
        case .element(.property(let path), let term): return (path, term)
        case .placed(let inner, let place):
            guard let (array, term) = try elements(inner) else { return nil }
            return (array, term.map { .placed($0, place) })
        case .datePart(let part, let inner, let zone):
            guard let (array, term) = try elements(inner), let term else { return nil }
            return (array, .datePart(part, term, zone))
        case .property(let path): return try elements(path)
        default: return nil
        }
    }

    /// The same of a path in a text, where an array stands for its elements.
    private mutating func elements(
        _ path: PropertyPath
    ) throws(StorageError) -> (array: PropertyPath, term: QueryNode?)? {
        guard let first = path.names.first, let ordinal = table.ordinal(of: first.text) else { return nil }
        if case .relation(let index) = try model.member(ordinal, of: table), table.relations[index].isMany {
            let array = PropertyPath([ordinal])
            guard path.names.count > 1 else { return (array, nil) }
            var inner = PropertyPath(scope: 1)
            inner.names = Array(path.names.dropFirst())
            return (array, .property(inner))
        }
        guard case .column(_, .array) = try resolve(path, in: place) else { return nil }
        return (path, nil)
    }

    /// A term of an element, in its row; of a value the value.
    mutating func element(_ node: QueryNode?, of array: PropertyPath) throws(StorageError) -> TypedTerm {
        let records = Place(table: model.root, model: model)
        switch try resolve(array, in: records) {
        case .column(_, .array(let type)):
            guard node == nil else { throw invalid("The elements of the array are values, which have no properties.") }
            return TypedTerm(.column(0), type)
        case .rows(let path) where path.steps.isEmpty && array.inverse == nil:
            guard let node else { return try key(ofElements: path) }
            let (term, type) = try operand(node, in: inside(path, records))
            guard let type else { throw invalid("A constant is used where a property is needed.") }
            return TypedTerm(try (path.element.map { .related($0, term) } ?? term).fitting(), type)
        default: throw invalid("Groups are by the elements of an array of the records themselves.")
        }
    }

    /// The key to which an element of an array of references refers.
    private func key(ofElements path: JoinPath) throws(StorageError) -> TypedTerm {
        guard let columns = path.element?.outer, columns.count == 1, let column = columns[0],
            model.tables.indices.contains(path.last.table)
        else {
            throw invalid("The elements of the array are records; group by one of their properties, like pens.color.")
        }
        return TypedTerm(.column(column), model.tables[path.last.table].schema.columns[column].type)
    }

    /// The tables' rows of the array's elements; nil if they are values.
    mutating func rows(of groups: ElementGroups) throws(StorageError) -> TableBinding? {
        guard case .rows(let path) = try resolve(groups.array, in: Place(table: model.root, model: model)) else {
            return nil
        }
        return model.tables.indices.contains(path.last.table) ? model.tables[path.last.table] : nil
    }
}
