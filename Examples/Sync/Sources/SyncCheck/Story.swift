import Foundation

/// Two people with a shopping list, told as what each device prints, and compared with what it should print.
@MainActor final class Story {
    let server: ServerProgram
    let ada: DeviceProgram
    let ben: DeviceProgram
    private(set) var differences = 0

    init(server: ServerProgram, ada: DeviceProgram, ben: DeviceProgram) {
        (self.server, self.ada, self.ben) = (server, ada, ben)
    }

    func run() async throws {
        try await begin()
        try await changeBothOffline()
        try await refuse()
        try await followEachOther()
        try await endWell()
    }

    private func begin() async throws {
        tell("The server starts. Ada fills the list, and Ben gets it.")
        try await server.start()
        try await device(ada, "add Milk 2")
        try await device(ada, "add Bread")
        try await device(ada, "note Ask Ben", words: ["note", "Ask Ben"])
        try await device(ada, "sync", prints: ["sent 3, taken 3"])
        try await device(ben, "sync", prints: ["sent 0, taken 2"])
        try await device(ben, "list", prints: ["[ ] 1 Bread", "[ ] 2 Milk"])

        tell("A wrong token is refused, and nothing is lost.")
        var stranger = ben
        stranger.token = "guess"
        try await device(ben, "add Eggs 6")
        try await device(
            stranger, "sync",
            prints: [
                "not synchronised, 1 waiting: The hub's server does not know the user; sign in again, and give it the "
                    + "new token."
            ])
        try await device(ben, "sync", prints: ["sent 1, taken 0"])
    }

    private func changeBothOffline() async throws {
        tell("The server is killed. Both go on, and set different amounts of milk.")
        await server.stop(SIGKILL)
        try await device(ada, "amount Milk 3")
        try await device(ben, "amount Milk 4")
        try await device(ben, "check Bread")
        let unreachable =
            "The hub cannot be reached, or the connection was cut; the next exchange sends the waiting patches."
        try await device(ada, "sync", prints: ["not synchronised, 1 waiting: \(unreachable)"])
        try await device(ben, "sync", prints: ["not synchronised, 2 waiting: \(unreachable)"])
        try await device(ben, "list", prints: ["[x] 1 Bread", "[ ] 6 Eggs", "[ ] 4 Milk"])

        tell("The server is back. Ben's amount comes later, and counts; he is told of Ada's.")
        try await server.start()
        try await device(ada, "sync", prints: ["sent 1, taken 1"])
        try await device(ben, "sync", prints: ["sent 2, taken 0", "Milk: replaced the amount 3 of someone else"])
        try await device(ada, "sync", prints: ["sent 0, taken 2"])
        try await device(
            ada, "list", prints: ["[x] 1 Bread", "[ ] 6 Eggs", "[ ] 4 Milk", "note: Ask Ben"])
    }

    private func refuse() async throws {
        tell("Ben removes what Ada has changed meanwhile, and both add butter: the second is refused, with the reason.")
        try await device(ada, "amount Eggs 12")
        try await device(ben, "remove Eggs")
        try await device(ada, "add Butter")
        try await device(ben, "add Butter 2")
        try await device(ada, "sync", prints: ["sent 2, taken 0"])
        try await device(
            ben, "sync", prints: ["sent 2, taken 3", "not removed: Eggs", because, "not added: Butter", because])
        try await device(ben, "list", prints: ["[x] 1 Bread", "[ ] 1 Butter", "[ ] 12 Eggs", "[ ] 4 Milk"])
    }

    private func followEachOther() async throws {
        tell("Both devices stay connected. What one types, the other shows.")
        let hub = await server.hub
        let (atAda, atBen) = (try ada.start(["run"], hub: hub), try ben.start(["run"], hub: hub))
        atAda.type("add Apples 5")
        try await wait(for: "list: 5 Apples, 1 Bread, 1 Butter, 12 Eggs, 4 Milk", of: atBen, "ben")
        atBen.type("remove Butter")
        try await wait(for: "list: 5 Apples, 1 Bread, 12 Eggs, 4 Milk", of: atAda, "ada")
        for running in [atAda, atBen] {
            try running.input.close()
            let status = await running.process.ended()
            expect("the status of run is 0", status == 0)
        }
    }

    private func endWell() async throws {
        tell("The server ends when it is asked to, and has everything when it starts again.")
        let status = await server.stop(SIGTERM)
        expect("the status of the server is 0", status == 0)
        try await server.start()
        let new = DeviceProgram(executable: ben.executable, folder: ben.folder + "/new", user: "ben", token: ben.token)
        try FileManager.default.createDirectory(atPath: new.folder, withIntermediateDirectories: true)
        try await device(new, "sync", prints: ["sent 0, taken 4"])
        try await device(new, "list", prints: ["[ ] 5 Apples", "[x] 1 Bread", "[ ] 12 Eggs", "[ ] 4 Milk"])
    }

    // MARK: Telling

    /// Stands for any line with a reason, whose words are the hub's.
    private let because = "because …"

    private func tell(_ text: String) { print("\n\(text)") }

    private func expect(_ fact: String, _ holds: Bool) {
        if holds { return }
        differences += 1
        print("  DIFFERENCE: \(fact)")
    }

    private func device(
        _ device: DeviceProgram, _ command: String, words: [String]? = nil, prints expected: [String] = []
    ) async throws {
        let words = words ?? command.split(separator: " ").map(String.init)
        let result = try await device.run(words, hub: await server.hub)
        print("  \(device.user)$ \(command)")
        for line in result.lines { print("    \(line)") }
        let isSame =
            result.status == 0 && result.lines.count == expected.count
            && zip(result.lines, expected).allSatisfy { $0 == $1 || $1 == because && $0.hasPrefix("because ") }
        expect("expected \(expected)", isSame)
    }

    /// Reads lines until one comes; a device that ends before is a difference.
    private func wait(for line: String, of running: DeviceProgram.Running, _ user: String) async throws {
        for await found in running.lines where found == line {
            print("  \(user)$ run\n    \(line)")
            return
        }
        expect("\(user) prints \(line)", false)
    }
}
