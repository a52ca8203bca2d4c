import ArchiveBackend
import Foundation
import SQLiteBackend
import StorageKit
import TestSupport
import Testing

@Suite("Checked backups")
struct CheckedBackupTests {
    /// Opens a file as the backend does, for reading.
    private func open(_ path: String, _ backend: Backend) async throws(StorageError) -> Store {
        let scheme = backend == .sqlite ? "sqlite" : "archive"
        return try await Store(
            url: "\(scheme):\(path)?readonly=true", backends: [SQLiteBackend.self, ArchiveBackend.self])
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `a backup that was written beside a writer is compared by its history`(_ backend: Backend) async throws {
        try await withFolder { folder in
            let store = try await backend.open(in: folder, history: .init(records: [Ticket.self]))
            try await store.insert((1...200).map { (id: Int) in Ticket(id: id, title: "", code: "\(id)") })
            let path = folder.appending(path: "backup").path
            let writer = Task {
                var number = 0
                while !Task.isCancelled {
                    number += 1
                    let id = number % 200 + 1
                    try await store.save(Ticket(id: id, title: "\(number)", code: "\(id)"))
                }
            }
            for _ in 0..<4 {
                let checked = try await store.backUp(to: path, replacing: true) { path throws(StorageError) in
                    try await open(path, backend)
                }
                expect(checked.models.map(\.records), equals: [200])
                expect(checked.changedMeanwhile, equals: [])
            }
            writer.cancel()
            do { try await writer.value } catch let error as StorageError where error.code == .cancelled {}
            let checked = try await store.backUp(to: path, replacing: true) { path throws(StorageError) in
                try await open(path, backend)
            }
            try await expect(checked.models, equals: store.digests())
            try await store.close()
        }
    }

    @Test(arguments: [Backend.sqlite, .archive])
    func `a backup that differs gets no name, and the earlier one stays`(_ backend: Backend) async throws {
        try await withFolder { folder in
            try await withStore(backend) { store in
                try await store.insert(Branchlet.tree(1, 1))
                let (first, path) = (folder.appending(path: "first").path, folder.appending(path: "backup").path)
                try await store.backUp(to: first)
                try await store.backUp(to: path)
                let before = try Data(contentsOf: URL(filePath: path))
                try await store.insert(Branchlet.tree(2, 1))
                // Another file than the one that was written.
                let error = await expectError(.corrupt) {
                    try await store.backUp(to: path, replacing: true) { _ throws(StorageError) in
                        try await open(first, backend)
                    }
                }
                expect(error?.model, equals: "Branchlet")
                await expectError(.io) {
                    try await store.backUp(to: path) { path throws(StorageError) in try await open(path, backend) }
                }
                await expectError(.busy) {
                    try await store.backUp(to: path, replacing: true) { _ throws(StorageError) in
                        throw StorageError(.busy, "The closure fails.")
                    }
                }
                try expect(Data(contentsOf: URL(filePath: path)), equals: before)
                try expect(
                    FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasSuffix(".tmp") })
            }
        }
    }

    @Test
    func `a store without files has none to check`() async throws {
        try await withStore(.memory) { store in
            await expectError(.unsupported) {
                try await store.backUp(to: "/tmp/never") { path throws(StorageError) in try await open(path, .sqlite) }
            }
        }
    }
}
