/// The progress of an index that is being built from the records of a store.
package struct SearchBuild: Hashable, Sendable {
    /// The records that were read.
    package var documents: Int
    /// The key of the last of them, nil before the first.
    package var key: [UInt8]?
}

/// Making an index from records that there are, in steps that are a transaction each.
///
/// Records are read in the order of their keys. Meanwhile commits write to the index as always, so a document that a step finds
/// indexed was written since and stays. The build is recorded with the index, and goes on after a kill from the last step that was
/// committed. Until it is finished a search is a failure, so no query is answered from half an index.
extension SearchIndex {
    private static var buildRow: Int { -1 }

    /// The build that is under way.
    package func build() throws(SearchFailure) -> SearchBuild? {
        guard let bytes = try storage.row(.segments, Self.buildRow) else { return nil }
        var reader = ByteReader(bytes)
        guard try reader.number() == SegmentFormat.version else { throw .corrupt("A build has another format.") }
        var build = SearchBuild(documents: try reader.number(), key: nil)
        if try reader.number() == 1 { build.key = try reader.data() }
        guard reader.isAtEnd else { throw .corrupt("The row of a build is too long.") }
        return build
    }

    private func put(_ build: SearchBuild) throws(SearchFailure) {
        var writer = ByteWriter()
        writer.number(SegmentFormat.version)
        writer.number(build.documents)
        writer.number(build.key == nil ? 0 : 1)
        if let key = build.key { writer.data(key) }
        try storage.put(.segments, Self.buildRow, bytes: writer.bytes)
    }

    /// Begins a build, in tables that are empty.
    package func beginBuild() throws(SearchFailure) { try put(SearchBuild(documents: 0, key: nil)) }

    /// Indexes the next records after ``SearchBuild/key``, as one commit.
    package func buildStep(_ documents: [SearchDocument]) throws(SearchFailure) {
        guard var build = try build() else { throw .corrupt("No build is under way.") }
        var new: [SearchDocument] = []
        for document in documents where try self.document(of: document.key) == nil { new.append(document) }
        var changes: [Change]? = new.map { .add($0, isNew: true) }
        try write { () throws(SearchFailure) in changes.take() }
        build.documents += documents.count
        build.key = documents.last?.key ?? build.key
        try put(build)
    }

    /// Continues the merge in progress, as each commit does, and returns true once none is.
    package func settle(_ blocks: Int) throws(SearchFailure) -> Bool {
        try merge(blocks: blocks)
        return try state().work == nil
    }

    /// Ends a build, after its last step.
    package func finishBuild() throws(SearchFailure) {
        try storage.remove(.segments, Self.buildRow...Self.buildRow)
        forget()
    }
}
