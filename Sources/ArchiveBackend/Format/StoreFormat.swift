/// Sizes of the store file's format, and the limits that a reader holds to. <doc:StoreFileFormat> explains them.
package enum StoreFormat {
    package static let maximumNameLength = 100
    package static let largestEntry = 128 << 20
    /// Contents after which a frame ends. One entry is never cut, so a frame may hold up to an entry more.
    package static let frameTarget = 4 << 20
    /// Contents that a frame may have when it is read.
    static let largestFrameContents = 144 << 20
    /// Frames in one commit of a rewritten file.
    static let framesOfRewrittenCommit = 4
    /// Memory that decompressing a frame may need.
    static let largestZstdWindow: UInt64 = 8 << 20

    /// The version in trailers of new and of rewritten files.
    static let version: UInt16 = 2
    /// From this version on a file has a record of its length.
    static let firstWithLength: UInt16 = 2
}
