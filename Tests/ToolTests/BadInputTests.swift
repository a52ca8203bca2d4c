import Foundation
import StorageKit
import TestSupport
import Testing

@Suite struct BadInputTests {
    @Test func `what is no store is one sentence, and nothing is made`() async throws {
        let tool = try Tool(folder: TemporaryFolder())
        let files = [("empty", Data()), ("text", Data("hello".utf8)), ("short.db", Data("SQLite format 3\0".utf8))]
        for (name, data) in files { try data.write(to: tool.folder.url.appending(path: name)) }
        let before = try tool.folder.contents
        let places: [(name: String, status: Int32, word: String)] = [
            ("missing.db", 66, "missing.db"), ("sqlite:missing.db", 66, "missing.db"),
            ("archive:missing.karch", 66, "missing.karch"), ("empty", 66, "empty"), ("text", 66, "text"),
            ("short.db", 65, "short.db"), ("/", 66, "folder"), ("archive:text", 65, "text"),
            ("sqlite:text", 65, "text"),
            ("mysql:x", 64, "sqlite"),
        ]
        let commands = [
            ["info"], ["schema"], ["count", "Person"], ["select", "Person"], ["get", "Person", "1"],
            ["export", "Person"], ["delete", "Person", "1"], ["insert", "Person", "age=1"],
        ]
        // Every command opens a store alike: one of them is tried with each place, and each of the others with some.
        for (number, command) in commands.enumerated() {
            for (place, bad) in places.enumerated()
            where number == 0 || TestExtent.isLarge || place % (commands.count - 1) == number - 1 {
                let message = try await tool.failure(bad.status, [command[0], bad.name] + command.dropFirst())
                expect(message.contains(bad.word), "\(message)")
                // An archive's lock stays after an attempt to write.
                try expect(tool.folder.contents.filter { !$0.key.hasSuffix("-lock") }, equals: before)
            }
        }
    }

