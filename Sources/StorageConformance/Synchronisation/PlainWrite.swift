internal import StorageAPI
import StorageDriver

/// A call of a random transaction.
enum PlainWrite {
    case insert(PlainPlace, PlainFields)
    case save(PlainPlace, PlainFields)
    case update(PlainPlace, PlainFields)
    case delete([PlainPlace])
    /// Sets `a` on the stock whose `b` is at least a number.
    case set(a: Int64, whereB: Int64)
    case replace([PlainPlace: PlainFields], removing: Set<PlainPlace>)
    /// Calls in a savepoint that fails.
    case undone([PlainWrite])

    // MARK: In the plain model

    /// - Parameter touched: gets the records that calls have written.
    func run(on state: inout PlainState, _ touched: inout Set<PlainPlace>) throws {
        switch self {
        case .insert(let place, let record):
            if state[place] != nil { throw PlainRefusal("duplicate key", place) }
            try put(record, at: place, in: &state, &touched)
        case .save(let place, let record): try put(record, at: place, in: &state, &touched)
        case .update(let place, let record):
            if state[place] == nil { throw PlainRefusal("not found", place) }
            try put(record, at: place, in: &state, &touched)
        case .delete(let places):
            touched.formUnion(places)
            try state.delete(places)
        case .set(let a, let b):
            for place in state.places(of: "Stock") {
                guard case .scalar(.int(let number))? = state[place]?["b"], number >= b else { continue }
                touched.insert(place)
                state[place]?["a"] = .scalar(.int(a))
            }
        case .replace(let puts, let removed):
            touched.formUnion(removed.union(puts.keys))
            try state.replace(puts, removing: removed)
        case .undone: break
        }
    }

    private func put(
        _ record: PlainFields, at place: PlainPlace, in state: inout PlainState, _ touched: inout Set<PlainPlace>
    ) throws {
        touched.insert(place)
        state[place] = record
        try state.checkUnique([place])
    }

    // MARK: In a store

    func run(in tx: borrowing Store.Transaction, _ types: PlainTypes) throws(StorageError) {
        let session = PlainSession(_session: tx._session)
        guard case .undone(let writes) = self else { return try run(in: session, types) }
        // The closure has the session, because the compiler of Swift 6.3.1 crashes on a closure that borrows a transaction here.
        do throws(StorageError) {
            try tx.savepoint { () throws(StorageError) -> Void in
                for write in writes { try write.run(in: session, types) }
                throw StorageError(.cancelled, "The savepoint is undone.")
            }
        } catch {}
    }

    private func run(in session: PlainSession, _ types: PlainTypes) throws(StorageError) {
        switch self {
        case .insert(let place, let record): try session.insert(types.record(record, at: place))
        case .save(let place, let record): try session.save(types.record(record, at: place))
        case .update(let place, let record): try session.update(types.record(record, at: place))
        case .delete(let places):
            guard let model = places.first?.model else { return }
            try session.records(model).delete(keys: places.map(\.values))
        case .set(let a, let b):
            _ = try session.records("Stock").where(text: "b >= \(b)").set("a", to: .int(a)).run()
        case .replace(let puts, let removed):
            try session.replace(
                puts.sorted { $0.key < $1.key }.map { types.record($0.value, at: $0.key) },
                removing: removed.sorted().map { ($0.model, $0.values) })
        case .undone: break
        }
    }
}

/// The verbs of a transaction, for closures within it.
private struct PlainSession: WritingVerbs {
    let _session: Store.Session
}

/// Draws transactions that make sense in a state.
struct PlainProgram {
    var random: SeededGenerator
    /// The version of the program that writes.
    var version = PlainVersion.later
    /// The models that it writes.
    var models = PlainModel.names
    /// True if a record expires at one time only. Otherwise a restored hub may have removed a record that lives longer elsewhere,
    /// or not yet: stores decide when they remove expired records.
    var keepsExpiry = false
    private var serial = 0

    init(_ random: SeededGenerator) { self.random = random }

    mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    mutating func below(_ end: Int) -> Int { Int.random(in: 0..<max(end, 1), using: &random) }
    mutating func pick<T>(_ list: [T]) -> T? { list.randomElement(using: &random) }

    /// - Parameters:
    ///   - tag: begins the keys of new records, so that most differ between stores.
    ///   - time: the time now.
    mutating func transaction(on state: PlainState, _ tag: String, at time: Double) -> [PlainWrite] {
        var (writes, state, touched): ([PlainWrite], PlainState, Set<PlainPlace>) = ([], state, [])
        for _ in 0..<1 + below(3) {
            guard let write = write(on: state, tag, at: time) else { continue }
            writes.append(write)
            // What fails ends the transaction, so nothing sensible can follow.
            guard (try? write.run(on: &state, &touched)) != nil else { break }
        }
        return writes
    }

    private mutating func write(on state: PlainState, _ tag: String, at time: Double) -> PlainWrite? {
        let model = pick(["Depot", "Stock", "Stock", "Stock", "Slip", "Slip", "Permit"]) ?? "Stock"
        guard models.contains(model) else { return nil }
        let places = state.places(of: model)
        switch below(100) {
        case 0..<30: return new(model, in: state, tag, at: time).map { .insert($0, $1) }
        case 30..<70:
            guard let place = pick(places), let record = changed(place, state, at: time) else { return nil }
            return chance(50) ? .save(place, record) : .update(place, record)
        case 70..<74: return .set(a: Int64(below(9)), whereB: Int64(4 + below(8)))
        case 74..<88:
            return .delete(
                chance(20) ? Array(places.shuffled(using: &random).prefix(2)) : pick(places).map { [$0] } ?? [])
        case 88..<95: return set(state, tag, at: time)
        default: return write(on: state, tag, at: time).map { .undone([$0]) }
        }
    }

