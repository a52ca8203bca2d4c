import ArchiveBackend
import Foundation
import StorageAPI
import StorageDriver

/// The bytes of an archive's file.
struct ArchiveFile: Fuzzed {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func test(_ bytes: [UInt8]) throws {
        try folder.empty()
        let path = folder.file("a.karch")
        try Data(bytes).write(to: URL(filePath: path))
        try StoreTrial(path).run()
    }
}

/// The entries of an archive's commits, as `STORE` separates them. Headers get the checksums, and commits the frames and
/// trailers, that belong to them: otherwise hardly an input would get past these.
struct ArchiveEntries: Fuzzed {
    private let folder: ScratchFolder

    init() throws { folder = try ScratchFolder() }

    func test(_ bytes: [UInt8]) throws {
        try folder.empty()
        var store = RawStore()
        for commit in bytes.split(separator: Array("\u{1}COMMIT\u{1}".utf8), omittingEmptySubsequences: true) {
            store.commit(contents: Self.checked(Array(commit)))
        }
        let path = folder.file("a.karch")
        try Data(store.bytes).write(to: URL(filePath: path))
        try StoreTrial(path).run()
    }

    /// The bytes with each header's checksum made right, and with the last entry made whole.
    private static func checked(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
        var start = 0
        while start + 512 <= bytes.count {
            bytes.replaceSubrange(start + 148..<start + 156, with: Array("        ".utf8))
            let octal = String(bytes[start..<start + 512].reduce(0) { $0 + Int($1) }, radix: 8)
            let check = String(repeating: "0", count: max(0, 6 - octal.utf8.count)) + octal + "\u{0} "
            bytes.replaceSubrange(start + 148..<start + 156, with: Array(check.utf8))
            let size = Int(String(decoding: bytes[start + 124..<start + 135], as: UTF8.self), radix: 8) ?? 0
            guard size < bytes.count else { break }
            start += 512 + (size + 511) / 512 * 512
        }
        return bytes
    }
}

/// The operations on a store that may be damaged.
private struct StoreTrial {
    private let path: String
    /// The errors that opening and reading a damaged store may throw.
    private static let refusals: Set<StorageError.Code> = [
        .corrupt, .schemaNewer, .schemaMismatch, .typeMismatch, .limitExceeded,
    ]

    init(_ path: String) { self.path = path }

    func run() throws {
        _ = try allowing(Self.refusals) { try contents(.salvage) }
        let shown = try allowing(Self.refusals) { try contents(.readOnly) }
        guard let written = try allowing(Self.refusals.union([.configuration]), { try written() }) else { return }
        let reopened = try contents(.readWrite)
        require(reopened == written, "a store that took a record is another when it is opened again")
        if let shown { require(shown.isSubset(of: reopened), "writing a record has lost others") }
    }

    private func store(_ access: ArchiveBackend.Access) async throws -> Store {
        try await Store(ArchiveBackend(path: path, durability: .relaxed, compaction: .manual, access: access))
    }

    /// All records; each can be read, or the store says why not.
    private func contents(_ access: ArchiveBackend.Access) throws -> Set<DynamicRecord> {
        try wait {
            let store = try await store(access)
            return try await contents(of: store)
        }
    }

    private func contents(of store: Store) async throws -> Set<DynamicRecord> {
        do {
            var records: Set<DynamicRecord> = []
            for schema in try await store.recordSchemas() {
                for try await record in store.records(schema.name).stream() { records.insert(record) }
            }
            try await store.verify { _ in }
            try await store.close()
            return records
        } catch {
            try await store.close()
            throw error
        }
    }

    /// The records after one more is stored.
    private func written() throws -> Set<DynamicRecord> {
        try wait {
            let store = try await store(.readWrite)
            do {
                let model = RecordSchema(
                    name: "Fuzzed", properties: [.init(name: "id", kind: .column(.string), isKey: true)])
                try await store.prepare([model])
                let key = DynamicRecord.Field(name: "id", content: .value(.text("one more"), .string))
                try await store.save(DynamicRecord(model: "Fuzzed", fields: [key]))
            } catch {
                try await store.close()
                throw error
            }
            return try await contents(of: store)
        }
    }
}