    @Test func `a pipe or a device is neither a store nor an input, and nothing waits for it or replaces it`()
        async throws
    {
        let tool = try Tool(folder: TemporaryFolder())
        let pipe = tool.folder.path("pipe")
        expect(mkfifo(pipe, 0o644), equals: 0)
        try Data("{\"id\":1}".utf8).write(to: tool.folder.url.appending(path: "in.json"))
        try await tool.output("import", "archive:a.karch", "in.json", "--model", "T", "--no-progress")
        for name in ["pipe", "archive:pipe", "sqlite:pipe", "/dev/zero"] {
            try await expect(tool.failure(74, "info", name).contains("a pipe or a device"))
        }
        for name in ["pipe", "/dev/zero"] {
            let message = try await tool.failure(
                74, "import", "archive:new.karch", name, "--model", "T", "--no-progress")
            expect(message.contains("standard input"))
            try await tool.failure(74, "import", "archive:\(name)", "in.json", "--model", "T", "--no-progress")
        }
        try await tool.failure(74, "export", "a.karch", "T", "--output", "pipe", "--overwrite", "--no-progress")
        try await tool.failure(74, "backup", "a.karch", "pipe", "--replace", "--no-progress")
        try await tool.failure(74, "copy", "a.karch", "archive:pipe", "--no-progress")
        var status = stat()
        expect(lstat(pipe, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        expect(symlink("nothing", tool.folder.path("link")), equals: 0)
        try await tool.failure(74, "copy", "a.karch", "archive:link", "--no-progress")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path)
        expect(names.sorted(), equals: ["a.karch", "a.karch-lock", "in.json", "link", "pipe"])
    }

    @Test func `an archive that was cut, or ends in no commit, is told by every command`() async throws {
        let tool = try Tool(folder: TemporaryFolder())
        for number in 1...4 {
            let record = "{\"id\":\(number)}"
            try await tool.output("import", "archive:a.karch", "-", "--model", "T", "--no-progress", input: record)
        }
        let bytes = try Data(contentsOf: tool.folder.url.appending(path: "a.karch"))
        let commands = [
            ["info", "b.karch"], ["verify", "b.karch", "--no-progress"], ["select", "b.karch", "T"],
            ["copy", "b.karch", "sqlite:new.db", "--no-progress"],
        ]
        for cut in [bytes.count - 1, bytes.count * 2 / 3] {
            try bytes.prefix(cut).write(to: tool.folder.url.appending(path: "b.karch"))
            for command in commands {
                let run = try await tool.run(command)
                let told = run.output + run.error
                expect(run.status != 0 && told.contains("was cut") && told.contains("salvage"), "\(command): \(told)")
            }
        }
        try (bytes + Data("more".utf8)).write(to: tool.folder.url.appending(path: "b.karch"))
        for command in commands {
            let run = try await tool.run(command)
            expect(run.error.contains("last 4 bytes") && run.error.contains("salvage"), "\(command): \(run.error)")
            expect(run.status, equals: command[0] == "verify" ? 1 : 0)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a damaged store is a problem to verify, and bad data to every other command`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let file = tool.folder.url.appending(path: Tool.file)
        try Data(contentsOf: file).prefix(600).write(to: file)
        for command in [["info"], ["select", "Person"], ["history"], ["backup", "other"], ["compact"]] {
            try await tool.failure(65, [command[0], Tool.file] + command.dropFirst())
        }
        let run = try await tool.run(["verify", Tool.file])
        expect(run.status == 1 && run.error == "", "\(run)")
        expect(run.output.hasPrefix("store: ") && run.output.contains(Tool.file), "\(run.output)")
    }

    @Test(arguments: Engine.allCases)
    func `a file that may not be read is one sentence`(engine: Engine) async throws {
        // Nothing is kept from the superuser.
        guard geteuid() != 0 else { return }
        let tool = try await Tool(engine)
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: tool.folder.path(Tool.file))
        try await expect(tool.failure(66, "info", Tool.file).contains("may not be read"))
        try await expect(tool.failure(66, "import", "sqlite:new.db", "--model", "T", Tool.file).contains("denied"))
    }

    @Test(arguments: Engine.one(.sqlite))
    func `a query that cannot be read names its word and position`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        for (option, text, word) in [
            ("--where", "age >", "character 6"), ("--where", "nose == 1", "nose"), ("--where", "age == 'x'", "age"),
            ("--order", "age sideways", "sideways"), ("--columns", "age,nose", "nose"),
        ] {
            let message = try await tool.failure(65, "select", Tool.file, "Person", option, text)
            expect(message.contains(word), "\(message)")
        }
        for option in ["--limit", "--offset"] {
            try await expect(tool.failure(65, "select", Tool.file, "Person", "\(option)=-1").contains("negative"))
        }
        try await expect(tool.failure(65, "count", Tool.file, "Nobody").contains("Pair, Person"))
        try await expect(tool.failure(64, "select", Tool.file, "Person", "--format", "xml").contains("ndjson"))
        try await expect(tool.failure(64, "select", Tool.file).contains("model"))
        try await expect(tool.failure(64, "slect", Tool.file).contains("slect"))
    }

    @Test(arguments: Engine.allCases)
    func `a store in use is told so, and reading goes on beside it`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        let name = engine == .sqlite ? "sqlite:\(Tool.file)?timeout=1" : Tool.file
        try await tool.output("copy", Tool.file, "sqlite:other.db")
        try await tool.output("export", Tool.file, "Pair", "--output", "pairs.csv")
        try await tool.with(engine) { (store) async throws in
            try await store.transaction { transaction in
                try transaction.insert(Person(id: 100, name: "x", age: 1, tags: [], city: nil, pens: []))
                for command in [
                    ["delete", name, "Person", "1"], ["import", name, "--model", "Pair", "pairs.csv"],
                    ["copy", "other.db", name, "--replace"],
                    ["insert", name, "Person", "name=x", "age=1", "tags=[]", "pens=[]"],
                ] {
                    let message = try tool.blockingFailure(75, command)
                    expect(message.contains(engine == .sqlite ? "busy" : "locked"), "\(message)")
                }
                try expect(tool.process(["count", Tool.file, "Person"]).blockingResult().output, equals: "3\n")
            }
        }
        try await expect(tool.people(engine).map(\.id), equals: [1, 2, 7, 100])
    }

    @Test(arguments: Engine.one(.archive))
    func `control characters of a store do not reach the terminal`(engine: Engine) async throws {
        let tool = try await Tool(engine)
        try await tool.with(engine) { (store) async throws in
            try await store.save(Pair(first: "\u{1B}[2J\n\u{202E}x", second: 0, note: "\u{7}"))
        }
        let text = try await tool.output("select", Tool.file, "Pair")
        expect(
            !text.unicodeScalars.contains {
                $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202E}")
            })
        let error = try await tool.failure(1, "get", Tool.file, "Pair", "\u{1B}[2J", "0")
        expect(!error.unicodeScalars.contains("\u{1B}"))
    }
}
