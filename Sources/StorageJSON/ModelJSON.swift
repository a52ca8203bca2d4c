import StorageAPI
package import StorageDriver

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads models out of JSON, by the schema that their type declares.
final class ModelJSON<Model: Storable> {
    let rows: ModelRows<Model>
    private let builder: RecordBuilder
    /// The records that were read and are no models yet.
    private let records: RecordRows
    private let reader: JSONRows?
    /// The members that lead to the records, for messages.
    private let path: String
    private let schema = Model.schema

    init(at path: String, dates: Property.DateForm?, isLenient: Bool) throws(StorageError) {
        rows = try ModelRows()
        builder = try RecordBuilder(Model.self, dates: dates, isLenient: isLenient)
        records = try rows.rows()
        reader = JSONRows(builder, records)
        self.path = path
        guard path.isEmpty || Self.names(path).allSatisfy({ !$0.isEmpty }) else {
            throw StorageError(
                .configuration, "The path \"\(path)\" has an empty name; write it like data.items.", model: schema.name)
        }
    }

    private static func names(_ path: String) -> [String] {
        path.isEmpty ? [] : path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    // MARK: Reading

    /// The number of records with some properties that are read before they are stored.
    private static var maximum: Int { 512 }

    /// Some records of the input.
    struct Part<Record> {
        var records: [Record] = []
        /// The index of the first of them.
        var first = 0
        /// True if the input is one record and no array.
        var isSingle = false
        /// The part of the input that has been read, from 0 to 1.
        var fraction = 0.0
    }

    /// Calls the body with the models of the input, in parts. Where a record is no model, it gets those before it first:
    /// the call's error is that of the first record that fails, for whatever reason.
    func read(
        _ contents: any InputContents, _ body: (Part<Model>) throws(StorageError) -> Void
    ) throws(StorageError) {
        var part = Part<Model>()
        try read(contents, by: reader) { (input, isSingle, fraction) throws(StorageError) in
            var failure: StorageError?
            if let input {
                part.isSingle = isSingle
                if !input.isRead { do throws(StorageError) { try add(input, part) } catch { failure = error } }
                guard records.isFull || failure != nil else { return }
            }
            part.fraction = fraction
            var models: [Model] = []
            do throws(StorageError) {
                try placed(part.first, isSingle: part.isSingle) { () throws(StorageError) in
                    try records.take(into: &models)
                }
            } catch {
                failure = error
            }
            part.records = models
            if !part.records.isEmpty { try body(part) }
            if let failure { throw failure }
            part.first += part.records.count
        }
    }

    /// Calls the body with records that have only the properties that exist, in parts, and as `read(_:_:)` with
    /// those before one that cannot be read.
    func readParts(
        _ contents: any InputContents, _ body: (Part<DynamicRecord>) throws(StorageError) -> Void
    ) throws(StorageError) {
        var part = Part<DynamicRecord>()
        try read(contents) { (input, isSingle, fraction) throws(StorageError) in
            if let input {
                part.isSingle = isSingle
                let index = part.first + part.records.count
                do throws(StorageError) {
                    part.records.append(try record(input, place(index, isSingle: isSingle), index: index, isPart: true))
                } catch {
                    if !part.records.isEmpty { try body(part) }
                    throw error
                }
                guard part.records.count == Self.maximum else { return }
            }
            part.fraction = fraction
            if !part.records.isEmpty { try body(part) }
            part.first += part.records.count
            part.records.removeAll(keepingCapacity: true)
        }
    }

    /// Calls the body with each record of the input, and at the end with nil.
    ///
    /// - Parameter reader: reads the records that it can.
    private func read(
        _ contents: any InputContents, by reader: JSONRows? = nil,
        _ body: (InputRecord?, Bool, Double) throws(StorageError) -> Void
    ) throws(StorageError) {
        do {
            var source = DocumentSource(try InputBuffer(contents), at: Self.names(path))
            while let input = try source.next(by: reader) { try body(input, source.isSingle, source.fraction) }
            try body(nil, source.isSingle, 1)
        } catch let error as StorageError {
            throw error
        } catch let error as InputProblem {
            throw StorageError(error.isLimit ? .limitExceeded : .invalidValue, error.message, model: schema.name)
        } catch {
            throw StorageError(.io, "The JSON cannot be read.", model: schema.name, underlying: error)
        }
    }

    /// Adds a record that is not read from its bytes.
    private func add(_ input: InputRecord, _ part: Part<Model>) throws(StorageError) {
        let index = part.first + records.count
        let record = try record(input, place(index, isSingle: part.isSingle), index: index, isPart: false)
        try placed(index, isSingle: part.isSingle) { () throws(StorageError) in try records.add(record) }
    }

    private func place(_ index: Int, isSingle: Bool) -> String { isSingle ? path : "\(path)[\(index)]" }

    private func record(
        _ input: InputRecord, _ place: String, index: Int, isPart: Bool
    ) throws(StorageError) -> DynamicRecord {
        switch input.content {
        case .failure(let problem):
            let place = place.isEmpty ? "" : "\(place), "
            throw invalid("\(place)line \(problem.line): \(problem.message)", index: index, property: nil)
        case .success(let members): return try record(members, place, index: index, isPart: isPart)
        }
    }

    /// The record of an object.
    func record(
        _ members: [JSONValue.Member], _ place: String, index: Int, isPart: Bool = false
    ) throws(StorageError) -> DynamicRecord {
        do throws(RecordProblem) {
            return try builder.record(members, isPart: isPart)
        } catch {
            throw invalid(
                "\(RecordProblem.join(place, error.path)) \(error.message)", index: index, property: error.property)
        }
    }

    private func invalid(_ message: String, index: Int, property: String?) -> StorageError {
        StorageError(.invalidValue, message, model: schema.name, property: property).with { $0.element = index }
    }

    /// Says of an error of the body where in the JSON it is.
    ///
    /// - Parameter first: the index of the body's first record.
    func placed<R>(
        _ first: Int, isSingle: Bool, _ body: () throws(StorageError) -> R
    ) throws(StorageError) -> R {
        do throws(StorageError) {
            return try body()
        } catch {
            let index = first + (error.element ?? 0)
            guard error.code == .typeMismatch, let property = error.property else {
                throw error.with { $0.element = index }
            }
            let place = RecordProblem.join(place(index, isSingle: isSingle), builder.path(of: property))
            let stands = error.storedValue.map { "\($0)" } ?? "nothing"
            throw invalid(
                "\(place) is \(stands), which the property's type has no value for.", index: index, property: property
            )
            .with {
                $0.storedValue = nil
                $0.underlying = error.underlying
            }
        }
    }

    /// All models of the input.
    func models(_ contents: any InputContents) throws(StorageError) -> [Model] {
        var models: [Model] = []
        try read(contents) { part throws(StorageError) in models += part.records }
        return models
    }

    // MARK: Merging

    /// - Throws: `missingKey`.
    func key(of record: DynamicRecord, _ index: Int) throws(StorageError) -> [Value] {
        let names = rows.handle.tables.keyColumns.map(\.property)
        let key = names.map { record.value($0) ?? .null }
        guard !key.contains(where: \.isNull) else {
            throw StorageError(
                .missingKey,
                "\(place(index, isSingle: false)) has no \(names.joined(separator: ", ")); merging needs the key.",
                model: schema.name
            ).with { $0.element = index }
        }
        return key
    }

    /// A record with the properties of another one in place of its own; without it, with the properties' defaults.
    func merged(
        _ part: DynamicRecord, into record: DynamicRecord?, _ index: Int
    ) throws(StorageError) -> DynamicRecord {
        guard var record else {
            do throws(RecordProblem) {
                return try builder.completed(part)
            } catch {
                throw invalid(
                    "\(RecordProblem.join(place(index, isSingle: false), error.path)) \(error.message)", index: index,
                    property: error.property)
            }
        }
        for field in part.fields {
            if let place = record.fields.firstIndex(where: { $0.storedName == field.storedName }) {
                record.fields[place] = field
            } else {
                record.fields.append(field)
            }
        }
        return record
    }

    // MARK: Writing

    func json(_ models: [Model]) throws(StorageError) -> [JSONValue] { try rows.records(models).map(builder.json) }
}

extension RecordBuilder {
    /// The path in the JSON of a path of stored names: `info.pens[2].price` of `pens[2].price`.
    func path(of property: String) -> String {
        var shape = 0
        var path = ""
        for step in property.split(separator: ".") {
            let name = step.prefix { $0 != "[" }
            guard let found = all[shape].properties.first(where: { $0.name == StoredName(String(name)) }) else {
                path = RecordProblem.join(path, String(step))
                continue
            }
            path = RecordProblem.join(path, found.path.joined(separator: ".") + step.dropFirst(name.count))
            switch found.content {
            case .child(let child), .children(let child): shape = child
            case .column, .reference: break
            }
        }
        return path
    }
}

/// Bytes in memory.
package final class DataContents: InputContents {
    private let data: Data
    package private(set) var position = 0

    package let name: String

    package init(_ data: Data, name: String = "The JSON") { (self.data, self.name) = (data, name) }

    package var size: Int { data.count }

    package func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
        let part = data.dropFirst(position).prefix(bytes.count)
        bytes.copyBytes(from: part)
        position += part.count
        return part.count
    }
}

/// Bytes in a file.
package final class FileContents: InputContents {
    package let name: String
    package let size: Int
    private let file: OpenFile
    package private(set) var position = 0

    package convenience init(_ path: String) throws(StorageError) {
        let file: OpenFile
        do { file = try OpenFile(path, .read, layer: SystemFileLayer()) } catch { throw FileFailure.error(error, path) }
        try self.init(file)
    }

    /// - Parameter name: the name in messages; nil for the path.
    init(_ file: OpenFile, name: String? = nil) throws(StorageError) {
        (self.file, self.name) = (file, name ?? file.path)
        let status = try file.status()
        guard status.isRegular else {
            throw StorageError(.io, "\(self.name): this is not a file; save the data that it yields.")
        }
        size = Int(status.size)
    }

    package func read(into bytes: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try file.read(at: Int64(position), into: bytes)
        position += count
        return count
    }
}
