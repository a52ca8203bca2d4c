public import StorageDriver

extension Store {
    /// A record's stored array of references, whose parts can be read and changed without loading the rest; created by
    /// ``Store/list(_:of:)``.
    ///
    /// ```swift
    /// let tracks = store.list(\.tracks, of: playlist.ref)
    /// try await tracks.append(song.ref)
    /// try await tracks.insert(intro.ref, at: 0)
    /// try await tracks.move(from: 7, to: 2)
    /// let page = try await tracks.records(in: 100..<150)
    /// ```
    ///
    /// A call has the same effect as on a Swift array, as an update of the record: references are checked, and observers
    /// and the history receive it. A place outside the array throws `invalidQuery`, and a record that is not stored throws
    /// `notFound`; the array is then unchanged.
    ///
    /// An insertion writes one row for each new element. If many elements were inserted at the same place before, it also
    /// rewrites about 64 elements around it, seldom more. An array without gaps between its elements, which an earlier
    /// version or other software has written, gets gaps at its first insertion anywhere but at the ends; that insertion
    /// rewrites up to the whole array once. To find a place, the engine skips the elements before it without loading them.
    /// The archive backend writes the whole record to its file with each commit that changes it.
    public struct List<Owner: Storable, Element: Storable, Source> {
        let source: Source
        let list: StoredList

        init(
            _ source: Source, _ property: KeyPath<Owner.Columns, QueryExpression<[Ref<Element>]>>, of owner: Ref<Owner>
        ) {
            self.source = source
            let node = Owner.Columns(PropertyPath())[keyPath: property].node
            list = StoredList(property: node, owner: Owner.values(of: owner.key))
        }
    }

    /// Returns a handle to a record's array of references, to read and change parts of it, without reading it; see
    /// ``List``.
    public func list<Owner: Storable, Element: Storable>(
        _ property: KeyPath<Owner.Columns, QueryExpression<[Ref<Element>]>>, of owner: Ref<Owner>
    ) -> List<Owner, Element, Store> { List(self, property, of: owner) }
}

extension ReadingVerbs where Self: ~Copyable {
    /// Returns a handle to a record's array of references, to read and change parts of it, without reading it; see
    /// ``Store/List``.
    ///
    /// In a read block, changes throw `unsupported`.
    public func list<Owner: Storable, Element: Storable>(
        _ property: KeyPath<Owner.Columns, QueryExpression<[Ref<Element>]>>, of owner: Ref<Owner>
    ) -> Store.List<Owner, Element, Store.Session> { Store.List(_session, property, of: owner) }
}

extension Store.List: Sendable where Source: Sendable {}

extension Store.List where Source == Store {
    // MARK: Reading

    /// Returns the number of elements.
    public nonisolated(nonsending) func count() async throws(StorageError) -> Int {
        try await source.asking("list", .type(Owner.self)) { (reading) throws(StorageError) in try reading.count(list) }
    }

    /// Returns whether an element names the record.
    public nonisolated(nonsending) func contains(_ reference: Ref<Element>) async throws(StorageError) -> Bool {
        try await source.asking("list", .type(Owner.self)) { (reading) throws(StorageError) in
            try reading.contains(reference, list)
        }
    }

    /// All elements, in their order.
    public nonisolated(nonsending) func refs() async throws(StorageError) -> [Ref<Element>] {
        try await refs(in: 0..<Int.max)
    }

    /// The elements in a range of places, in order. Places beyond the end are ignored.
    public nonisolated(nonsending) func refs(in places: Range<Int>) async throws(StorageError) -> [Ref<Element>] {
        try await source.asking("list", .type(Owner.self)) { (reading) throws(StorageError) in
            try reading.refs(in: places, list)
        }
    }

    /// The records that the elements in a range of places refer to, in order. Places beyond the end are ignored.
    ///
    /// - Throws: `notFound` if one of the records is not stored, which is possible only for an unchecked reference.
    public nonisolated(nonsending) func records(in places: Range<Int>) async throws(StorageError) -> [Element] {
        try await source.prepare([Element.self])
        return try await source.asking("list", .type(Owner.self)) { (reading) throws(StorageError) in
            try reading.records(in: places, list)
        }
    }

    // MARK: Changing

    /// Appends an element.
    public nonisolated(nonsending) func append(_ reference: Ref<Element>) async throws(StorageError) {
        try await append([reference])
    }

    /// Appends elements in their order.
    public nonisolated(nonsending) func append(_ references: [Ref<Element>]) async throws(StorageError) {
        guard !references.isEmpty else { return }
        try await source.writing("append", .type(Owner.self)) { [list] (writing) throws(StorageError) in
            try writing.insert(references.map { Element.values(of: $0.key) }, at: nil, in: list)
        }
    }

    /// Inserts an element before the one at an index, or appends it at the array's count.
    public nonisolated(nonsending) func insert(_ reference: Ref<Element>, at index: Int) async throws(StorageError) {
        try await insert([reference], at: index)
    }

    /// Adds elements before the one at a place, in their order.
    public nonisolated(nonsending) func insert(_ references: [Ref<Element>], at index: Int) async throws(StorageError) {
        guard !references.isEmpty else { return }
        try await source.writing("insert", .type(Owner.self)) { [list] (writing) throws(StorageError) in
            try writing.insert(references.map { Element.values(of: $0.key) }, at: index, in: list)
        }
    }

    /// Moves the element at a place so that it is at another place afterwards.
    public nonisolated(nonsending) func move(from first: Int, to index: Int) async throws(StorageError) {
        try await source.writing("move", .type(Owner.self)) { [list] (writing) throws(StorageError) in
            try writing.move(from: first, to: index, in: list)
        }
    }

    /// Removes the element at a place, and returns it.
    @discardableResult
    public nonisolated(nonsending) func remove(at index: Int) async throws(StorageError) -> Ref<Element> {
        try await source.writing("remove", .type(Owner.self)) { [list] (writing) throws(StorageError) in
            Ref(key: try KeyForm<Element>.key(writing.remove(at: index, in: list)))
        }
    }

    /// Removes all elements that name the record, and returns their number.
    @discardableResult
    public nonisolated(nonsending) func remove(_ reference: Ref<Element>) async throws(StorageError) -> Int {
        try await source.writing("remove", .type(Owner.self)) { [list] (writing) throws(StorageError) in
            try writing.remove(Element.values(of: reference.key), in: list)
        }
    }
}
