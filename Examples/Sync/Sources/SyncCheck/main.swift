// Starts the server of the shopping list and two devices, prints what each prints, and compares it with what it should be.
// Then four more devices write while the server is killed.
//
//   SyncCheck SERVER DEVICE [STORE-URL]      the programs; the store must be empty, and is a file of SQLite without a URL
import Foundation

let arguments = CommandLine.arguments
guard arguments.count >= 3 else {
    print("usage: SyncCheck SERVER DEVICE [STORE-URL]")
    exit(64)
}
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("SyncCheck-\(UUID())").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
let server = ServerProgram(
    executable: arguments[1], url: arguments.count > 3 ? arguments[3] : "sqlite:\(folder)/hub.db")
let story = Story(
    server: server,
    ada: DeviceProgram(executable: arguments[2], folder: folder, user: "ada", token: "secret1"),
    ben: DeviceProgram(executable: arguments[2], folder: folder, user: "ben", token: "secret2"))

var differences = 0
do {
    try await story.run()
    let load = try await Load(server: server).run()
    print(
        "\n\(load.answered) commits of four devices arrived until the server was killed, and \(load.left) after it "
            + "started again.")
    for difference in load.differences { print("  DIFFERENCE: \(difference)") }
    differences = story.differences + load.differences.count
} catch {
    print("  DIFFERENCE: \(error)")
    differences = story.differences + 1
}
await server.stop(SIGTERM)
try FileManager.default.removeItem(atPath: folder)
print(differences == 0 ? "Every device has seen what it should." : "\(differences) differences.")
exit(differences == 0 ? 0 : 1)
