import StorageAPI
import StorageDriver

extension Hub {
    /// The most records of a page.
    private static let pageSize = 1024

    /// Some records of a model in the order of their keys, with the token of their snapshot.
    ///
    /// A part of a model is found by reading all its records.
    func page(_ request: PageRequest, _ question: [UInt8], _ user: String?) async throws(StorageError) -> PageAnswer {
        try requireReadable([request.model], user)
        let rules = rules
        return try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            var size = Self.pageSize
            let query = snapshot.records(request.model)
            let isPart = rules.parts[request.model] != nil
            let total = request.after == nil && !isPart ? try query.count() : 0
            while true {
                var page = try Self.page(query, request, size)
                var next = page.next
                let records = page.records.filter { rules.isReadable($0, by: user) }
                let bytes = records.reduce(0) { $0 + $1.roughSize }
                if bytes > SyncFrame.fill, size > 1 {
                    size = max(size / 4, 1)
                    continue
                }
                // A full page may be the last one.
                while isPart, records.isEmpty, let token = next {
                    page = try query.page(after: token, size: Self.pageSize)
                    if page.records.contains(where: { rules.isReadable($0, by: user) }) { break }
                    next = page.next
                }
                return PageAnswer(
                    question: question, token: try snapshot.historyToken(), total: total, next: next?.description,
                    records: records)
            }
        }
    }

    private static func page(
        _ query: Select<DynamicRecord, Store.Session>, _ request: PageRequest, _ size: Int
    ) throws(StorageError) -> Store.Page<DynamicRecord> {
        guard let after = request.after else { return try query.page(size: size) }
        guard let token = Store.PageToken(after) else {
            throw StorageError(.invalidValue, "The place of a page cannot be read; begin with the first page.")
        }
        return try query.page(after: token, size: size)
    }
}
