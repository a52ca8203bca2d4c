import StorageAPI
import StorageDriver
import StorageJSON

/// Reads models out of comma-separated values, by the schema that their type declares.
///
/// Used by one thread at a time.
final class ModelCSV<Model: Storable> {
    /// A record in the text.
    struct Place: Sendable {
        /// The index of the record.
        let index: Int
        let line: Int
        /// The record itself, if bad ones are skipped; otherwise empty.
        let text: String
    }

    /// Some models, and the reason why no more follow.
    struct Part: Sendable {
        var models: [Model] = []
        var places: [Place] = []
        /// The part of the input that has been read, from 0 to 1.
        var fraction = 0.0
        /// The error of the record after them.
        var failure: StorageError?
    }

    private let form: CSVForm
    private let builder: RecordBuilder
    /// The records that were read and are no models yet.
    private let records: RecordRows
    /// The way from bytes to rows; nil for a model that owns records.
    private let fastRows: CSVRows?
    private var source: CSVSource
    private let header: [String]
    private var batch = CSVBatch()
    private var readCount = 0
    private var hasEnded = false

    /// The number of records that are read before they are stored.
    private static var batchSize: Int { 512 }

    init(_ input: InputBytes, _ form: CSVForm) throws(StorageError) {
        self.form = form
        builder = try RecordBuilder(Model.self, dates: form.dates, isUntyped: true)
        records = try ModelRows<Model>().rows()
        let source = try Self.reading { try input.source(form) }
        header = try Self.names(of: source, in: form, for: builder)
        self.source = source
        fastRows = Self.rows(records, builder, header: header)
    }

    /// The stored names of the properties that are the columns; the name of another column is empty.
    private static func names(
        of source: CSVSource, in form: CSVForm, for builder: RecordBuilder
    ) throws(StorageError) -> [String] {
        let names = source.header.map { StoredName($0) }
        if let missing = form.columns.keys.map(\.text).sorted().first(where: { !names.contains(StoredName($0)) }) {
            throw StorageError(
                .configuration,
                "\(source.reader.name) has no column \(missing); it has \(source.header.joined(separator: ", ")).",
                model: Model.schema.name)
        }
        let (taken, known) = (Set(form.columns.values), Set(builder.names))
        return names.map { name in
            if let mapped = form.columns[name] { return mapped.text }
            return known.contains(name) && !taken.contains(name) ? name.text : ""
        }
    }

    private static func rows(_ records: RecordRows, _ builder: RecordBuilder, header: [String]) -> CSVRows? {
        guard !records.graph.model.hasChildren else { return nil }
        let root = records.graph.model.root
        var targets: [CSVRows.Target] = []
        for place in root.columns.dropFirst(root.prefixCount) {
            let column = root.schema.columns[place]
            let name = StoredName(column.property)
            guard column.role == .property, let property = builder.column(named: name), !property.isConverted else {
                return nil
            }
            targets.append(
                CSVRows.Target(
                    name: name, type: column.type, isOptional: column.isOptional, rules: property.rules,
                    initial: property.initial))
        }
        return CSVRows(targets, header: header)
    }

    // MARK: Parts

    /// The next models; nil at the end.
    ///
    /// - Parameter most: the number of records to read; nil for as many as are convenient.
    func next(_ most: Int?) throws(StorageError) -> Part? {
        var part = Part()
        let limit = most ?? Self.batchSize
        while !hasEnded, part.models.count < limit {
            let wanted = min(limit - part.models.count, Self.batchSize)
            guard try Self.reading({ try batch.fill(from: &source, wanted) }) else {
                hasEnded = true
                break
            }
            try take(&part)
            if most == nil { break }
        }
        part.fraction = hasEnded ? 1 : source.fraction
        return part.places.isEmpty && part.failure == nil && hasEnded ? nil : part
    }

