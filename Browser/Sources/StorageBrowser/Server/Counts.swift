import StorageAPI

/// The number of records of each model. A page shows the latest known counts and is notified when they change.
actor Counts {
    private let feed: Feed
    private var known: [String: Int] = [:]
    private var counted: (store: Store, end: ContinuousClock.Instant, time: Duration, generation: Int)?
    private var counting: Task<Void, Never>?

    /// A page waits for a count that took less the last time.
    private static let quick = Duration.milliseconds(20)

    init(_ feed: Feed) { self.feed = feed }

    /// The numbers, by model. Counts for each page if that is quick. Otherwise it counts once, and then beside the page if the
    /// store has changed or is not observed; counting takes a twentieth of the time at most.
    func current(_ store: Store, _ schemas: [RecordSchema]) async -> [String: Int] {
        let generation = await feed.generation
        guard let counted, counted.store === store else {
            known = [:]
            await count(store, schemas)
            return known
        }
        if counted.time < Self.quick, counting == nil {
            await count(store, schemas)
            return known
        }
        let isOld = counted.generation != generation || ContinuousClock.now - counted.end > .seconds(1)
        if isOld, counting == nil {
            counting = Task {
                try? await Task.sleep(until: counted.end + counted.time * 20)
                await self.count(store, schemas)
                counting = nil
            }
        }
        return known
    }

    private func count(_ store: Store, _ schemas: [RecordSchema]) async {
        let before = known
        var generation: Int
        repeat {
            generation = await feed.generation
            let start = ContinuousClock.now
            known = await Self.numbers(store, schemas)
            counted = (store, .now, .now - start, generation)
            // A program that writes all the time would keep this counting.
            if await feed.generation != generation { try? await Task.sleep(for: (.now - start) * 20) }
        } while await feed.generation != generation && !before.isEmpty && known == before
        if !before.isEmpty, before != known { await feed.tell() }
    }

    /// Not on the actor, which would keep other pages waiting. A model that cannot be counted has no number.
    private static nonisolated func numbers(_ store: Store, _ schemas: [RecordSchema]) async -> [String: Int] {
        await Task.detached {
            var found: [String: Int] = [:]
            for schema in schemas { found[schema.name] = try? await store.records(schema.name).count() }
            return found
        }.value
    }
}
