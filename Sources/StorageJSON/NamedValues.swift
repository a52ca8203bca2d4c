public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// Values that are kept under names, such as settings, the state of a window or the last answer of a server.
    ///
    /// ```swift
    /// try await store.named.save(["theme": "dark"], as: "settings")
    /// let settings = try await store.named.value([String: String].self, "settings")
    /// ```
    ///
    /// A value is `Codable`, a model, or an array of models. It is kept as JSON: what `Codable` encodes, or the model by its
    /// schema. All are records of one model, `StorageNamedValue`, in the same store: they are copied, backed up and verified
    /// with it.
    public var named: Named { Named(store: self) }

    /// The values of a store that have names; see `Store/named`.
    public struct Named: Sendable {
        let store: Store

        /// Keeps a value under a name, in place of the one that had it.
        ///
        /// - Parameters:
        ///   - value: the value. Its JSON is as large as the engine takes for one value.
        ///   - name: any text that can be a key.
        ///   - expiry: the time at which the value expires; nil for never. Each save removes expired values.
        /// - Throws: `invalidValue` for a value that cannot be encoded; errors of a save.
        @_disfavoredOverload
        public nonisolated(nonsending) func save<V: Codable & Sendable>(
            _ value: V, as name: String, expires expiry: Date? = nil
        ) async throws(StorageError) {
            let encoded: Value
            do {
                encoded = try EmbeddedCoding.value(of: [value])
            } catch {
                throw StorageError(
                    .invalidValue, "The value cannot be encoded as JSON.", operation: "save", model: NamedValue.name,
                    key: [.text(name)], underlying: error)
            }
            guard case .text(let json) = encoded else { return }
            try await keep(json, name: name, expiry: expiry)
        }

        /// Keeps a model under a name, with everything that it owns.
        public nonisolated(nonsending) func save<M: Storable>(
            _ value: M, as name: String, expires expiry: Date? = nil
        ) async throws(StorageError) { try await save([value], as: name, expires: expiry) }

        /// Keeps models under a name, in their order.
        public nonisolated(nonsending) func save<M: Storable>(
            _ values: [M], as name: String, expires expiry: Date? = nil
        ) async throws(StorageError) {
            try await keep(String(decoding: try values.json(), as: UTF8.self), name: name, expiry: expiry)
        }

        /// The value under a name; nil if none exists, or if it has expired.
        ///
        /// - Throws: `typeMismatch` for a value of another type; errors of a lookup.
        @_disfavoredOverload
        public nonisolated(nonsending) func value<V: Codable & Sendable>(
            _: V.Type, _ name: String
        ) async throws(StorageError) -> V? {
            guard let json = try await json(name) else { return nil }
            do {
                return try Value.text(json).withCell { try EmbeddedCoding.decode([V].self, from: $0) }?.first
            } catch {
                throw mismatch(name, type: "\(V.self)", error: error)
            }
        }

        /// The model under a name; nil if none exists, or if it has expired.
        public nonisolated(nonsending) func value<M: Storable>(
            _: M.Type, _ name: String
        ) async throws(StorageError) -> M? { try await value([M].self, name)?.first }

        /// The models under a name; nil if none exist, or if they have expired.
        public nonisolated(nonsending) func value<M: Storable>(
            _: [M].Type, _ name: String
        ) async throws(StorageError) -> [M]? {
            guard let json = try await json(name) else { return nil }
            do {
                return try M.models(json: Data(json.utf8))
            } catch {
                throw mismatch(name, type: "\(M.self)", error: error)
            }
        }

        /// The names of the values that have not expired, in their order.
        public nonisolated(nonsending) func names() async throws(StorageError) -> [String] {
            let now = store.clock()
            return try await store.select(NamedValue.self).order { $0.name.ascending }.all()
                .filter { !$0.hasExpired(now) }.map(\.name)
        }

        /// Removes the value under a name.
        ///
        /// - Returns: whether there was one.
        @discardableResult
        public nonisolated(nonsending) func remove(_ name: String) async throws(StorageError) -> Bool {
            try await store.delete(NamedValue.self, key: name) > 0
        }

        private nonisolated(nonsending) func keep(
            _ json: String, name: String, expiry: Date?
        ) async throws(StorageError) {
            let value = NamedValue(name: name, json: json, expiry: expiry)
            let now = store.clock()
            try await store.transaction { tx throws(StorageError) in
                _ = try tx.delete(NamedValue.self).where { $0.expiry <= now }.run()
                try tx.save(value)
            }
        }

        private nonisolated(nonsending) func json(_ name: String) async throws(StorageError) -> String? {
            guard let value = try await store.find(NamedValue.self, key: name), !value.hasExpired(store.clock()) else {
                return nil
            }
            return value.json
        }

        private func mismatch(_ name: String, type: String, error: any Error) -> StorageError {
            StorageError(
                .typeMismatch, "The value is no \(type); ask for the type that was saved.", operation: "find",
                model: NamedValue.name, key: [.text(name)], underlying: error)
        }
    }
}

/// The record of a value with a name. Its JSON is an array, so that it is one for every value.
private struct NamedValue: Storable {
    static let name = "StorageNamedValue"

    var name: String
    var json: String
    var expiry: Date?

    typealias Key = String

    static var schema: ModelSchema {
        ModelSchema(
            name,
            [
                Property("name", String.self, .key), Property("json", String.self), Property("expiry", Date?.self),
            ])
    }

    init(name: String, json: String, expiry: Date?) { (self.name, self.json, self.expiry) = (name, json, expiry) }

    init(reading row: inout RowReader) throws(StorageError) {
        name = try row.read(String.self)
        json = try row.read(String.self)
        expiry = try row.read(Date?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(name)
        row.write(json)
        row.write(expiry)
    }

    func writeKey(into row: inout RowWriter) { row.write(name) }

    func hasExpired(_ now: Date) -> Bool { expiry.map { $0 <= now } ?? false }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var name: QueryExpression<String> { .init(_propertyPath, 0) }
        var expiry: QueryExpression<Date?> { .init(_propertyPath, 2) }
    }
}

extension Value {
    /// The value as a cell, valid in the closure.
    fileprivate func withCell<T>(_ body: (Cell) throws -> T) rethrows -> T {
        let cells = ValueCells(ValueList(width: 1, values: [self]))
        defer { withExtendedLifetime(cells) {} }
        return try body(cells.cells[0])
    }
}
