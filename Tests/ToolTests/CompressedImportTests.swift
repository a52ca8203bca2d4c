import Foundation
import TestSupport
import Testing

@Suite("storage import of compressed files")
struct CompressedImportTests {
    private let tool: Tool

    init() throws { tool = Tool(folder: try TemporaryFolder()) }

    private func write(_ bytes: Data, _ name: String) throws {
        try bytes.write(to: tool.folder.url.appending(path: name))
    }

    /// Forty lines like `{"id":3,"name":"city 9"}`, written by `gzip -n9`, `xz -9` and `zstd -19`.
    enum Compressed: String, CaseIterable, Sendable {
        case gz, xz, zst

        var bytes: Data { Data(base64Encoded: text) ?? Data() }

        private var text: String {
            switch self {
            case .gz: Self.gzipBytes
            case .xz: Self.xzBytes
            case .zst: Self.zstdBytes
            }
        }

        private static let gzipBytes =
            """
            H4sIAAAAAAACA2WTsQ4CMQxDd74CdWZokjZt728QMNwAEws68e9IN1xcM1upnRd3S+s9LXJJr+vzkZZ0W9+fs6TvadsFnYVyCDYL\
            4xAKPeWHUmdF66H4rFjMNPIPnz4rHtHGrPTYRjKFyzk0ZqAwRxikhJsYLxwZhWGM2EwYB/AQZ1QwR0i0gx9BMYWcgyHDlYlLAS5K\
            XEqBOa5HDz8lLlUjpxKX2mI/JS4OXJS4OM4Rl4Z+xKVhTq4L7GfEZQAXIy4DeBr3JcMhjAuT4YLGjRE4vVWuKLAxZxHKZgRHDFpq\
            /a/dkJbwSIV/Ufg/+Q7oB1aHqG5UBAAA
            """
        private static let xzBytes =
            """
            /Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4ARTAMVdAD2IiSaBk1Ox5jXOxQ/YyNuDuw7geyDpQwDp/H/himZxN47Hj5XvU4qC6+f+\
            2EbYwhopJvoF7fGguQNOuSXesL5R7kuCZ8hYoKkV04GjE7BueQqP7a/JXkONBLkodlWc4oDZRfBqugajB7ReKhrZlOQapHRoCkTF\
            RKobR8qhdlnGJdbmkf/hpl+alLaczDZcOam6zzGiVA9f4t+dxLFTL0xYaEtn10h60u5jIeBiukiXEpXSfJgRE6Sc6D/H8hxTBHZ4\
            FcoAAAAAAAVvPKNZMZVjAAHhAdQIAAA8SgiEscRn+wIAAAAABFla
            """
        private static let zstdBytes =
            """
            KLUv/WRUA+UFAMJMHhSgqwMM4ue3UlX85d5SJplA3xWnYsAjVGHr9TXtf5MlWlG6aO5Ze6uaVW3FrFVlWZ/STyg5jZARIfqMZ0R3\
            p8/8dLt/XfVy0bK3pWYyKp6xZ18x+ybW+tet21a12pTHlEdoeD7s027gERo0TGIIhIAoxSIMJYQjEZxOqBGgoNv9O8DjrAEQFCEX\
            TPQBJ252ublH6AdB/WFSDBNGgG2iJOSoQLmQUBUlIUeF4innBb5HKPv5pB8KYtCqLnSxEQ==
            """
    }

