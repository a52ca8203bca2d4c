internal import StorageAPI

/// The behaviour that is required of a backend that declares that it lacks a capability (clause E4).
enum Refusal {
    static func check(_ capability: BackendInfo.Capability, _ reason: String, in trial: Trial) async throws {
        try trial.expect(!reason.isEmpty, "The capability \(capability.rawValue) is lacking without a reason.")
        switch capability {
        case .writing: try await writing(trial)
        case .concurrentReads: try await concurrentReads(trial)
        case .durability: try await durability(trial)
        case .sharing: try await sharing(trial)
        case .changingWhileReading: try await changingWhileReading(trial)
        // Nothing can be tested: undetected damage shows in no call, and what is not noticed may be read for other reasons. The
        // declarations by which a database changes rows come from other software.
        case .damageDetection, .foreignCommits, .knownChanges: break
        }
    }

    /// A write is unsupported, before any effect.
    private static func writing(_ trial: Trial) async throws {
        let store = try await trial.open()
        try await trial.expectError(.unsupported) { try await store.insert(Pen(id: 1)) }
    }

    /// A read that would wait for its own transaction throws instead.
    private static func concurrentReads(_ trial: Trial) async throws {
        let store = try await trial.open(Pen.self)
        try await trial.expectError(.busy) {
            try await store.transaction { _, _ in try store.blocking.all(Pen.self).count }
        }
    }

    /// The change is `busy`, and the read goes on. Afterwards the change is made.
    private static func changingWhileReading(_ trial: Trial) async throws {
        let first = try await trial.open(Versioned<Title>.self)
        let record = Versioned<Title>(1, "a")
        try await first.insert(record)
        let other = try await trial.open()
        try await first.read { snapshot in
            try trial.expect(try snapshot.all(Versioned<Title>.self), equals: [record])
            var refused: StorageError.Code?
            do {
                _ = try other.blocking.count(Versioned<NameFromTitle>.self)
            } catch let error as StorageError {
                refused = error.code
            }
            try trial.expect(refused, equals: StorageError.Code.busy)
            try trial.expect(try snapshot.all(Versioned<Title>.self), equals: [record])
        }
        try trial.expect(try await other.select(Versioned<NameFromTitle>.self).count(), equals: 1)
    }

    /// The reopened store is empty, or has everything that was committed, and never a part of it.
    private static func durability(_ trial: Trial) async throws {
        let store = try await trial.open(Pen.self)
        let pens = (1...10).map { Pen(id: $0) }
        try await store.insert(pens)
        try await store.close()
        let again = try await trial.open(Pen.self)
        let found = try await again.all(Pen.self)
        if !found.isEmpty { try trial.expect(found, equals: pens, "A reopened store has a part of a commit.") }
    }

    /// A second store at the place is refused with `locked`, or is independent.
    private static func sharing(_ trial: Trial) async throws {
        let store = try await trial.open(Pen.self)
        try await store.insert(Pen(id: 1))
        if trial.place.helper() != nil {
            let line = try trial.line(of: try trial.startHelper(.insert, 100))
            try trial.expect(line, equals: "error locked", "Another process is not refused.")
        }
        do {
            let second = try await trial.open(Pen.self)
            try trial.expect(
                try await second.all(Pen.self), equals: [Pen](),
                "Sharing is declared as lacking, and a second store sees the first one's records.")
        } catch let error as StorageError {
            try trial.expect(
                error.code, equals: StorageError.Code.locked, "A second store is refused with another error.")
        }
    }
}
