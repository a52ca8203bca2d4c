import Foundation

/// A file that is read from its beginning, as often as is needed. Standard input is kept in a temporary file first; another
/// pipe or device is refused.
final class InputFile: Sendable {
    /// The name for messages.
    let name: String
    /// The size of the file on the disk in bytes.
    let size: Int
    private let descriptor: Int32

    /// - Parameter path: the file, or `-` for standard input.
    init(_ path: String) throws(ToolError) {
        let isInput = path == "-"
        name = isInput ? "standard input" : path
        // Opening a pipe would wait for its other end.
        let file = isInput ? try Self.spool(STDIN_FILENO, name) : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw Self.failure("read", name) }
        var status = stat()
        let isRead = fstat(file, &status) == 0
        guard isRead, status.st_mode & S_IFMT == S_IFREG else {
            defer { close(file) }
            guard isRead else { throw Self.failure("read", name) }
            if status.st_mode & S_IFMT == S_IFDIR { throw ToolError("\(name) is a folder; name a file.", .noInput) }
            throw ToolError(
                "\(name) is a pipe or a device, which may have no end; give - and redirect standard input from it.", .io
            )
        }
        descriptor = file
        size = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads at most as many bytes as fit; 0 at the end.
    func read(at offset: Int, into bytes: UnsafeMutableRawBufferPointer) throws(ToolError) -> Int {
        let count = Self.retried { pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
        guard count >= 0 else { throw Self.failure("read", name) }
        return count
    }

    /// Copies a stream to a file without a name, which goes with its descriptor.
    private static func spool(_ source: Int32, _ name: String) throws(ToolError) -> Int32 {
        var path = Array((NSTemporaryDirectory() + "/storage-import-XXXXXX").utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw failure("make a temporary file for", name) }
        unlink(path)
        do throws(ToolError) {
            try copy(source, to: file, name)
        } catch {
            close(file)
            throw error
        }
        return file
    }

    private static func copy(_ source: Int32, to file: Int32, _ name: String) throws(ToolError) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { block.deallocate() }
        while true {
            let count = retried { Foundation.read(source, block.baseAddress, block.count) }
            guard count >= 0 else { throw failure("read", name) }
            guard count > 0 else { return }
            var written = 0
            while written < count {
                let step = retried { Foundation.write(file, block.baseAddress.map { $0 + written }, count - written) }
                guard step > 0 else { throw failure("keep a copy of", name) }
                written += step
            }
        }
    }

    /// Repeats a call that a signal interrupted.
    private static func retried(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }

    private static func failure(_ action: String, _ name: String) -> ToolError {
        let code = errno
        let isMissing = code == ENOENT || code == EACCES || code == ENOTDIR
        return ToolError(
            "Cannot \(action) \(name): \(String(cString: strerror(code))).", isMissing ? .noInput : .io)
    }
}