    /// Appends the models of the batch.
    private func take(_ part: inout Part) throws(StorageError) {
        var start = 0
        while start < batch.records.count {
            var end = start
            var problem: Store.CSVProblem?
            while end < batch.records.count, problem == nil, !records.isFull {
                problem = add(end)
                if problem == nil { end += 1 }
            }
            let known = part.models.count
            do throws(StorageError) {
                try records.take(into: &part.models)
            } catch {
                guard error.code == .typeMismatch else { throw error }
                end = start + part.models.count - known
                problem = self.problem(error, end)
            }
            part.places += (start..<end).map { place($0) }
            start = end
            guard let problem else { continue }
            guard let skip = form.skipping else {
                part.failure = problem.error(at: readCount + end, of: Model.self)
                return hasEnded = true
            }
            skip(problem)
            start += 1
        }
        readCount += batch.records.count
    }

    /// Adds a record of the batch; returns the problem that it has.
    private func add(_ place: Int) -> Store.CSVProblem? {
        if addRow(place) { return nil }
        let record = batch.records[place]
        switch source.record(record, batch.fields(at: place)).content {
        case .failure(let bad): return problem(bad.message, nil, at: place)
        case .success(var members):
            // A record may lack a column that has no name.
            let known = members.count == header.count
            for index in members.indices.reversed() {
                let name = known ? header[index] : renamed(members[index].name)
                if name.isEmpty { members.remove(at: index) } else { members[index].name = name }
            }
            do throws(RecordProblem) {
                let record = try builder.record(members)
                do throws(StorageError) {
                    try records.add(record)
                } catch {
                    return problem(error, place)
                }
                return nil
            } catch {
                return problem(error.sentence, error.property, at: place)
            }
        }
    }

    private func renamed(_ name: String) -> String {
        source.header.firstIndex(of: name).map { header[$0] } ?? ""
    }

    /// Adds a record as a row; false if the builder has to read it.
    private func addRow(_ place: Int) -> Bool {
        guard let fastRows, batch.isWhole(at: place, width: header.count) else { return false }
        let (graph, reader) = (records.graph, source.reader)
        var row = graph.beginRoot(number: records.count)
        do throws(StorageError) {
            try fastRows.write(
                batch.fields(at: place), of: reader,
                isASCII: String.isASCII(reader.bytes(of: batch.records[place])), key: 0, to: &row)
            if !graph.hasFailed { return true }
        } catch {}
        graph.removeLast()
        return false
    }

    // MARK: Problems

    private func place(_ place: Int) -> Place {
        Place(
            index: readCount + place, line: batch.records[place].line,
            text: form.skipping == nil ? "" : text(place))
    }

    private func text(_ place: Int) -> String {
        let text = String(decoding: source.reader.bytes(of: batch.records[place]), as: UTF8.self)
        return text.hasSuffix("\r\n") || text.hasSuffix("\n") || text.hasSuffix("\r") ? String(text.dropLast()) : text
    }

    private func problem(_ message: String, _ property: String?, at place: Int) -> Store.CSVProblem {
        Store.CSVProblem(line: batch.records[place].line, message: message, property: property, text: text(place))
    }

    private func problem(_ error: StorageError, _ place: Int) -> Store.CSVProblem {
        guard error.code == .typeMismatch, let property = error.property else {
            return problem(error.message, error.property, at: place)
        }
        let stands = error.storedValue.map { "\($0)" } ?? "nothing"
        return problem(
            "\(property) is \(stands), which the property's type has no value for.", property, at: place)
    }

    private static func reading<R>(_ body: () throws -> R) throws(StorageError) -> R {
        do {
            return try body()
        } catch let error as StorageError {
            throw error
        } catch let error as InputProblem {
            throw StorageError(error.isLimit ? .limitExceeded : .invalidValue, error.message, model: Model.schema.name)
        } catch {
            throw StorageError(.io, "The CSV cannot be read.", model: Model.schema.name, underlying: error)
        }
    }
}

extension Store.CSVProblem {
    /// The error of a call that such a record ends.
    ///
    /// - Parameter index: the index of the record.
    func error<M: Storable>(at index: Int, of model: M.Type) -> StorageError {
        StorageError(.invalidValue, description, model: M.schema.name, property: property, underlying: self)
            .with { $0.element = index }
    }
}
