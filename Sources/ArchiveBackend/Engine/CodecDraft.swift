internal import StorageAPI
// interim
struct RecordLayout: Sendable { init(tables: [TableSchema], missing: [[Value]]) throws(StorageError) {} }
struct RecordRows { struct Rows { var cells: UnsafePointer<Cell>; var count: Int }; var tables: UnsafeBufferPointer<Rows> }
struct RecordEncoder {
    init(_ layout: RecordLayout) {}
    var count: Int { 0 }
    var size: Int { 0 }
    mutating func begin(sequence: UInt64) {}
    mutating func add(_ record: RecordRows) throws(StorageError) {}
    mutating func addKey(_ key: UnsafePointer<Cell>) throws(StorageError) {}
    mutating func finish(asList: Bool, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {}
}
struct RecordDecoder {
    init(_ layout: RecordLayout) {}
    mutating func decode(_ bytes: UnsafeRawBufferPointer, each: (RecordRows) throws(StorageError) -> Void) throws(StorageError) {}
    mutating func decodeKeys(_ bytes: UnsafeRawBufferPointer, each: (UnsafePointer<Cell>) throws(StorageError) -> Void) throws(StorageError) {}
}
