/// Numbers of the store file's format that reader and writer share.
enum ArchiveFormat {
    /// The version in trailers.
    static let version: UInt16 = 1
}
