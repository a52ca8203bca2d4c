#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Converts failed system calls to storage errors. No other code does.
package enum FileFailure {
    package static func error(_ failure: SystemError, _ path: String) -> StorageError {
        let (code, advice) = meaning(of: failure.code)
        return StorageError(code, "\(path): \(advice)", underlying: failure)
    }

    private static func meaning(of code: Int32) -> (StorageError.Code, String) {
        switch code {
        case ENOSPC, EDQUOT:
            (.full, "the disk is full; free some space and try again. Nothing of this call is stored.")
        case EFBIG: (.full, "the file system takes no larger file. Nothing of this call is stored.")
        case ENOENT, ENOTDIR: (.io, "there is no such file or folder; check the path.")
        case EISDIR: (.io, "the path is a folder; name a file.")
        case EEXIST: (.io, "the name is taken; name another file, or say that it may be replaced.")
        case EACCES, EPERM, EROFS:
            (.io, "the file or its folder cannot be written or read; check their permissions, or open it read-only.")
        case EMFILE, ENFILE: (.io, "too many files are open; close some.")
        default: (.io, "the file system failed; the cause says at what.")
        }
    }
}

extension SystemError {
    /// A Boolean value that indicates whether the file is missing.
    package var isMissingFile: Bool { code == ENOENT }
    /// A Boolean value that indicates whether the file already exists.
    package var isExistingFile: Bool { code == EEXIST }

    package var description: String { "\(call): \(String(cString: strerror(code))) (errno \(code))" }
}
