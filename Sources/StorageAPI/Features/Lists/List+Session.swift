public import StorageDriver

// The same calls without `async`.
extension Store.List where Source == Store.Session {
    // MARK: Reading

    /// Returns the number of elements.
    public func count() throws(StorageError) -> Int {
        try reading { (reading) throws(StorageError) in try reading.count(list) }
    }

    /// Returns whether an element names the record.
    public func contains(_ reference: Ref<Element>) throws(StorageError) -> Bool {
        try reading { (reading) throws(StorageError) in try reading.contains(reference, list) }
    }

    /// All elements, in their order.
    public func refs() throws(StorageError) -> [Ref<Element>] { try refs(in: 0..<Int.max) }

    /// The elements in a range of places, in order. Places beyond the end are ignored.
    public func refs(in places: Range<Int>) throws(StorageError) -> [Ref<Element>] {
        try reading { (reading) throws(StorageError) in try reading.refs(in: places, list) }
    }

    /// The records that the elements in a range of places refer to, in order. Places beyond the end are ignored.
    ///
    /// - Throws: `notFound` if one of the records is not stored, which is possible only for an unchecked reference.
    public func records(in places: Range<Int>) throws(StorageError) -> [Element] {
        try reading { (reading) throws(StorageError) in try reading.records(in: places, list) }
    }

    private func reading<T>(_ body: (RecordReader) throws(StorageError) -> T) throws(StorageError) -> T {
        try source.target.reading("list", .type(Owner.self), body)
    }

    // MARK: Changing

    /// Appends an element.
    public func append(_ reference: Ref<Element>) throws(StorageError) { try append([reference]) }

    /// Appends elements in their order.
    public func append(_ references: [Ref<Element>]) throws(StorageError) {
        guard !references.isEmpty else { return }
        try source.target.writing("append", .type(Owner.self)) { (writing) throws(StorageError) in
            try writing.insert(references.map { Element.values(of: $0.key) }, at: nil, in: list)
        }
    }

    /// Inserts an element before the one at an index, or appends it at the array's count.
    public func insert(_ reference: Ref<Element>, at index: Int) throws(StorageError) {
        try insert([reference], at: index)
    }

    /// Adds elements before the one at a place, in their order.
    public func insert(_ references: [Ref<Element>], at index: Int) throws(StorageError) {
        guard !references.isEmpty else { return }
        try source.target.writing("insert", .type(Owner.self)) { (writing) throws(StorageError) in
            try writing.insert(references.map { Element.values(of: $0.key) }, at: index, in: list)
        }
    }

    /// Moves the element at a place so that it is at another place afterwards.
    public func move(from first: Int, to index: Int) throws(StorageError) {
        try source.target.writing("move", .type(Owner.self)) { (writing) throws(StorageError) in
            try writing.move(from: first, to: index, in: list)
        }
    }

    /// Removes the element at a place, and returns it.
    @discardableResult
    public func remove(at index: Int) throws(StorageError) -> Ref<Element> {
        let key = try source.target.writing("remove", .type(Owner.self)) { (writing) throws(StorageError) in
            try writing.remove(at: index, in: list)
        }
        return Ref(key: try KeyForm<Element>.key(key))
    }

    /// Removes all elements that name the record, and returns their number.
    @discardableResult
    public func remove(_ reference: Ref<Element>) throws(StorageError) -> Int {
        try source.target.writing("remove", .type(Owner.self)) { (writing) throws(StorageError) in
            try writing.remove(Element.values(of: reference.key), in: list)
        }
    }
}
