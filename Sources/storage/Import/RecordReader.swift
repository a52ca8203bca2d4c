import StorageAPI
import StorageDriver
import StorageJSON

/// Reads an input's records as those of a model.
struct RecordReader {
    private let builder: RecordBuilder
    private let mapping: InputMapping
    /// The key of which a record's name is the value, if records have names.
    private let nameKey: (property: String, isInteger: Bool)?
    private var source: (any RecordSource)?

    init(
        _ file: RecordFile, schema: RecordSchema, mapping: InputMapping, reading: RecordBuilder.Input
    ) throws {
        self.init(file, schema: schema, reading: reading, mapping: mapping, source: try file.records())
    }

    /// A reader of records that somebody else finds.
    init(_ file: RecordFile, schema: RecordSchema, reading: RecordBuilder.Input) {
        self.init(file, schema: schema, reading: reading, mapping: InputMapping(), source: nil)
    }

    private init(
        _ file: RecordFile, schema: RecordSchema, reading: RecordBuilder.Input, mapping: InputMapping,
        source: (any RecordSource)?
    ) {
        builder = RecordBuilder(schema, reading.of(file))
        self.mapping = mapping
        self.source = source
        let keys = schema.keyProperties
        if file.isKeyed, keys.count == 1, case .column(let type) = keys[0].kind {
            nameKey = (keys[0].name, type.storage == .integer)
        } else {
            nameKey = nil
        }
    }

    var fraction: Double { source?.fraction ?? 1 }

    /// A record, or its problem, and its position.
    struct Result {
        let line: Int
        let record: Swift.Result<DynamicRecord, BadRecord>
        /// Its bytes, valid until the next record is read.
        let bytes: UnsafeRawBufferPointer
    }

    /// The next record; nil after the last.
    mutating func next() throws -> Result? {
        guard let input = try source?.next() else { return nil }
        return read(input)
    }

    /// A record of the input as one of the model.
    func read(_ input: InputRecord) -> Result {
        Result(line: input.line, record: record(input), bytes: input.bytes)
    }

    private func record(_ input: InputRecord) -> Swift.Result<DynamicRecord, BadRecord> {
        switch input.content {
        case .failure(let problem): return .failure(problem)
        case .success(let members):
            do throws(RecordProblem) {
                return .success(try builder.record(withKey(mapping.apply(to: members), input.key)))
            } catch {
                return .failure(BadRecord(line: input.line, message: error.sentence))
            }
        }
    }

    private func withKey(_ members: [JSONValue.Member], _ name: String?) -> [JSONValue.Member] {
        guard let nameKey, let name, !members.contains(where: { StoredName($0.name) == StoredName(nameKey.property) })
        else { return members }
        return [JSONValue.Member(name: nameKey.property, value: nameKey.isInteger ? .number(name) : .string(name))]
            + members
    }
}

extension RecordSchema {
    /// The type of the column at the end of a path through owned records; nil if none exists.
    func type(at way: String) -> ColumnType? {
        for property in properties {
            switch property.kind {
            case .column(let type): if property.storedName == StoredName(way) { return type }
            case .child(let schema), .children(let schema):
                guard way.hasPrefix(property.name + ".") else { continue }
                if let type = schema.type(at: String(way.dropFirst(property.name.count + 1))) { return type }
            case .ancestor: continue
            }
        }
        return nil
    }

    /// The properties that are the key: those that are marked, or `id`.
    var keyProperties: [Property] {
        let marked = properties.filter(\.isKey)
        return marked.isEmpty ? properties.filter { $0.name == "id" } : marked
    }
}
