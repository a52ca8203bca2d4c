import CSQLiteFaults
import Foundation

/// Stores that a later version of their format has written.
enum NewerFormat {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An archive whose last commit is of version 99.
    static func archive(_ bytes: [UInt8]) throws -> [UInt8] {
        // A trailer's payload begins with these bytes, then has the version, and ends with a check of all before.
        let (magic, size) = (Array("KARC".utf8), 80)
        let places = bytes.indices.dropLast(size - 1).filter { place in
            bytes[place..<place + 4].elementsEqual(magic)
                && checked(bytes[place..<place + size - 4]) == Array(bytes[place + size - 4..<place + size])
        }
        guard let last = places.last else { throw Failure(description: "The archive has no commit.") }
        var newer = bytes
        newer[last + 4] = 99
        newer.replaceSubrange(last + size - 4..<last + size, with: checked(newer[last..<last + size - 4]))
        return newer
    }

    /// The CRC-32C of bytes, as it is written.
    private static func checked(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var check: UInt32 = ~0
        for byte in bytes {
            check ^= UInt32(byte)
            for _ in 0..<8 { check = check & 1 == 1 ? check >> 1 ^ 0x82F6_3B78 : check >> 1 }
        }
        return withUnsafeBytes(of: (~check).littleEndian) { Array($0) }
    }

    /// A database whose record of its format says 99.
    static func sqlite(_ path: String) throws {
        let code = sqlite_faults_run(path, "UPDATE storage_info SET value = '99' WHERE key = 'format'")
        guard code == 0 else { throw Failure(description: "SQLite cannot change \(path): \(code)") }
    }

    /// Returns the output of the server's own shell.
    static func psql(_ sql: String, at address: String) throws -> [UInt8] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["psql", address, "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", sql]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = Array(try output.fileHandleForReading.readToEnd() ?? Data())
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: "psql ends with an error: \(sql)") }
        return text
    }
}
