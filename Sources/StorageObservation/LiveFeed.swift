import StorageAPI
import StorageDriver

/// Reads the records of a live query, off the main actor.
struct LiveFeed<Model: Storable>: Sendable {
    struct Step: Sendable {
        let records: [Model]
        let difference: RecordDifference<Model>
        let hasMore: Bool
    }

    let query: Select<Model, Store>
    /// The number of records that are shown at most; nil for all.
    let window: Int?
    /// The records that are shown at the beginning.
    let before: [Model]

    /// Gives each step until the store is closed or the task is cancelled.
    func run(_ show: @Sendable (Step) async -> Void) async throws(StorageError) {
        if let window { try await runPage(window, show) } else { try await runAll(show) }
    }

    private func runAll(_ show: @Sendable (Step) async -> Void) async throws(StorageError) {
        var former: [Model]? = before
        for try await step in query.updates() {
            let difference = former.map { query.difference(from: $0, to: step.records) } ?? step.difference
            former = nil
            await show(Step(records: step.records, difference: difference, hasMore: false))
        }
    }

    private func runPage(_ window: Int, _ show: @Sendable (Step) async -> Void) async throws(StorageError) {
        var former = before
        var hadMore: Bool?
        // One more than is shown says whether there are more.
        let most = query.selection.limit.map { min($0, window + 1) } ?? window + 1
        for try await records in query.limit(most).values() {
            let page = records.count > window ? Array(records.prefix(window)) : records
            let difference = query.difference(from: former, to: page)
            let hasMore = records.count > window
            // The record after the page may be all that has changed.
            if difference.isEmpty, hadMore == hasMore { continue }
            (former, hadMore) = (page, hasMore)
            await show(Step(records: page, difference: difference, hasMore: hasMore))
        }
    }
}
