import Foundation

/// A file that is made beside its place, and takes it when it is whole.
final class NewFile {
    let handle: FileHandle
    private let path: String
    private let temporary: String
    private let mayReplace: Bool

    /// - Throws: where the place is taken and may not be replaced, or nothing can be written there.
    init(_ path: String, mayReplace: Bool) throws(ToolError) {
        self.path = path
        self.mayReplace = mayReplace
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
        guard !isFolder.boolValue else { throw ToolError("\(path) is a folder; name a file.", .io) }
        guard !isThere || mayReplace else {
            throw ToolError("\(path) is there already; name another file, or give --overwrite.", .io)
        }
        temporary = path + ".\(ProcessInfo.processInfo.processIdentifier).partial"
        guard FileManager.default.createFile(atPath: temporary, contents: nil),
            let handle = FileHandle(forWritingAtPath: temporary)
        else { throw ToolError("\(path) cannot be made: its folder is missing or may not be written.", .io) }
        self.handle = handle
    }

    /// Puts the file in its place, after it has reached the disk.
    func keep() throws(ToolError) {
        do {
            try handle.synchronize()
            try handle.close()
        } catch {
            throw ToolError("\(path) cannot be written: \(error.localizedDescription)", .io)
        }
        // link(2) takes no place that is taken meanwhile, which rename(2) does.
        let isKept = mayReplace ? rename(temporary, path) == 0 : link(temporary, path) == 0
        guard isKept else { throw ToolError("\(path) cannot be made: \(String(cString: strerror(errno))).", .io) }
    }

    deinit { unlink(temporary) }
}
