import AsyncHTTPClient
import Foundation
import NIOCore
import Synchronization

/// One server that is stopped under load.
struct Check: Sendable {
    let program: ServerProgram
    let isKilled: Bool
    let notes: Int
    let clients: Int

    struct Outcome {
        var summary = ""
        var failures: [String] = []

        mutating func expect(_ holds: Bool, _ message: @autoclosure () -> String) {
            if !holds { failures.append(message()) }
        }
    }

    func run() async throws -> Outcome {
        var outcome = Outcome()
        try await program.start()
        outcome.expect(try await follow() == [0, 1, 2], "The follower missed a change.")

        let acknowledged = Acknowledged()
        let began = ContinuousClock.now
        let (status, seconds) = try await withThrowingTaskGroup { group in
            for client in 0..<clients {
                group.addTask {
                    await write(from: client, acknowledged)
                    return (status: Int32, seconds: Double)?.none
                }
            }
            group.addTask {
                // In the middle of the load, by what is acknowledged and not by time.
                await acknowledged.reach(notes / 2)
                let seconds = began.duration(to: .now) / .seconds(1)
                return (try await program.stop(isKilled ? SIGKILL : SIGTERM), seconds)
            }
            var end = (status: Int32(-1), seconds: 1.0)
            var running = clients
            for try await found in group {
                if let found {
                    end = found
                    // Nobody is left to connect to.
                    group.cancelAll()
                } else {
                    running -= 1
                    if running == 0 { acknowledged.end() }
                }
            }
            return end
        }
        let written = acknowledged.ids
        outcome.expect(isKilled || status == 0, "The server ended with \(status) when it was asked to end.")
        outcome.expect(written.count < notes, "The server was not stopped in the middle.")
        outcome.expect(written.count >= notes / 2, "The server was stopped early.")

        try await program.start()
        let lost = try await missing(written)
        outcome.expect(lost.isEmpty, "\(lost.count) acknowledged notes are lost, such as \(lost.sorted().prefix(5)).")
        let ids = try await listed()
        outcome.expect(ids.count == Set(ids).count, "The pages repeat notes.")
        outcome.expect(written.isSubset(of: ids), "The pages skip notes.")
        outcome.expect(try await request("/notes?after=x").status == 400, "A page begins at no token.")
        let metrics = try await request("/metrics").body
        outcome.expect(metrics.contains("storage.rows.read{"), "The metrics count no rows: \(metrics)")
        outcome.expect(try await program.stop(SIGTERM) == 0, "The server did not end well.")
        outcome.summary =
            "\(written.count) notes acknowledged until it was \(isKilled ? "killed" : "shut down"), "
            + "\(Int(Double(notes / 2) / seconds)) a second by \(clients) clients; \(lost.count) lost"
        return outcome
    }

    private func write(from client: Int, _ acknowledged: Acknowledged) async {
        for id in stride(from: client, to: notes, by: clients) {
            // A connection that ends is no acknowledgement, and the load's end.
            guard let answer = try? await put(id, tags: []), answer == 200 else { return }
            acknowledged.add(id)
        }
    }

    /// Writes two watched notes one after the other and returns the number of notes in each event.
    private func follow() async throws -> [Int] {
        let address = await program.address("/changes?tag=watched")
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: address), timeout: .seconds(60))
        var counts: [Int] = []
        var text = ""
        for try await part in response.body {
            text += String(buffer: part)
            while let end = text.range(of: "\n\n") {
                counts.append(text[..<end.lowerBound].components(separatedBy: "\"title\"").count - 1)
                text = String(text[end.upperBound...])
                if counts.count == 3 { return counts }
                _ = try await put(notes + counts.count, tags: ["watched"])
            }
        }
        return counts
    }

    private func put(_ id: Int, tags: [String]) async throws -> Int {
        let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return try await request("/notes/\(id)", put: #"{"title": "note \#(id)", "tags": [\#(tags)]}"#).status
    }

    /// The notes of all pages.
    private func listed() async throws -> [Int] {
        struct Page: Decodable {
            struct Note: Decodable { var id: Int }

            var notes: [Note]
            var next: String?
        }
        var ids: [Int] = []
        var path: String? = "/notes?limit=300"
        while let address = path {
            let page = try JSONDecoder().decode(Page.self, from: Data(try await request(address).body.utf8))
            ids += page.notes.map(\.id)
            path = page.next.map { "/notes?limit=300&after=\($0)" }
        }
        return ids
    }

    /// The notes that the server lacks.
    private func missing(_ ids: Set<Int>) async throws -> Set<Int> {
        var missing: Set<Int> = []
        for id in ids {
            let answer = try await request("/notes/\(id)")
            if answer.status != 200 || !answer.body.contains("\"note \(id)\"") { missing.insert(id) }
        }
        return missing
    }

    private func request(_ path: String, put body: String? = nil) async throws -> (status: Int, body: String) {
        var request = HTTPClientRequest(url: await program.address(path))
        if let body {
            request.method = .PUT
            request.headers.add(name: "content-type", value: "application/json")
            request.body = .bytes(ByteBuffer(string: body))
        }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 1 << 24)))
    }
}

/// The notes that the server has acknowledged.
final class Acknowledged: Sendable {
    private struct State {
        var ids: Set<Int> = []
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
        var hasEnded = false
    }

    private let state = Mutex(State())

    var ids: Set<Int> { state.withLock { $0.ids } }

    func add(_ id: Int) {
        resume { $0.ids.insert(id) }
    }

    /// No more come.
    func end() {
        resume { $0.hasEnded = true }
    }

    /// Waits until there are so many, or no more come.
    func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            resume { $0.waiting = (count, continuation) }
        }
    }

    private func resume(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            guard let waiting = state.waiting, state.hasEnded || state.ids.count >= waiting.count else {
                return CheckedContinuation<Void, Never>?.none
            }
            state.waiting = nil
            return waiting.continuation
        }
        ready?.resume()
    }
}
