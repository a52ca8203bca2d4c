public import StorageAPI
public import StorageDriver

/// The answer of the hub to a patch, which a replica keeps until its program confirms it.
public struct SyncOutcome: Hashable, Sendable {
    /// The decisions of a hub.
    public enum Result: Hashable, Sendable {
        /// The patch is in the hub's store. It has replaced the values although its author had not seen them.
        case applied([SyncOverwrite])
        /// The patch is not in the hub's store, and not in the replica's any more.
        case refused(reason: String)
        /// The replica had records before it first synchronised that differ from the hub's. The hub's are stored.
        case joined([SyncOverwrite])
    }

    /// The outcome's number in the replica's store. Confirm it by ``Replica/confirm(_:)``.
    public let id: Int
    /// The patch; nil for ``Result/joined(_:)``. Of a patch that was applied as it was it has no changes: no program needs them any more, and
    /// an exchange may send a great many.
    public let patch: SyncPatch?
    /// The decision.
    public let result: Result

    /// A Boolean value that indicates whether the program should hear of it: a refusal, or overwritten values.
    public var isNews: Bool {
        switch result {
        case .applied(let values), .joined(let values): !values.isEmpty
        case .refused: true
        }
    }
}

/// A value that was replaced by someone who had not seen it.
public struct SyncOverwrite: Hashable, Sendable {
    /// The model's stored name.
    public let model: String
    /// The record's key, one value for each key property.
    public let key: [Value]
    /// The property's stored name.
    public let property: String
    /// The content that was lost. Of an array of owned records it is the whole array as it was.
    public let lost: DynamicRecord.Content

    /// A lost value.
    public init(model: String, key: [Value], property: String, lost: DynamicRecord.Content) {
        (self.model, self.key, self.property, self.lost) = (model, key, property, lost)
    }
}

/// The hub's decision on one patch, as it crosses.
struct Decision: Hashable, Sendable {
    let number: Int
    /// The chain with the patch, by which the replica knows that the outcome is of its patch.
    let chain: [UInt8]
    let result: SyncOutcome.Result

    var isApplied: Bool { if case .applied = result { true } else { false } }
}

extension SyncOutcome.Result {
    func write(to writer: inout ByteWriter) {
        switch self {
        case .applied(let values):
            writer.add(byte: 1)
            Self.write(values, to: &writer)
        case .refused(let reason):
            writer.add(byte: 2)
            writer.add(text: reason)
        case .joined(let values):
            writer.add(byte: 3)
            Self.write(values, to: &writer)
        }
    }

    private static func write(_ values: [SyncOverwrite], to writer: inout ByteWriter) {
        writer.add(count: values.count)
        for value in values { writer.add(RecordPlace(value.model, value.key)) }
        if values.isEmpty { return }
        let records = values.map { value in
            DynamicRecord(model: value.model, fields: [.init(name: value.property, content: value.lost)])
        }
        writer.add(data: records.recordBytes)
    }

    init(_ reader: inout ByteReader) throws(StorageError) {
        switch try reader.byte() {
        case 1: self = .applied(try Self.values(&reader))
        case 2: self = .refused(reason: try reader.text())
        case 3: self = .joined(try Self.values(&reader))
        default: throw Self.unknown
        }
    }

    private static var unknown: StorageError {
        StorageError(.corrupt, "An outcome of a patch cannot be read, so its message is refused whole.")
    }

    private static func values(_ reader: inout ByteReader) throws(StorageError) -> [SyncOverwrite] {
        var places: [RecordPlace] = []
        for _ in 0..<(try reader.count()) { places.append(try reader.recordPlace()) }
        if places.isEmpty { return [] }
        let records = try [DynamicRecord](recordBytes: try reader.data())
        guard records.count == places.count else { throw unknown }
        var values: [SyncOverwrite] = []
        for (place, record) in zip(places, records) {
            guard let field = record.fields.first, record.fields.count == 1 else { throw unknown }
            values.append(
                SyncOverwrite(model: place.model, key: place.key, property: field.name, lost: field.content))
        }
        return values
    }
}
