import ArchiveBackend
import Foundation
import StorageAPI
import TestSupport
import Testing

/// Tests that other programs read a store file.
@Suite struct ToolTests {
    /// Runs a program, and gives its status and what it printed.
    @discardableResult
    static func run(_ program: String, _ arguments: [String], in folder: String? = nil) throws -> (Int32, String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let output = Pipe()
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: text, as: UTF8.self))
    }

    static func has(_ program: String) -> Bool { (try? run(program, ["--version"]).0) == 0 }

    /// A store with superseded, empty and large entries, in several commits and generations.
    private static func makeStore(_ path: String, _ codec: ArchiveCodec) throws -> [String: [UInt8]] {
        let file = try openFile(path, .readWrite, codec: codec).file
        try file.append(FileItem("STORE.plist", "begin"))
        try file.rewrite([
            FileItem("STORE.plist", "begin"), FileItem("Person/1.plist", Array(repeating: 5, count: 5_000_000)),
        ])
        for number in 0..<20 { try file.append(FileItem("Person/\(number % 7).plist", noiseBytes(number * 100))) }
        try file.append(FileItem("Person/seg-1.plist", Array(repeating: 65, count: 40_000)), FileItem("x", []))
        try file.append(FileItem("Person/dense.plist", noiseBytes(300_000).map { $0 & 0x3F }))
        try file.close()
        return Dictionary(try openFile(path, .readOnly).items.map { ($0.name, $0.contents) }) { $1 }
    }

    @Test(
        arguments: ArchiveCodec.allCases.flatMap { codec in ["bsdtar", "tar"].map { (codec, $0) } }.filter { has($0.1) }
    )
    func `a tar program extracts the last of each entry`(codec: ArchiveCodec, program: String) throws {
        try withStorePath { path in
            let expected = try Self.makeStore(path, codec)
            let folder = path + "-extracted"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let (status, text) = try Self.run(program, ["-xf", path], in: folder)
            expect(status == 0 && text.isEmpty, "\(text)")
            for (name, contents) in expected { try expect(fileBytes(folder + "/" + name), equals: contents, "\(name)") }
            let (listed, list) = try Self.run(program, ["-tvf", path])
            expect(listed, equals: 0)
            expect(list.split(separator: "\n").filter { $0.hasSuffix("Person/3.plist") }.count, equals: 3)
            expect(list.split(separator: "\n").allSatisfy { $0.hasPrefix("-rw-r--r--") })
            expect(FileManager.default.fileExists(atPath: folder + "/.karch"), equals: (codec != .zstd))
        }
    }

    @Test(.enabled(if: has("python3"))) func `Python's tarfile reads it`() throws {
        try withStorePath { path in
            let expected = try Self.makeStore(path, .none)
            let script = "import sys, tarfile\nt = tarfile.open(sys.argv[1])\nprint(*sorted(set(t.getnames())))"
            let (status, text) = try Self.run("python3", ["-c", script, path])
            expect(status, equals: 0)
            expect(
                text.split(separator: " ").map { $0.trimmingPrefix("\n") }.count, equals: expected.count + 1, "\(text)")
        }
    }

    @Test(.enabled(if: has("zstd"))) func `the zstd program finds the file sound`() throws {
        try withStorePath { path in
            _ = try Self.makeStore(path, .zstd)
            let suffixed = path + ".zst"
            try FileManager.default.copyItem(atPath: path, toPath: suffixed)
            let (status, text) = try Self.run("zstd", ["-t", suffixed])
            expect(status, equals: 0, "\(text)")
        }
    }

    @Test(.enabled(if: has("zstd")))
    func `a changed byte of contents is found by the zstd program`() throws {
        try withStorePath { path in
            let file = try openFile(path).file
            try file.append(FileItem("a", noiseBytes(6000)))
            var bytes = try fileBytes(path)
            bytes[3000] ^= 1
            try writeFile(bytes, to: path + ".zst")
            try expect(Self.run("zstd", ["-t", path + ".zst"]).0 != 0)
        }
    }
}
