import Foundation
import StorageAPI
import StorageDriver

/// A file that is made beside its place, and takes it when it is whole and on the disk.
struct NewFile: ~Copyable {
    /// Where the file is written.
    let handle: FileHandle
    private let file: PublishedFile

    /// - Throws: where the place is taken and may not be replaced, or nothing can be written there.
    init(_ path: String, mayReplace: Bool) throws {
        var isFolder: ObjCBool = false
        if !mayReplace, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
            throw ToolError("\(path) is there already; name another file, or give --overwrite.", .io)
        }
        file = try PublishedFile(path, over: mayReplace ? .anyFile : .nothing)
        handle = FileHandle(fileDescriptor: file.file.descriptor, closeOnDealloc: false)
    }

    /// Puts the file in its place.
    consuming func keep() throws { try file.publish() }
}
