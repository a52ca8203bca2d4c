public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// Reports the progress of a call that stores JSON: the number of records so far, and the part of the input that is
    /// read, from 0 to 1.
    public typealias JSONProgress = @Sendable (_ records: Int, _ fraction: Double) -> Void

    /// Stores the records of JSON, whether or not their keys are stored already: an array of objects, one object, or
    /// an object on each line. All of them in one transaction, or none.
    ///
    /// ```swift
    /// try await store.save(json: data, as: Person.self, options: .init(at: "data.items"))
    /// ```
    ///
    /// The model is the only type that is needed: see `Storable/init(json:at:dates:lenient:)`. A reference is the key of
    /// its record, or an object that has the key.
    ///
    /// - Parameters:
    ///   - json: UTF-8 text of RFC 8259.
    ///   - model: the records' type.
    ///   - options: the place and the form of the records, and the stored ones that they replace.
    ///   - progress: called after each part that is stored.
    /// - Returns: the number of stored records.
    /// - Throws: `invalidValue` with the index of the element, the place in the JSON and the property; `missingKey` for
    ///   a record without a key if it is merged by its key; `limitExceeded` for one of more than 64 MiB; `cancelled`; errors of
    ///   `save(_:)-([M])`. Nothing is stored if it throws.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        json: Data, as model: M.Type, options: JSONOptions<M> = JSONOptions<M>(), progress: JSONProgress? = nil
    ) async throws(StorageError) -> Int {
        let form = try SavedJSON<M>(options, progress)
        return try await transaction { tx throws(StorageError) in try tx.save(.data(json), form) }
    }

    /// Stores the records of a file of JSON, as `save(json:as:)` does. The file is read a mebibyte at a time.
    ///
    /// - Throws: also `io` for a file that cannot be read.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        jsonFile file: URL, as model: M.Type, options: JSONOptions<M> = JSONOptions<M>(),
        progress: JSONProgress? = nil
    ) async throws(StorageError) -> Int {
        let form = try SavedJSON<M>(options, progress)
        return try await transaction { tx throws(StorageError) in try tx.save(.file(file.path), form) }
    }

    /// Stores the records of JSON that arrives byte by byte, as `URLSession.AsyncBytes` gives it, as `save(json:as:)` does.
    ///
    /// The transaction begins when the last byte is there, so that nobody waits for a slow sender. Until then up to a
    /// mebibyte is kept in memory, and more in a temporary file.
    ///
    /// - Throws: also the sequence's own errors, unchanged, and `io` or `full` for the temporary file; `cancelled` also if the
    ///   sequence ends because the task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable, Bytes: AsyncSequence>(
        json bytes: Bytes, as model: M.Type, options: JSONOptions<M> = JSONOptions<M>(), progress: JSONProgress? = nil
    ) async throws -> Int where Bytes.Element == UInt8 {
        let form = try SavedJSON<M>(options, progress)
        return try await save(form) { spool in try await spool.receive(bytes: bytes) }
    }

    /// Stores the records of JSON that arrives in pieces of bytes, such as `Data`, `[UInt8]` or a server's buffers (of
    /// SwiftNIO the `readableBytesView`), wherever they are cut; as `save(json:as:)` does.
    ///
    /// The transaction begins when the last piece is there, so that nobody waits for a slow sender. Until then up to a
    /// mebibyte is kept in memory, and more in a temporary file.
    ///
    /// - Throws: also the sequence's own errors, unchanged, and `io` or `full` for the temporary file; `cancelled` also if the
    ///   sequence ends because the task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable, Pieces: AsyncSequence>(
        json pieces: Pieces, as model: M.Type, options: JSONOptions<M> = JSONOptions<M>(),
        progress: JSONProgress? = nil
    ) async throws -> Int where Pieces.Element: Sequence<UInt8> {
        let form = try SavedJSON<M>(options, progress)
        return try await save(form) { spool in try await spool.receive(pieces: pieces) }
    }

    private nonisolated(nonsending) func save<M: Storable>(
        _ form: SavedJSON<M>, _ receive: (inout SpooledBytes) async throws -> Void
    ) async throws -> Int {
        var spool = SpooledBytes(named: "the JSON")
        try await receive(&spool)
        let input = try spool.contents()
        return try await transaction { tx throws(StorageError) in try tx.save(input, form) }
    }

    /// Stores the record of a dictionary, as JSON parsers return them; see
    /// `Storable/init(dictionary:at:dates:lenient:)`.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        dictionary: [String: Any], as model: M.Type, options: JSONOptions<M> = JSONOptions<M>()
    ) async throws(StorageError) -> Int {
        let json = Data(try JSONValue(dictionary, of: M.schema.name).text.utf8)
        return try await save(
            json: json, as: model, options: options)
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Stores the records of JSON, as `Store` does.
    @discardableResult
    public func save<M: Storable>(
        json: Data, as model: M.Type, options: Store.JSONOptions<M> = .init(), progress: Store.JSONProgress? = nil
    ) throws(StorageError) -> Int {
        try save(.data(json), SavedJSON<M>(options, progress))
    }

    /// Stores the records of a file of JSON, as `Store` does.
    @discardableResult
    public func save<M: Storable>(
        jsonFile file: URL, as model: M.Type, options: Store.JSONOptions<M> = .init(),
        progress: Store.JSONProgress? = nil
    ) throws(StorageError) -> Int {
        try save(.file(file.path), SavedJSON<M>(options, progress))
    }

    fileprivate func save<M: Storable>(_ source: InputBytes, _ form: SavedJSON<M>) throws(StorageError) -> Int {
        switch _session.target {
        case .store(let store):
            return try store.blocking.transaction { tx throws(StorageError) in try tx.save(source, form) }
        case .session(let context, _):
            return try context.savepoint { () throws(StorageError) in
                do throws(StorageError) {
                    return try form.save(source, context)
                } catch {
                    throw context.tracking(error)
                }
            }
        }
    }
}

