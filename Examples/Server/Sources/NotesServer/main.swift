// Notes over HTTP. The environment chooses the engine: STORAGE_BACKEND=sqlite STORAGE_PATH=notes.db, or STORAGE_URL.
//
//   PUT /notes/7     stores a note: {"title": "Milk", "text": "", "tags": ["shop"]}
//   GET /notes/7     one note
//   GET /notes?tag=shop&limit=20            a page of notes, and the token of the next one
//   GET /notes?tag=shop&limit=20&after=TOKEN
//   DELETE /notes/7
//   GET /changes     server-sent events: the notes with the tag, now and after each change: /changes?tag=shop
//   GET /metrics     what the store has done
import ArchiveBackend
import Configuration
import Foundation
import Hummingbird
import Logging
import MemoryBackend
import PostgreSQLBackend
import SQLiteBackend
import ServiceLifecycle
import StorageConfiguration
import StorageKit
import StorageServices

let environment = ProcessInfo.processInfo.environment
let totals = Totals()
let store = try await Store(
    configuration: ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: environment)),
    checking: environment.keys,
    backends: [SQLiteBackend.self, ArchiveBackend.self, InMemoryBackend.self, PostgreSQLBackend.self],
    models: Note.self, options: .init(instruments: [StoreMetrics(factory: totals)]))

var logger = Logger(label: "NotesServer")
logger.logLevel = .notice
let port = environment["PORT"].flatMap { Int($0) } ?? 8080
let server = Application(
    router: router(store, totals),
    configuration: .init(address: .hostname("127.0.0.1", port: port)),
    // What a script that starts the server waits for. Not by print, which keeps lines back in a pipe.
    onServerRunning: { channel in
        let line = "listening on port \(channel.localAddress?.port ?? port)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    },
    logger: logger)

// GROUP-BEGIN
// The last service shuts down first: the store closes after the server.
let group = ServiceGroup(
    services: [StoreService(store), server],
    gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
try await group.run()
// GROUP-END
