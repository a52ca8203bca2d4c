internal import Foundation
internal import StorageAPI
internal import StorageDriver

/// The surroundings of a store: its backups, another store at its place, and the remains of its files when their end is
/// lost.
final class Besides {
    private let place: TrialPlace
    private let models: [any Storable.Type]
    /// A store at the same place that stays open.
    private var other: Store?
    /// The file that grows, as it was before the program.
    private var start: GrowingFile?

    init(_ place: TrialPlace, _ models: [any Storable.Type]) {
        self.place = place
        self.models = models
    }

    /// Called before a program, on the emptied store.
    func begin() { start = place.growingFile().flatMap(GrowingFile.init) }

    /// Before the store is closed.
    func close() async throws {
        try await other?.close()
        other = nil
    }

    /// True if there is another store that may have written.
    var hasWriter: Bool { other != nil }

    /// Another store at the same place; nil if no other can write.
    func writer(at store: Store) async throws -> Store? {
        guard store.info.has(.sharing), store.info.has(.durability) else { return nil }
        let other = if let other { other } else { try await Store(place.backend(), models: models) }
        self.other = other
        return other
    }

    /// Returns a description of the mistake; nil without one, and if the step does not apply.
    ///
    /// - Parameter steps: what the store has done since the program began.
    func mistake(_ look: Step.Look, of store: Store, after steps: some Sequence<Step>) async throws -> String? {
        switch look {
        case .backup:
            guard store.engine(as: (any BackupEngine).self) != nil else { return nil }
            return try await withCopy { path, open in
                try await store.backUp(to: path, replacing: true)
                let copy = try await open()
                let isSame = try contents(copy) == contents(store)
                try await copy.close()
                return isSame ? nil : "A backup has other contents than the store."
            }
        case .beside:
            let backend = store.info.has(.sharing) ? try await place.backend() : place.follower()
            guard let backend, store.info.has(.durability) else { return nil }
            let other = if let other { other } else { try await Store(backend, models: models) }
            self.other = other
            return try contents(other) == contents(store) ? nil : "A store beside has other contents than the store."
        case .cut(let number):
            guard let file = place.growingFile(), let start, let now = GrowingFile(file) else { return nil }
            // What was there before is lost only if the file was rewritten.
            let minimum = start.number == now.number ? start.size : 0
            let kept = minimum + Int(number % UInt64(max(now.size - minimum, 0) + 1))
            return try await withCopy { path, open in
                try Data(contentsOf: file).prefix(kept).write(to: URL(fileURLWithPath: path))
                return try await mistake(of: open, after: steps, isFound: minimum == 0)
            }
        }
    }

    /// Returns a description of the mistake in a store whose file was cut.
    ///
    /// - Parameter isFound: whether it may be found to be damaged.
    private func mistake(
        of open: () async throws -> Store, after steps: some Sequence<Step>, isFound: Bool
    ) async throws -> String? {
        let found: String
        do {
            let cut = try await open()
            found = try contents(cut)
            try await cut.close()
        } catch let error as StorageError {
            return isFound && error.code == .corrupt ? nil : "A file that was cut does not open: \(error)"
        }
        guard !ExpectedRun.contents(of: steps).contains(found) else { return nil }
        return "A file that was cut has contents that the store never had:\n\(found)"
    }

    private func contents(_ store: Store) throws -> String { try ContentsOperation().run(on: store.blocking) }

    /// Gives the path of a store elsewhere, and opens what is there then.
    private func withCopy<T>(
        _ body: (_ path: String, _ open: () async throws -> Store) async throws -> T
    ) async throws -> T {
        let place = try await place.another()
        let fresh = try await Store(place.backend())
        let path = fresh.info.location
        try await fresh.close()
        let result = try await body(path) { try await Store(place.backend(), models: models) }
        _ = try await place.destroy()
        return result
    }
}

/// A file at a time.
private struct GrowingFile {
    /// Another one if the file was rewritten.
    let number: Int
    let size: Int

    init?(_ file: URL) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let number = attributes[.systemFileNumber] as? Int, let size = attributes[.size] as? Int
        else { return nil }
        self.number = number
        self.size = size
    }
}
