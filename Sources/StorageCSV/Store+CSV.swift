public import StorageAPI
public import StorageDriver
import StorageJSON

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Store {
    /// Reports the progress of a call that stores or writes comma-separated values: the number of records so far, and the part of
    /// the input that is read, or of the records that are written, from 0 to 1.
    public typealias CSVProgress = @Sendable (_ records: Int, _ fraction: Double) -> Void

    /// Stores the records of comma-separated values with a header (RFC 4180), whether or not their keys are stored already.
    /// All of them in one transaction, or none, unless `recordsPerTransaction` says otherwise.
    ///
    /// ```swift
    /// try await store.save(csv: data, as: Person.self, options: .init(columns: ["Full name": \.name]))
    /// ```
    ///
    /// A property's column has its stored name; a reference to a key of several parts has a column for each part,
    /// `author.country`. Other columns are passed over, and a property without a column gets its default. An empty field is nil,
    /// and a pair of quotes the empty text. Owned records and arrays are JSON in their field, as `export(csvFile:)` writes them.
    ///
    /// - Parameters:
    ///   - csv: the text.
    ///   - model: the records' type.
    ///   - options: the form of the text, and the stored records that are replaced.
    ///   - progress: called after each part that is stored.
    /// - Returns: the number of stored records.
    /// - Throws: `invalidValue` for a record that the model cannot have, with its index and the property; the `underlying` error
    ///   is a ``CSVProblem`` with the line. `limitExceeded` for a record of more than 64 MiB; `configuration` for options without
    ///   a meaning; `cancelled`; errors of `save(_:)-([M])`. A transaction that throws stores no record.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        csv: Data, as model: M.Type, options: CSVOptions<M> = CSVOptions<M>(), progress: CSVProgress? = nil
    ) async throws(StorageError) -> Int {
        try await save(.data(csv), SavedCSV<M>(options, progress))
    }

    /// Stores the records of a file of comma-separated values, as `save(csv:as:)` does. The file is read a mebibyte at a time.
    ///
    /// - Throws: also `io` for a file that cannot be read.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable>(
        csvFile file: URL, as model: M.Type, options: CSVOptions<M> = CSVOptions<M>(), progress: CSVProgress? = nil
    ) async throws(StorageError) -> Int {
        try await save(.file(file.path), SavedCSV<M>(options, progress))
    }

    /// Stores the records of comma-separated values that arrive byte by byte, as `URLSession.AsyncBytes` gives them, as
    /// `save(csv:as:)` does.
    ///
    /// The transaction begins after the last byte, so that it waits for no slow sender. Until then up to a mebibyte is kept in
    /// memory, and more in a temporary file.
    ///
    /// - Throws: also errors of the sequence, unchanged, and `io` or `full` for the temporary file; `cancelled` also if the
    ///   sequence ends because the task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable, Bytes: AsyncSequence>(
        csv bytes: Bytes, as model: M.Type, options: CSVOptions<M> = CSVOptions<M>(), progress: CSVProgress? = nil
    ) async throws -> Int where Bytes.Element == UInt8 {
        let form = try SavedCSV<M>(options, progress)
        return try await save(form) { spool in try await spool.receive(bytes: bytes) }
    }

    /// Stores the records of comma-separated values that arrive in pieces of bytes, such as `Data`, `[UInt8]` or a server's buffers
    /// (of SwiftNIO the `readableBytesView`), wherever they are cut; as `save(csv:as:)` does.
    ///
    /// The transaction begins after the last piece, so that it waits for no slow sender. Until then up to a mebibyte is kept in
    /// memory, and more in a temporary file.
    ///
    /// - Throws: also errors of the sequence, unchanged, and `io` or `full` for the temporary file; `cancelled` also if the
    ///   sequence ends because the task is cancelled.
    @discardableResult
    public nonisolated(nonsending) func save<M: Storable, Pieces: AsyncSequence>(
        csv pieces: Pieces, as model: M.Type, options: CSVOptions<M> = CSVOptions<M>(), progress: CSVProgress? = nil
    ) async throws -> Int where Pieces.Element: Sequence<UInt8> {
        let form = try SavedCSV<M>(options, progress)
        return try await save(form) { spool in try await spool.receive(pieces: pieces) }
    }

    private nonisolated(nonsending) func save<M: Storable>(
        _ form: SavedCSV<M>, _ receive: (inout SpooledBytes) async throws -> Void
    ) async throws -> Int {
        var spool = SpooledBytes(named: "the CSV")
        try await receive(&spool)
        return try await save(spool.contents(), form)
    }

    private nonisolated(nonsending) func save<M: Storable>(
        _ input: InputBytes, _ form: SavedCSV<M>
    ) async throws(StorageError) -> Int {
        guard let size = form.form.recordsPerTransaction else {
            return try await transaction { tx throws(StorageError) in try tx.save(input, form) }
        }
        let csv = try ModelCSV<M>(input, form.form)
        var count = 0
        while let part = try csv.next(size) {
            // A part that a bad record ends belongs to a transaction that fails.
            if let failure = part.failure { throw failure }
            count += try await transaction { tx throws(StorageError) in try tx.save(part, form) }
            form.progress?(count, part.fraction)
        }
        return count
    }
}

