import StorageAPI
import StorageSync

/// Saves of one record in a replica's store, in turn with saves in a store that has the same history.
func saves() async throws {
    let hub = try await Hub(try await open("saves-hub"), models: [Note.self])
    let stores = [
        try await open("saves-plain", durability: .relaxed), try await open("saves-replica", durability: .relaxed),
    ]
    for store in stores { try await store.save((0..<1000).map { Note($0) }) }
    let replica = try await Replica(stores[1], models: [Note.self], to: Way(hub))
    try await replica.sync()
    var ratios: [Double] = []
    for round in 0...20 {
        var used = [0.0, 0.0]
        for place in round % 2 == 0 ? [0, 1] : [1, 0] {
            used[place] = try await times {
                for number in 0..<2000 {
                    try await stores[place].save(Note(number % 1000, version: round * 2000 + number))
                }
            }.processor
        }
        // The first round prepares statements.
        if round > 0 { ratios.append(used[1] / used[0]) }
    }
    figure("processor of a save in a replica's store, beside one with a history", ratios.median, digits: 3, goal: 1.02)
}

/// Commits of one record each: half of them change one of the first records, the others insert one.
private func write(_ count: Int, to store: Store) async throws {
    for number in 0..<count {
        try await store.save(number % 2 == 0 ? Note(number, version: 1) : Note(1_000_000 + number))
    }
}

/// A hub with records, and a store that has them by an exchange.
private func pair(_ name: String, records: Int) async throws -> (hub: Hub, store: Store) {
    let (home, store) = (try await open("\(name)-hub"), try await open("\(name)-replica"))
    try await home.save((0..<records).map { Note($0) })
    let hub = try await Hub(home, models: [Note.self])
    try await Replica(store, models: [Note.self], to: Way(hub)).sync()
    return (hub, store)
}

/// Waiting patches over a way that delays each message and each answer by 50 ms.
func patches() async throws {
    for count in [1000, 10_000] {
        let (hub, store) = try await pair("patches-\(count)", records: 10_000)
        try await write(count, to: store)
        let way = Way(hub, delay: .milliseconds(50))
        let replica = try await Replica(store, models: [Note.self], to: way)
        let times = try await times {
            let exchange = try await replica.sync()
            try require(exchange.sent == count && exchange.refused == 0, "sent \(exchange.sent) of \(count) patches")
        }
        let isGoal = count == 1000
        figure("\(count) patches, 50 ms each way: clock", times.clock, unit: "s", goal: isGoal ? 2 : nil)
        figure("round trips", Double(way.passed.messages), digits: 0, goal: isGoal ? 3 : nil)
        figure("processor of both sides", times.processor, unit: "s", digits: 3, goal: isGoal ? 0.5 : nil)
    }
}

/// An answer with one change of the hub, taken while 1,000 patches wait that the question did not have: another program of the
/// same store has made them, and its message was lost.
func changes() async throws {
    var used: [Double] = []
    for round in 0..<5 {
        let (hub, store) = try await pair("changes-\(round)", records: 10_000)
        try await hub.store.save(Note(9999, version: 2))
        let began = Began()
        let way = Way(hub) {
            try await write(1000, to: store)
            _ = try? await Replica(store, models: [Note.self], to: Nowhere()).sync()
            began.time = processor()
        }
        let replica = try await Replica(store, models: [Note.self], to: way)
        try await replica.sync()
        used.append((processor() - began.time) * 1000)
        let waiting = try await replica.waiting().count
        let arrived = try await store.find(Note.self, key: Note.key(9999))?.number
        try require(
            waiting == 1000 && arrived == 2, "\(waiting) patches wait, and the change is version \(arrived ?? 0)")
    }
    figure(
        "one change of the hub under 1000 patches: processor of the replica", used.median, unit: "ms", digits: 1,
        goal: 50)
}

/// The first synchronisation, in turn with a copy.
func first() async throws {
    let home = try await open("first-hub")
    let hub = try await Hub(home, models: [Note.self])
    let count = 100_000
    for start in stride(from: 0, to: count, by: 10_000) {
        try await home.save((start..<start + 10_000).map { Note($0) })
    }
    var (ratios, used): ([Double], [Double]) = ([], [])
    for round in 0..<3 {
        let (copy, store) = (try await open("first-copy-\(round)"), try await open("first-replica-\(round)"))
        let copied = try await times { try await copy.copy(from: home) }
        let synchronised = try await times {
            let exchange = try await Replica(store, models: [Note.self], to: Way(hub)).sync()
            try require(exchange.taken == count, "took \(exchange.taken) of \(count) records")
        }
        ratios.append(synchronised.clock / copied.clock)
        used.append(synchronised.processor / copied.processor)
    }
    figure("first synchronisation of \(count) records, beside a copy: clock", ratios.median, goal: 3)
    figure("the same: processor", used.median)
}

/// An exchange without patches and changes.
func quiet() async throws {
    let (hub, store) = try await pair("quiet", records: 10_000)
    let way = Way(hub)
    let replica = try await Replica(store, models: [Note.self], to: way)
    let times = try await times { try await replica.sync() }
    figure("an exchange without patches and changes: round trips", Double(way.passed.messages), digits: 0, goal: 1)
    figure("bytes of its question and answer", Double(way.passed.bytes), digits: 0, goal: 400)
    figure("its processor", times.processor * 1000, unit: "ms")
}
