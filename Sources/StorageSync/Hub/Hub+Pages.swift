import StorageAPI
import StorageDriver

extension Hub {
    /// The number of records after which a page takes no further ones.
    private static let pageSize = 1024

    /// Some records of a model in the order of their keys, with the token of their snapshot.
    ///
    /// A part of a model is found by reading all its records.
    func page(_ request: PageRequest, _ question: [UInt8], for user: String?) async throws(StorageError) -> PageAnswer {
        try requireReadable([request.model], user)
        let (rules, readers) = (rules, HubRules.readers(user))
        return try await store.read { (snapshot: inout Store.Snapshot) throws(StorageError) in
            let now = try snapshot.historyToken()
            try self.requireOwn([request.latest].compactMap(\.self), at: now, in: snapshot)
            let query = snapshot.records(request.model)
            let isPart = rules.parts[request.model] != nil
            let total = request.after == nil && !isPart ? try query.count() : 0
            var (next, all) = (request.after, [DynamicRecord]())
            var (size, portion) = (0, Portion(most: Self.pageSize, bytes: SyncFrame.fill / 4))
            while true {
                let left = Self.pageSize - all.count
                let page = try Self.page(query, after: next, size: min(portion.count, left))
                let read = page.records.reduce(0) { $0 + $1.roughSize }
                let records = isPart ? page.records.filter { rules.isReadable($0, by: readers) } : page.records
                let bytes = isPart ? records.reduce(0) { $0 + $1.roughSize } : read
                portion.adapt(to: read)
                // A message with more than one record has room for all of them.
                if size + bytes > SyncFrame.limit / 2, records.count + all.count > 1 {
                    if !all.isEmpty { break }
                    continue
                }
                all += records
                next = page.next?.description
                size += bytes
                guard next != nil, all.count < Self.pageSize, size < SyncFrame.fill else { break }
            }
            return PageAnswer(question: question, token: now, total: total, next: next, records: all)
        }
    }

    private static func page(
        _ query: Select<DynamicRecord, Store.Session>, after: String?, size: Int
    ) throws(StorageError) -> Store.Page<DynamicRecord> {
        guard let after else { return try query.page(size: size) }
        guard let token = Store.PageToken(after) else {
            throw StorageError(.invalidValue, "The place of a page cannot be read; begin with the first page.")
        }
        return try query.page(after: token, size: size)
    }
}
