public import StorageDriver

extension Store {
    /// The session on which calls without `async` run: the store itself, or the session of a transaction or read block.
    ///
    /// Not `Sendable`, so queries on it aren't either: only the thread of its closure may use a session.
    public struct Session {
        package let target: VerbTarget

        @usableFromInline
        func lookUp(
            _ type: any Storable.Type, _ key: [Value], _ body: (inout RowCursor) throws(StorageError) -> Void
        ) throws(StorageError) {
            try target.reading("find", .type(type)) { (reading) throws(StorageError) in try reading.find(key, body) }
        }

        @usableFromInline
        func write(
            _ operation: String, _ type: any Storable.Type, record: String?,
            _ body: @escaping (RecordWriter) throws(StorageError) -> Void
        ) throws(StorageError) {
            try target.writing(operation, ModelSource(type, record), body)
        }
    }
}
