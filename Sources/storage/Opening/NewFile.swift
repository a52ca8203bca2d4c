import Foundation
import StorageAPI
import StorageDriver

/// A file that is written under a temporary name, and renamed when it is complete and on the disk.
struct NewFile: ~Copyable {
    /// The handle of the file.
    let handle: FileHandle
    private let file: PublishedFile

    /// - Throws: if the file exists and must not be replaced, or cannot be written.
    init(_ path: String, mayReplace: Bool) throws {
        try Self.check(path, mayReplace: mayReplace)
        file = try PublishedFile(path, over: mayReplace ? .anyFile : .nothing)
        handle = FileHandle(fileDescriptor: file.file.descriptor, closeOnDealloc: false)
    }

    /// - Throws: if the file exists and must not be replaced.
    static func check(_ path: String, mayReplace: Bool) throws {
        var isFolder: ObjCBool = false
        if !mayReplace, FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
            throw ToolError("\(path) exists already; name another file, or give --overwrite.", .io)
        }
    }

    /// Renames the file.
    consuming func keep() throws { try file.publish() }
}

/// The output of a command, collected into large writes.
struct Output: ~Copyable {
    private var bytes: [UInt8] = []
    private let descriptor: Int32
    private let gzip: GzipWriter?

    /// - Parameter gzip: compresses the output; nil to write it unchanged.
    init(_ file: FileHandle = .standardOutput, gzip: GzipWriter? = nil) {
        descriptor = file.fileDescriptor
        self.gzip = gzip
    }

    /// Appends to the output.
    mutating func write(_ body: (inout [UInt8]) throws -> Void) throws {
        try body(&bytes)
        if bytes.count >= 1 << 16 { try flush() }
    }

    mutating func line(_ text: String) throws {
        try write { bytes in
            bytes += text.utf8
            bytes.append(UInt8(ascii: "\n"))
        }
    }

    /// - Throws: ``ReaderGone`` if the reader has closed the output; an error if the disk is full or fails.
    mutating func flush() throws { try flush(isLast: false) }

    /// Writes the rest, and the end of the compressed stream.
    ///
    /// - Throws: as ``flush()``.
    mutating func finish() throws { try flush(isLast: true) }

    private mutating func flush(isLast: Bool) throws {
        if let gzip {
            let descriptor = descriptor
            try gzip.compress(bytes, isLast: isLast) { part in try Self.put(part, descriptor) }
        } else {
            try bytes.withUnsafeBytes { part in try Self.put(part, descriptor) }
        }
        bytes.removeAll(keepingCapacity: true)
    }

    private static func put(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = Foundation.write(descriptor, part.baseAddress, part.count)
            if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { throw failure(errno) }
        }
    }

    /// Writes what `print` keeps back.
    ///
    /// - Throws: as ``flush()``.
    static func flushPrinted() throws {
        guard fflush(nil) == 0 else { throw failure(errno) }
    }

    private static func failure(_ code: Int32) -> any Error {
        code == EPIPE
            ? ReaderGone() : ToolError("The output cannot be written: \(String(cString: strerror(code))).", .io)
    }

    /// Opens the standard streams that the tool was started without. Else a store's file would have the number of one,
    /// and the output would be written into it.
    static func keepDescriptors() {
        for descriptor in 0...2 where fcntl(Int32(descriptor), F_GETFD) == -1 {
            // Nothing is read from the input. Failed writes to the output are reported.
            _ = Foundation.open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}

/// The reader of the output has gone, as after `| head`: the tool ends silently.
struct ReaderGone: Error {}
