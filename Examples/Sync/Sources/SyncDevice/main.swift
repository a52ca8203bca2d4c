// One device with the shopping list. Every command but sync and run works without the server.
//
//   export SYNC_STORE=ada.db SYNC_USER=ada SYNC_TOKEN=secret1 SYNC_HUB=http://127.0.0.1:8080/sync
//   SyncDevice add Milk 2        SyncDevice amount Milk 3      SyncDevice check Milk
//   SyncDevice remove Milk       SyncDevice note "Ask Ben"     SyncDevice list
//   SyncDevice sync              one exchange with the server
//   SyncDevice run               exchanges by itself, prints the list after each change, and takes commands from the input
import Foundation
import SQLiteBackend
import ShoppingModels
import StorageKit
import StorageSync
import StorageSyncHTTP

let environment = ProcessInfo.processInfo.environment
guard let path = environment["SYNC_STORE"], let user = environment["SYNC_USER"] else {
    printLine("Set SYNC_STORE to a file and SYNC_USER to your name, and SYNC_TOKEN and SYNC_HUB to reach the server.")
    exit(64)
}
let token = environment["SYNC_TOKEN"] ?? ""

do {
    // DEVICE-BEGIN
    let store = try await Store(
        SQLiteBackend(path: path), models: shoppingModels,
        options: shoppingOptions(author: user))
    let hub = try HTTPHub(
        environment["SYNC_HUB"] ?? "http://127.0.0.1:8080/sync",
        headers: { ["Authorization": "Bearer \(token)"] })
    let replica = try await Replica(store, models: shoppingModels, to: hub)
    // DEVICE-END
    let device = Device(replica: replica, user: user)
    let words = Array(CommandLine.arguments.dropFirst())
    if words == ["run"] {
        try await device.run(commands: inputLines())
    } else {
        for line in try await device.perform(words) { printLine(line) }
    }
    try await store.close()
} catch let error as StorageError {
    printLine("error: \(error.message)")
    exit(1)
} catch let error as Misuse {
    printLine(error.text)
    exit(64)
}
