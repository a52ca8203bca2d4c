/// Numbers of the store file's format that reader and writer share.
enum ArchiveFormat {
    /// The version in trailers of new files, and of old ones when they are written anew.
    static let version: UInt16 = 2
    /// From this version on a file has a record of its length.
    static let firstWithLength: UInt16 = 2
}