/// Stores JSON as records of a model.
private struct SavedJSON<M: Storable>: Sendable {
    let path: String
    let dates: Property.DateForm?
    let isLenient: Bool
    let isMerging: Bool
    /// The properties by which stored records are found; none for the key.
    let matched: [Int]
    let progress: Store.JSONProgress?

    init(_ options: Store.JSONOptions<M>, _ progress: Store.JSONProgress?) throws(StorageError) {
        (path, dates, isLenient, isMerging) = (options.path, options.dates, options.isLenient, options.isMerging)
        (matched, self.progress) = (try M.ordinals(of: options.matching), progress)
    }

    func save(_ source: InputBytes, _ context: TransactionContext) throws(StorageError) -> Int {
        let json = try ModelJSON<M>(at: path, dates: dates, isLenient: isLenient)
        var count = 0
        let writing = try context.writing(.type(M.self))
        let graph = GraphWriter(writing.model, limits: writing.limits)
        func save(_ models: [M], first: Int, _ fraction: Double) throws(StorageError) {
            do throws(StorageError) {
                if matched.isEmpty {
                    try writing.put(models, .upsert, by: graph)
                } else {
                    _ = try writing.save(models, matching: matched)
                }
            } catch {
                throw error.with { $0.element = $0.element.map { first + $0 } }
            }
            count += models.count
            progress?(count, fraction)
        }
        if isMerging {
            try json.readParts(source.contents(named: "The JSON")) { part throws(StorageError) in
                let merged = try merged(part, json, context: context)
                try save(merged.models, first: part.first, part.fraction)
                if let failure = merged.failure { throw failure }
            }
        } else {
            try json.read(source.contents(named: "The JSON")) { part throws(StorageError) in
                try save(part.records, first: part.first, part.fraction)
            }
        }
        return count
    }

    /// The stored records with the given values; where none is stored, the records of the defaults. Where one cannot be
    /// made, those before it, and its error.
    private func merged(
        _ part: ModelJSON<M>.Part<DynamicRecord>, _ json: ModelJSON<M>, context: TransactionContext
    ) throws(StorageError) -> (models: [M], failure: StorageError?) {
        var (names, keys, failure) = try found(part, json, context: context)
        let wanted = Array(keys)
        let stored = try context.reading(.type(M.self)).find(M.self, keys: wanted.map(\.value))
        let found = zip(wanted, stored).filter { $1 != nil }
        var known: [[Value]: DynamicRecord] = [:]
        for (name, record) in zip(found.map(\.0.key), try json.rows.records(found.compactMap(\.1))) {
            known[name] = record
        }
        var result: [DynamicRecord] = []
        for (index, name) in names.enumerated() {
            do throws(StorageError) {
                // The same may come again.
                let record = try json.merged(part.records[index], into: name.flatMap { known[$0] }, part.first + index)
                if let name { known[name] = record }
                result.append(record)
            } catch {
                failure = error
                break
            }
        }
        func models(_ records: [DynamicRecord]) throws(StorageError) -> [M] {
            try json.placed(part.first, isSingle: part.isSingle) { () throws(StorageError) in
                try json.rows.models(records)
            }
        }
        do throws(StorageError) {
            return (try models(result), failure)
        } catch {
            guard let element = error.element, element < part.first + result.count else { throw error }
            return (try models(Array(result.prefix(element - part.first))), error)
        }
    }

    /// Returns the values by which the records are found, their key or other properties, nil for a record that nothing
    /// finds; and the keys of the stored records found. Where one cannot be looked for, the names of those before it,
    /// and its error.
    private func found(
        _ part: ModelJSON<M>.Part<DynamicRecord>, _ json: ModelJSON<M>, context: TransactionContext
    ) throws(StorageError) -> (names: [[Value]?], keys: [[Value]: [Value]], failure: StorageError?) {
        guard matched.isEmpty else {
            let writing = try context.writing(.type(M.self))
            let found = try writing.storedKeys(of: part.records, matching: matched)
            let failure = found.failure?.with { $0.element = $0.element.map { part.first + $0 } }
            return (Array(found.names.prefix(found.failure?.element ?? .max)), found.keys, failure)
        }
        var names: [[Value]?] = []
        var keys: [[Value]: [Value]] = [:]
        for (index, record) in part.records.enumerated() {
            do throws(StorageError) {
                let key = try json.key(of: record, part.first + index)
                names.append(key)
                keys[key] = key
            } catch {
                return (names, keys, error)
            }
        }
        return (names, keys, nil)
    }
}
