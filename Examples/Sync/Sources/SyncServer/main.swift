// The server of a shopping list that devices share.
//
//   SYNC_USERS=ada:secret1,ben:secret2 SyncServer sqlite:hub.db [PORT]
//
// The store may be on PostgreSQL too: postgresql://… Several servers may answer for one store then. It ends at SIGTERM and
// SIGINT, after the running exchanges.
import ArchiveBackend
import Foundation
import Hummingbird
import Logging
import PostgreSQLBackend
import SQLiteBackend
import ShoppingModels
import ShoppingServer
import StorageKit

let arguments = CommandLine.arguments
guard arguments.count > 1, let users = Users(ProcessInfo.processInfo.environment["SYNC_USERS"] ?? ""),
    let port = arguments.count > 2 ? Int(arguments[2]) : 8080
else {
    print("usage: SYNC_USERS=NAME:TOKEN,… SyncServer STORE-URL [PORT]")
    exit(64)
}

let store = try await Store(
    url: arguments[1], backends: [SQLiteBackend.self, ArchiveBackend.self, PostgreSQLBackend.self],
    models: shoppingModels, options: shoppingOptions())
var logger = Logger(label: "SyncServer")
logger.logLevel = .notice
let server = Application(
    router: router(try await shoppingHub(store), users),
    // Longer than a client keeps a connection, so that a request never meets the end of its connection.
    server: .http1(configuration: .init(idleTimeout: .seconds(90))),
    configuration: .init(address: .hostname("127.0.0.1", port: port)),
    // What a script that starts the server waits for. Not by print, which keeps lines back in a pipe.
    onServerRunning: { channel in
        let line = "listening on port \(channel.localAddress?.port ?? port)\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    },
    logger: logger)
try await server.runService()
try await store.close()