extension WritingVerbs where Self: ~Copyable {
    /// Stores the records of comma-separated values, as `Store` does, all of them or none.
    @discardableResult
    public func save<M: Storable>(
        csv: Data, as model: M.Type, options: Store.CSVOptions<M> = .init(), progress: Store.CSVProgress? = nil
    ) throws(StorageError) -> Int {
        try save(.data(csv), SavedCSV<M>(options, progress))
    }

    /// Stores the records of a file of comma-separated values, as `Store` does, all of them or none.
    @discardableResult
    public func save<M: Storable>(
        csvFile file: URL, as model: M.Type, options: Store.CSVOptions<M> = .init(), progress: Store.CSVProgress? = nil
    ) throws(StorageError) -> Int {
        try save(.file(file.path), SavedCSV<M>(options, progress))
    }

    fileprivate func save<M: Storable>(_ input: InputBytes, _ form: SavedCSV<M>) throws(StorageError) -> Int {
        try saving { context throws(StorageError) in
            let csv = try ModelCSV<M>(input, form.form)
            var count = 0
            while let part = try csv.next(nil) {
                count += try form.save(part, context)
                if let failure = part.failure { throw failure }
                form.progress?(count, part.fraction)
            }
            return count
        }
    }

    fileprivate func save<M: Storable>(_ part: ModelCSV<M>.Part, _ form: SavedCSV<M>) throws(StorageError) -> Int {
        try saving { context throws(StorageError) in try form.save(part, context) }
    }

    private func saving(
        _ body: @escaping @Sendable (TransactionContext) throws(StorageError) -> Int
    ) throws(StorageError) -> Int {
        switch _session.target {
        case .store(let store):
            return try store.blocking.transaction { tx throws(StorageError) in try tx.saving(body) }
        case .session(let context, _):
            return try context.savepoint { () throws(StorageError) in
                do throws(StorageError) {
                    return try body(context)
                } catch {
                    throw context.tracking(error)
                }
            }
        }
    }
}

extension Storable {
    /// Makes the models from comma-separated values with a header, as `Store/save(csv:as:options:progress:)` reads them.
    ///
    /// Holds all models in memory; `save(csvFile:as:)` stores any number.
    /// - Throws: `invalidValue` with the index of the record, and a ``StorageAPI/Store/CSVProblem`` as the `underlying` error.
    public static func models(
        csv: Data, options: Store.CSVOptions<Self> = Store.CSVOptions<Self>()
    ) throws(StorageError) -> [Self] {
        let csv = try ModelCSV<Self>(.data(csv), CSVForm(options))
        var models: [Self] = []
        while let part = try csv.next(nil) {
            if let failure = part.failure { throw failure }
            models += part.models
        }
        return models
    }
}

/// Stores comma-separated values as records of a model.
private struct SavedCSV<M: Storable>: Sendable {
    let form: CSVForm
    let progress: Store.CSVProgress?

    init(_ options: Store.CSVOptions<M>, _ progress: Store.CSVProgress?) throws(StorageError) {
        (form, self.progress) = (try CSVForm(options), progress)
    }

    /// Stores models. If bad records are skipped, so are the models that the store refuses.
    ///
    /// - Returns: the number of stored records.
    func save(_ part: ModelCSV<M>.Part, _ context: TransactionContext) throws(StorageError) -> Int {
        guard let skip = form.skipping else {
            try put(part.models, at: part.places, in: context)
            return part.models.count
        }
        do throws(StorageError) {
            try context.savepoint { () throws(StorageError) in try put(part.models, at: part.places, in: context) }
            return part.models.count
        } catch {
            guard error.isOfRecord else { throw error }
        }
        // One by one, to find the bad ones.
        var count = 0
        for (model, place) in zip(part.models, part.places) {
            do throws(StorageError) {
                try context.savepoint { () throws(StorageError) in try put([model], at: [place], in: context) }
                count += 1
            } catch {
                guard error.isOfRecord else { throw error }
                skip(Self.problem(error, place))
            }
        }
        return count
    }

    private func put(
        _ models: [M], at places: [ModelCSV<M>.Place], in context: TransactionContext
    ) throws(StorageError) {
        do throws(StorageError) {
            let writing = try context.writing(.type(M.self))
            if form.matched.isEmpty {
                try writing.put(models, .upsert, by: GraphWriter(writing.model, limits: writing.limits))
            } else {
                _ = try writing.save(models, matching: form.matched)
            }
        } catch {
            guard let element = error.element, places.indices.contains(element) else { throw error }
            throw error.with {
                $0.element = places[element].index
                if $0.underlying == nil { $0.underlying = Self.problem(error, places[element]) }
            }
        }
    }

    private static func problem(_ error: StorageError, _ place: ModelCSV<M>.Place) -> Store.CSVProblem {
        Store.CSVProblem(line: place.line, message: error.message, property: error.property, text: place.text)
    }
}

extension StorageError {
    /// True if a record is at fault, and not the store.
    package var isOfRecord: Bool {
        switch code {
        case .duplicateKey, .missingKey, .typeMismatch, .invalidValue, .constraint, .limitExceeded: true
        default: false
        }
    }
}
