#if Configuration
import ArchiveBackend
import Configuration
import Foundation
import Logging
import SQLiteBackend
import StorageConfiguration
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("Opening by settings")
struct ConfigurationTests {
    @Storable struct Note: Equatable {
        var id: Int
        var text = ""
    }

    private let both: [any StorageBackend.Type] = [SQLiteBackend.self, ArchiveBackend.self]

    private func environment(_ variables: [String: String]) -> ConfigReader {
        ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
    }

    /// The message of the configuration error that opening by these variables throws.
    private func refusal(
        _ variables: [String: String], backends: [any StorageBackend.Type]? = nil
    ) async -> String {
        let error = await expectError(.configuration, "\(variables)") {
            try await Store(
                configuration: environment(variables), checking: variables.keys, backends: backends ?? both,
                models: Note.self)
        }
        return error?.message ?? ""
    }

    @Test(
        arguments: [
            (["STORAGE_URL": "sqlite:FOLDER/a.db?cache=8"], "sqlite"),
            (["STORAGE_URL": "archive:FOLDER/a.karch?compression=none"], "archive"),
            (["STORAGE_BACKEND": "sqlite", "STORAGE_PATH": "FOLDER/a b?%.db", "STORAGE_SQLITE_CACHE": "8"], "sqlite"),
            (["STORAGE_BACKEND": "Archive", "STORAGE_PATH": "FOLDER/a.karch"], "archive"),
            (
                [
                    "STORAGE_BACKEND": "archive", "STORAGE_PATH": "FOLDER/a.karch", "STORAGE_ARCHIVE_LEVEL": "9",
                    "STORAGE_SQLITE_CACHE": "8",
                ], "archive"
            ),
        ])
    func `the environment chooses the engine, by a URL or in parts`(_ variables: [String: String], _ name: String)
        async throws
    {
        try await withFolder { folder in
            let variables = variables.mapValues { $0.replacing("FOLDER", with: folder.path) }
            let store = try await Store(
                configuration: environment(variables), checking: variables.keys, backends: both, models: Note.self)
            try await store.insert(Note(id: 1, text: "x"))
            try await store.close()
            expect(store.info.name, equals: name)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            expect(files.contains { variables.values.joined().contains($0) }, "\(files)")
        }
    }

    @Test
    func `the first provider that has a setting decides it: command line, environment, JSON file with its own types`()
        async throws
    {
        try await withFolder { folder in
            let json = """
                {"storage": {"backend": "archive", "path": "unused", "sqlite":
                {"cache": 16, "readonly": false, "durability": "relaxed", "timeout": 250}}}
                """
            let file = folder.appending(path: "settings.json").path
            try Data(json.utf8).write(to: URL(filePath: file))
            let path = folder.appending(path: "a.db").path
            let reader = ConfigReader(providers: [
                CommandLineArgumentsProvider(arguments: ["app", "--storage-backend", "sqlite"]),
                EnvironmentVariablesProvider(environmentVariables: ["STORAGE_PATH": path, "STORAGE_SQLITE_CACHE": "8"]),
                try await FileProvider<JSONSnapshot>(filePath: .init(file)),
            ])
            let lines = LogLines()
            let logger = lines.logger(.trace)
            let store = try await Store(
                configuration: reader, backends: both, models: Note.self, options: .init(logger: logger))
            try await store.close()
            let configured = lines.all.first { $0.message == "store configured" }
            for part in [path, "\"cache\": 8", "\"durability\": relaxed", "\"timeout\": 250", "\"readonly\": false"] {
                let metadata = configured?.metadata.description ?? "nothing"
                expect(metadata.contains(part), "\(part) in \(metadata)")
            }
            expect(configured?.level, equals: .info)
        }
    }

    @Test(
        arguments: [
            (#""cache": "big""#, "storage.sqlite.cache=big"),
            (#""cache": [1, 2]"#, "storage.sqlite.cache is a list"), (#""durability": 3"#, "full, relaxed"),
            (#""readonly": "perhaps""#, "true, false"), (#""cache": 1.5"#, "storage.sqlite.cache=1.5"),
        ])
    func `a wrong type in a JSON file is refused by the setting's name`(_ option: String, _ hint: String) async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "settings.json").path
            let json = #"{"storage": {"backend": "sqlite", "path": ":memory:", "sqlite": {\#(option)}}}"#
            try Data(json.utf8).write(to: URL(filePath: file))
            let reader = ConfigReader(provider: try await FileProvider<JSONSnapshot>(filePath: .init(file)))
            let error = await expectError(.configuration, "\(option)") {
                try await Store(configuration: reader, backends: both, models: Note.self)
            }
            expect(error?.message.contains(hint), equals: true, "\(error?.message ?? "")")
        }
    }

