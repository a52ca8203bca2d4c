/// Numbers of the store file's format that reader and writer share.
enum ArchiveFormat {
    /// The version in trailers and in the store's own entry.
    static let version: UInt32 = 1
}
