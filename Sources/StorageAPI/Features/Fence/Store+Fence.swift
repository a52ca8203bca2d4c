public import StorageDriver

extension Store {
    /// A record in an internal table that closes the store to writers.
    public struct Fence: Hashable, Sendable {
        /// The address of the place where the store is now; nil while the store is being moved. Without a password, because
        /// errors show it.
        public var address: String?
        /// The name of the move that has closed the store. Only this move changes the record.
        public var move: String

        /// A fence of a move.
        public init(address: String? = nil, move: String) { (self.address, self.move) = (address, move) }
    }

    /// The record that closes the store to writers; nil for a store that takes writes.
    public nonisolated(nonsending) func fence() async throws(StorageError) -> Fence? {
        try await reads { () throws(StorageError) in
            try self.withReader("fence", .snapshot, seesExpired: true) { (reader) throws(StorageError) in
                try FenceRecord.recorded(in: reader)?.fence
            }
        }
    }

    /// Closes the store to writers, or changes the record of the same move.
    ///
    /// ```swift
    /// try await store.setFence(.init(address: "sqlite:/srv/2/acme.db", move: "2026-11"))
    /// ```
    ///
    /// From the commit of this call on, every write of every program fails with `moved`, also of programs that
    /// have the store open. Writes that were committed before are in the store. Reads go on, and show these.
    /// Programs of versions without fences refuse the store: `schemaNewer` when they open it, and `corrupt` if they have
    /// it open. They do so for good, also after ``removeFence(of:)``.
    ///
    /// - Throws: `conflict` if another move has closed the store.
    public nonisolated(nonsending) func setFence(_ fence: Fence) async throws(StorageError) {
        try await writing("fence", isPreceded: false) { context throws(StorageError) in
            let writer = try context.innerWriter()
            try self.requireFence(of: fence.move, in: writer)
            // Before the commit, because the next transaction may share it.
            self.features.feature(WriterFence.self).expectRecord()
            try FenceRecord(fence).record(in: writer, self.registry.directory)
        }
    }

    /// Closes the store to writers for a move that takes the place of another one.
    ///
    /// - Parameter known: the record that the store has; nil for a store without one.
    /// - Throws: `conflict` if the store has another record by now.
    package nonisolated(nonsending) func setFence(
        _ fence: Fence, replacing known: Fence?
    ) async throws(StorageError) {
        try await writing("fence", isPreceded: false) { context throws(StorageError) in
            let writer = try context.innerWriter()
            guard try FenceRecord.recorded(in: writer)?.fence == known else { throw WriterFence.isOfAnother }
            self.features.feature(WriterFence.self).expectRecord()
            try FenceRecord(fence).record(in: writer, self.registry.directory)
        }
    }

    /// Opens the store to writers again. A store without a record stays as it is.
    ///
    /// - Throws: `conflict` if another move has closed the store.
    public nonisolated(nonsending) func removeFence(of move: String) async throws(StorageError) {
        try await writing("fence", isPreceded: false) { context throws(StorageError) in
            let writer = try context.innerWriter()
            try self.requireFence(of: move, in: writer)
            if let table = FenceRecord.table.find(in: try writer.tables()) { try writer.change(.drop(table)) }
        }
    }

    private func requireFence(of move: String, in writer: any StorageWriter) throws(StorageError) {
        if let known = try FenceRecord.recorded(in: writer), known.move != move { throw WriterFence.isOfAnother }
    }
}