    private static let lines = (1...40).map { #"{"id":\#($0),"name":"city \#($0 * $0)"}"# + "\n" }.joined()

    @Test(arguments: Compressed.allCases)
    func `a compressed file is read as what is in it, whatever its name is`(_ sample: Compressed) async throws {
        for (number, name) in ["x.ndjson.\(sample.rawValue)", "x.\(sample.rawValue)", "x"].enumerated() {
            try write(sample.bytes, name)
            try await tool.output("import", "sqlite:new.db", "--model", "T\(number)", name)
            try await expect(tool.output("select", "new.db", "T\(number)", "--format", "ndjson"), equals: Self.lines)
        }
    }

    @Test(arguments: ["ndjson", "json", "csv", "tsv"])
    func `an export to a name that ends with gz is compressed, and imported again`(_ format: String) async throws {
        try write(Data(Self.lines.utf8), "x.ndjson")
        try await tool.output("import", "sqlite:new.db", "--model", "T", "x.ndjson")
        try await tool.output("export", "new.db", "T", "--output", "x.\(format).gz")
        let bytes = try Data(contentsOf: tool.folder.url.appending(path: "x.\(format).gz"))
        expect(bytes.prefix(2), equals: Data([0x1F, 0x8B]))
        expect(bytes.count < Self.lines.utf8.count)
        try await tool.output("import", "sqlite:new.db", "--model", "Again", "x.\(format).gz")
        try await expect(tool.output("select", "new.db", "Again", "--format", "ndjson"), equals: Self.lines)
        let error = try await tool.failure(64, "export", "new.db", "T", "--output", "x.\(format).zst")
        expect(error.contains("name the file .gz"))
    }

    @Test(arguments: Compressed.allCases)
    func `a compressed file is told on standard input too, be it a file or a pipe`(_ sample: Compressed) async throws {
        let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "-"], input: sample.bytes)
        expect(run.status, equals: 0, "\(run.error)")
        let process = tool.process(["import", "new.db", "--model", "Piped", "-"])
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        let end = try process.start()
        try input.fileHandleForWriting.write(contentsOf: sample.bytes)
        try input.fileHandleForWriting.close()
        await end.wait()
        for model in ["T", "Piped"] {
            try await expect(tool.output("select", "new.db", model, "--format", "ndjson"), equals: Self.lines)
        }
    }

    @Test
    func `comma-separated values are told by the name within the name`() async throws {
        // The lines as a column: their first is its name, and all that follow are texts in quotes that do not end well.
        try write(Compressed.zst.bytes, "x.csv.zst")
        let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "x.csv.zst"])
        expect(run.status, equals: 65)
        expect(run.error.contains("x.csv.zst, line 1: the header"), "\(run.error)")
    }

    @Test(.repeatable, arguments: Compressed.allCases)
    func `a damaged file is one sentence, and nothing is stored`(_ sample: Compressed) async throws {
        let whole = sample.bytes
        var damaged: [(String, Data)] = [7, 9, whole.count / 2, whole.count - 1].map {
            ("cut at \($0)", whole.prefix($0))
        }
        for place in TestExtent.share(Array(6..<whole.count), oneOf: 61) {
            var bytes = whole
            bytes[place] ^= 0x10
            damaged.append(("changed at \(place)", bytes))
        }
        damaged.append(("longer", whole + Data("rest".utf8)))
        for (what, bytes) in damaged {
            try write(bytes, "x.ndjson.\(sample.rawValue)")
            let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "x.ndjson.\(sample.rawValue)"])
            if run.status == 0 {
                // A part of a header that says nothing of the contents, as the time that gzip notes.
                try await expect(
                    tool.output("select", "new.db", "T", "--format", "ndjson"), equals: Self.lines, "\(what)")
                try FileManager.default.removeItem(atPath: tool.folder.path("new.db"))
            } else {
                expect(run.status == 65 && run.output == "", "\(what): \(run.error)")
                expect(run.error.split(separator: "\n").count, equals: 1, "\(what): \(run.error)")
                expect(!FileManager.default.fileExists(atPath: tool.folder.path("new.db")), "\(what)")
            }
        }
    }

    @Test(arguments: Compressed.allCases)
    func `several compressed files in one are read one after the other`(_ sample: Compressed) async throws {
        try write(sample.bytes + sample.bytes, "x")
        try await expect(
            tool.output("import", "sqlite:new.db", "--model", "T", "--key", "id", "--save", "x")
                .contains("80 records stored"))
        try await expect(tool.output("select", "new.db", "T", "--format", "ndjson"), equals: Self.lines)
    }

    @Test(arguments: Compressed.allCases)
    func `damage in the first of several is found`(_ sample: Compressed) async throws {
        let whole = sample.bytes
        // The last bytes of a gzip member are its checksum and length.
        for place in [whole.count / 2, whole.count - 6] {
            var bytes = whole
            bytes[place] ^= 0x10
            try write(bytes + whole, "x")
            let run = try await tool.run(["import", "sqlite:new.db", "--model", "T", "--key", "id", "--save", "x"])
            expect(run.status == 65 && run.error.contains("decompress"), "\(place): \(run.error)")
        }
    }

    @Test
    func `many gzip members that hold nothing are nothing`() async throws {
        let empty = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        try write((0..<20_000).reduce(into: Data()) { bytes, _ in bytes += empty } + Compressed.gz.bytes + empty, "x")
        try await tool.output("import", "sqlite:new.db", "--model", "T", "--quiet", "x")
        try await expect(tool.output("select", "new.db", "T", "--format", "ndjson"), equals: Self.lines)
    }
}
