import Foundation
public import StorageAPI

/// The store that the pages show. Where its file is replaced by another while pages are open, it is opened again.
public actor ShownStore {
    /// The store's name for a person: the name of its file or database.
    nonisolated let name: String
    private let path: String?
    private let open: @Sendable () async throws -> Store
    private var shown: (store: Store, file: FileIdentity?)?
    private var opening: Task<Store, any Error>?

    /// - Parameters:
    ///   - name: the store's name for a person, without a password.
    ///   - path: its file; nil if it is not a file.
    ///   - open: opens the store for reading.
    public init(name: String, path: String?, open: @escaping @Sendable () async throws -> Store) {
        self.name = name
        self.path = path
        self.open = open
    }

    /// The open store.
    ///
    /// - Throws: errors of opening; each call tries again.
    public func current() async throws -> Store {
        let file = path.flatMap(FileIdentity.init)
        if let shown, shown.file == file { return shown.store }
        if let opening { return try await opening.value }
        let old = shown?.store
        shown = nil
        let task = Task { [open] in
            // Requests that still read it fail because it is closed, and an open page asks again.
            try? await old?.close()
            return try await open()
        }
        opening = task
        defer { opening = nil }
        let store = try await task.value
        shown = (store, path.flatMap(FileIdentity.init))
        return store
    }

    /// Closes the store.
    public func close() async throws {
        try await shown?.store.close()
        shown = nil
    }
}

/// The identity of the file that a path names at the moment.
private struct FileIdentity: Equatable {
    let device: Int
    let number: Int

    /// Nil if no such file exists.
    init?(_ path: String) {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: path),
            let device = facts[.systemNumber] as? Int, let number = facts[.systemFileNumber] as? Int
        else { return nil }
        (self.device, self.number) = (device, number)
    }
}
