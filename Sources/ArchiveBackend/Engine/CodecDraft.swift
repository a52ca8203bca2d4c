internal import StorageAPI
// interim
struct RecordDecoder {
    init(_ layout: RecordLayout) {}
    mutating func decode(_ bytes: UnsafeRawBufferPointer, each: (RecordRows) throws(StorageError) -> Void) throws(StorageError) {}
    mutating func decodeKeys(_ bytes: UnsafeRawBufferPointer, each: (UnsafePointer<Cell>) throws(StorageError) -> Void) throws(StorageError) {}
}