    private mutating func new(
        _ model: String, in state: PlainState, _ tag: String, at time: Double
    ) -> (PlainPlace, PlainFields)? {
        guard let record = record(model, state, at: time) else { return nil }
        if model == "Slip" {
            return (PlainPlace(model: model, key: [pick(["x", "y", "z"]) ?? "x", "\(below(6))"]), record)
        }
        serial += 1
        let isOwn = chance(90) || keepsExpiry && model == "Permit"
        return (PlainPlace(model: model, key: [isOwn ? "\(tag)\(serial)" : "same\(below(3))"]), record)
    }

    private mutating func changed(_ place: PlainPlace, _ state: PlainState, at time: Double) -> PlainFields? {
        guard var record = state[place], let other = self.record(place.model, state, at: time) else { return nil }
        for name in other.keys.sorted()
        where name != "changed" && chance(30) && !(keepsExpiry && name == "until") {
            if case .list(let lines)? = record[name] {
                record[name] = .list(self.lines(lines))
            } else {
                record[name] = other[name]
            }
        }
        return version.seen(record, of: place.model)
    }

    /// A set of records that may exchange unique values and lose their parents.
    private mutating func set(_ state: PlainState, _ tag: String, at time: Double) -> PlainWrite? {
        var puts: [PlainPlace: PlainFields] = [:]
        let stock = state.places(of: "Stock").shuffled(using: &random)
        if stock.count > 1, chance(60) {
            let (first, second) = (stock[0], stock[1])
            (puts[first], puts[second]) = (state[first], state[second])
            puts[first]?["code"] = state[second]?["code"]
            puts[second]?["code"] = state[first]?["code"]
        }
        if let (place, record) = new(chance(50) ? "Depot" : "Stock", in: state, tag, at: time) { puts[place] = record }
        var removed: Set<PlainPlace> = []
        if chance(50), let place = pick(state.places(of: pick(["Depot", "Stock", "Slip"]) ?? "Slip")),
            puts[place] == nil
        {
            removed.insert(place)
        }
        return puts.isEmpty && removed.isEmpty ? nil : .replace(puts, removing: removed)
    }

    // MARK: Records

    private mutating func record(_ model: String, _ state: PlainState, at time: Double) -> PlainFields? {
        whole(model, state, at: time).map { version.seen($0, of: model) }
    }

    private mutating func whole(_ model: String, _ state: PlainState, at time: Double) -> PlainFields? {
        let depots = state.places(of: "Depot").map(\.key)
        let text = PlainContent.scalar(.text("t\(below(50))"))
        let code = PlainContent.scalar(chance(40) ? .text("c\(below(7))") : .null)
        let depot = PlainContent.reference(chance(60) ? pick(depots) : nil)
        switch model {
        case "Depot": return ["name": text, "code": code]
        case "Stock": return stock(code, depot, of: depots)
        case "Slip":
            guard let stock = pick(state.places(of: "Stock")) else { return nil }
            var fields: PlainFields = ["text": text, "stock": .reference(stock.key), "depot": .reference(nil)]
            if chance(30) { fields["depot"] = depot }
            let before = chance(50) ? pick(state.places(of: "Slip")) : nil
            fields["before"] = .reference(before?.key)
            return fields
        default:
            let until = Value.double((time + Double(below(40))).rounded(.down) + 0.5)
            return ["text": text, "until": .scalar(chance(30) ? .null : until)]
        }
    }

    private mutating func stock(
        _ code: PlainContent, _ depot: PlainContent, of depots: [[String]]
    ) -> PlainFields {
        var fields: PlainFields = ["code": code, "depot": depot, "changed": .scalar(.null)]
        for name in ["a", "b"] { fields[name] = .scalar(.int(Int64(below(9)))) }
        let tags = (0..<below(3)).map { "\"t\($0)\"" }.joined(separator: ",")
        fields["tags"] = .scalar(.text("[" + tags + "]"))
        fields["label"] = .owned(chance(50) ? label() : nil)
        fields["lines"] = .list(lines([]))
        var also: [[String]] = []
        for key in depots where chance(30) { also.append(key) }
        fields["also"] = .references(also)
        let gone = ["gone\(below(3))"]
        fields["former"] = .reference(chance(30) ? gone : pick(depots))
        return fields
    }

    private mutating func label() -> PlainOwned { ["text": .text("l\(below(9))"), "count": .int(Int64(below(9)))] }

    private mutating func lines(_ old: [PlainOwned]) -> [PlainOwned] {
        var lines = old.filter { _ in chance(80) }
        for index in lines.indices {
            if chance(40) { lines[index]["count"] = .int(Int64(below(99))) }
            if chance(20) { lines[index]["text"] = .text("l\(below(99))") }
        }
        // Some have the same key, so that the array is one value.
        let line: PlainOwned = ["id": .text("l\(below(5))"), "text": .text(""), "count": .int(Int64(below(99)))]
        if chance(50), chance(5) || !lines.contains(where: { $0["id"] == line["id"] }) { lines.append(line) }
        return lines
    }
}