    @Test(
        arguments: [
            ([:], ["storage.url", "STORAGE_URL", "archive, sqlite"]),
            (["STORAGE_PATH": "a.db"], ["storage.backend", "archive, sqlite"]),
            (["STORAGE_BACKEND": "sqlite"], ["set storage.path", "people.db"]),
            (["STORAGE_URL": "sqlite:a.db", "STORAGE_PATH": "b.db"], ["storage.url and storage.path", "remove one"]),
            (["STORAGE_URL": "sqlite:a.db", "STORAGE_BACKEND": "sqlite"], ["storage.url and storage.backend"]),
            (
                ["STORAGE_URL": "sqlite:a.db", "STORAGE_SQLITE_CACHE": "8"],
                ["storage.url and storage.sqlite.cache", "?cache="]
            ),
            (
                ["STORAGE_URL": "sqlite:a.db?cache=9", "STORAGE_SQLITE_CACHE": "8"],
                ["storage.url and storage.sqlite.cache"]
            ),
            (["STORAGE_BACKEND": "sqlit", "STORAGE_PATH": "a.db"], ["did you mean sqlite?", "archive, sqlite"]),
            (["STORAGE_BACKEND": "memory"], ["InMemoryBackend.self"]),
            (["STORAGE_BACKEND": "mysql", "STORAGE_PATH": "a"], ["mysql", "archive, sqlite"]),
            (["STORAGE_URL": "sqlite:a.db?durabilty=full"], ["did you mean durability?", "cache, durability"]),
            (["STORAGE_URL": "sqlite:a.db?durability=relaxd"], ["did you mean relaxed?", "full, relaxed"]),
        ])
    func `what is unknown or given twice is an error that says what to do`(
        _ variables: [String: String], _ hints: [String]
    ) async throws {
        let message = await refusal(variables)
        for hint in hints { expect(message.contains(hint), "\(hint) in \(message)") }
    }

    @Test(
        arguments: [
            ("STORAGE_SQLITE_DURABILTY", "did you mean STORAGE_SQLITE_DURABILITY?"),
            ("--storage-sqlite-cahce=8", "did you mean --storage-sqlite-cache?"),
            ("storage.pth", "did you mean storage.path?"), ("STORAGE_SQL_CACHE", "storage.sqlite.cache"),
        ])
    func `a misspelt setting is found among the names that are given, in every provider's spelling`(
        _ name: String, _ hint: String
    ) async throws {
        let settings = environment(["STORAGE_BACKEND": "sqlite", "STORAGE_PATH": ":memory:"])
        let error = await expectError(.configuration) {
            try await Store(
                configuration: settings, checking: ["HOME", "STORAGECLASS", "STORAGE_ARCHIVE_LEVEL", name],
                backends: [SQLiteBackend.self], models: Note.self)
        }
        expect(error?.message.contains(hint), equals: true, "\(error?.message ?? "")")
    }

    @Test func `the name that is the tool's own is no setting of a store`() async throws {
        let settings = environment(["STORAGE_BACKEND": "sqlite", "STORAGE_PATH": ":memory:"])
        _ = try await Store(
            configuration: settings, checking: ["STORAGE_BACKEND", "STORAGE_PATH", "STORAGE_HISTORY"],
            backends: [SQLiteBackend.self], models: Note.self)
    }

    @Test
    func `an option without its backend's name is found without a list of names`() async throws {
        let settings = environment([
            "STORAGE_BACKEND": "sqlite", "STORAGE_PATH": ":memory:", "STORAGE_DURABILITY": "relaxed",
        ])
        let error = await expectError(.configuration) { try await Store(configuration: settings, backends: both) }
        expect(
            error?.message.contains("did you mean storage.sqlite.durability?"), equals: true, "\(error?.message ?? "")")
    }

    @Test
    func `a backend that is not linked says which product to add`() async throws {
        let message = await refusal(["STORAGE_URL": "archive:a.karch"], backends: [SQLiteBackend.self])
        expect(message.contains("link the product ArchiveBackend and add ArchiveBackend.self"), "\(message)")
    }

    @Test
    func `a secret reaches its backend, and neither the log nor an error`() async throws {
        let lines = LogLines()
        let logger = lines.logger(.trace)
        let settings = environment(["STORAGE_BACKEND": "vault", "STORAGE_VAULT_PASSWORD": "hunter2"])
        let error = await expectError(.configuration) {
            try await Store(configuration: settings, backends: [VaultBackend.self], options: .init(logger: logger))
        }
        expect(error?.message, equals: "7 letters")
        let byURL = await expectError(.configuration) {
            try await Store(
                url: "vault?password=hunter2", backends: [VaultBackend.self], options: .init(logger: logger))
        }
        expect(byURL?.message.contains("hunter2"), equals: false)
        let text = lines.all.map { $0.message + $0.metadata.description }.joined()
        expect(text.contains("\"password\": <secret>") && !text.contains("hunter2"), "\(text)")
    }
}

/// A backend with a password, which never opens.
private struct VaultBackend: StorageBackend {
    static let scheme = "vault"
    let password: String

    init(url: StorageURL) throws(StorageError) {
        var options = StorageURL.Options(url)
        password = try options.secret("password") ?? ""
        try options.finish()
    }

    func open(logger _: Logger) throws(StorageError) -> any StorageEngine {
        throw StorageError(.configuration, "\(password.count) letters")
    }
}
#endif
