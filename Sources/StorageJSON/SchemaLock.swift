public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Store {
    /// The schema of a program's models as a text file, which is kept and reviewed with the program's source.
    ///
    /// A test of the program compares the file with the types. Where they differ, the test fails and shows what opening a store of
    /// the file's schema with the types would change: the plan that production will run.
    ///
    /// ```swift
    /// try await Store.SchemaLock.check("Schema.lock", against: [Person.self], in: InMemoryBackend())
    /// ```
    ///
    /// The file has a line for each property, and a digest of all of them. So two branches that both change the schema conflict in
    /// git, whatever lines they change, and a file that was merged by hand is refused.
    public struct SchemaLock: Hashable, Sendable {
        /// The models in the order of their names, each with its properties in the order of theirs.
        ///
        /// The order in which properties are declared or were added is not a part of a schema. The properties of a key, and the
        /// parts of a reference, keep theirs.
        public let models: [RecordSchema]

        /// The lock of models, as `Store/recordSchemas()` returns them.
        public init(_ models: [RecordSchema]) { self.models = models.map(\.inOrder).sorted { $0.name < $1.name } }

        /// The lock of a program's types, and of those that they refer to.
        ///
        /// - Parameters:
        ///   - types: the models.
        ///   - backend: an engine for an empty store, which is closed again: `InMemoryBackend()`.
        /// - Throws: `configuration` if a model cannot be stored, or if the backend's store is not empty.
        public init(of types: [any Storable.Type], in backend: some StorageBackend) async throws(StorageError) {
            let store = try await Self.emptyStore(backend)
            do throws(StorageError) {
                try await store.prepare(types)
                self.init(try await store.recordSchemas())
            } catch {
                try? await store.close()
                throw error
            }
            try await store.close()
        }

        /// The changes that opening a store of this schema with types would make. Reads no data: of steps that depend on what is
        /// stored, `Store/plan(for:)-([Storable.Type])` tells those that would fail.
        ///
        /// - Parameters:
        ///   - types: the models.
        ///   - backend: an engine for an empty store, which is closed again: `InMemoryBackend()`.
        /// - Throws: `configuration` as `init(of:in:)`; `schemaMismatch` for a change that is impossible.
        public func plan(
            for types: [any Storable.Type], in backend: some StorageBackend
        ) async throws(StorageError) -> [Store.SchemaChange] {
            let store = try await Self.emptyStore(backend)
            let changes: [Store.SchemaChange]
            do throws(StorageError) {
                try await store.prepare(models)
                changes = try await store.plan(for: types)
            } catch {
                try? await store.close()
                throw error
            }
            try await store.close()
            return changes
        }

        /// Compares a file with a program's types.
        ///
        /// - Parameters:
        ///   - path: the file's path, relative to the working directory.
        ///   - types: the models.
        ///   - backend: makes an engine for an empty store, which is closed again: `InMemoryBackend()`. It is made for each use.
        ///   - writesAnew: whether a file that differs, or does not exist, is rewritten instead.
        /// - Throws: `schemaMismatch`, with the plan in its message, if they differ; `corrupt` for a file that was not written by
        ///   `text`; `io` if it cannot be read or written; `configuration` as `init(of:in:)`.
        public static func check(
            _ path: String, against types: [any Storable.Type], in backend: @autoclosure () -> some StorageBackend,
            writesAnew: Bool = false
        ) async throws(StorageError) {
            let declared = try await SchemaLock(of: types, in: backend())
            if writesAnew { return try declared.write(to: path) }
            let lock = try SchemaLock(contentsOf: path)
            guard lock != declared else { return }
            let plan = try await lock.plan(for: types, in: backend()).map { "  \($0)" }
            // What no store has to do anything for is a difference too.
            let steps = plan.isEmpty ? ["  nothing; the recorded schema alone differs"] : plan
            throw StorageError(
                .schemaMismatch,
                "The models are not those of \(path). Opening a store of that schema would:\n"
                    + steps.joined(separator: "\n")
                    + "\nIf this is meant, write the file anew, and have the change reviewed.")
        }

        // MARK: Files

        /// Reads a file.
        ///
        /// - Throws: `io` if it cannot be read; `corrupt` as `init(text:)`.
        public init(contentsOf path: String) throws(StorageError) {
            let data: Data
            do {
                data = try Data(contentsOf: URL(fileURLWithPath: path))
            } catch {
                throw StorageError(.io, "The file \(path) cannot be read. Write it first.", underlying: error)
            }
            do throws(StorageError) {
                try self.init(text: String(decoding: data, as: UTF8.self))
            } catch {
                throw error.with { $0.message = "\(path): \($0.message)" }
            }
        }

        /// Writes the file, or replaces it.
        ///
        /// - Throws: `io`.
        public func write(to path: String) throws(StorageError) {
            do {
                try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                throw StorageError(.io, "The file \(path) cannot be written.", underlying: error)
            }
        }

        private static func emptyStore(_ backend: some StorageBackend) async throws(StorageError) -> Store {
            let store = try await Store(backend)
            guard try await store.schema().isEmpty else {
                try await store.close()
                throw StorageError(.configuration, "The store has models already; give a backend of an empty one.")
            }
            return store
        }
    }
}

extension RecordSchema {
    /// The schema with its properties in the order of their names: first those of the key, and the parts of each reference
    /// together.
    fileprivate var inOrder: RecordSchema {
        var groups: [[Property]] = []
        for property in properties.map(\.inOrder) {
            if (property.reference?.part ?? 0) > 0, !groups.isEmpty {
                groups[groups.count - 1].append(property)
            } else {
                groups.append([property])
            }
        }
        let keys = groups.filter { $0[0].isKey }
        let others = groups.filter { !$0[0].isKey }.sorted { $0[0].name < $1[0].name }
        var schema = self
        schema.properties = (keys + others).flatMap(\.self)
        return schema
    }
}

extension RecordSchema.Property {
    fileprivate var inOrder: RecordSchema.Property {
        var property = self
        property.renamedFrom = nil
        switch kind {
        case .child(let child): property.kind = .child(child.inOrder)
        case .children(let child): property.kind = .children(child.inOrder)
        case .column, .ancestor: break
        }
        return property
    }
}

extension Store {
    /// The lock of the models that the store has recorded, without views of other software.
    public nonisolated(nonsending) func schemaLock() async throws(StorageError) -> SchemaLock {
        SchemaLock(try await recordSchemas().filter { !$0.isReadOnly })
    }
}
