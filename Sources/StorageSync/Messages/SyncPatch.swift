public import StorageAPI
public import StorageDriver

/// A commit of a replica, as it crosses to the hub: the records that it has inserted and deleted, and the properties that it
/// has changed.
public struct SyncPatch: Hashable, Sendable {
    /// The patch's number in the order of its replica, from 1.
    public internal(set) var number: Int
    /// The author that the transaction named; see `Store.Transaction.author`.
    public let author: String?
    /// The note that the transaction attached.
    public let note: String?
    /// The changes in the order in which the commit made them, each record once.
    public let changes: [Change]

    /// The patch without its changes.
    var head: SyncPatch { SyncPatch(number: number, author: author, note: note, changes: []) }

    /// The change of one record.
    public struct Change: Hashable, Sendable {
        /// The kinds of change.
        public enum Kind: Hashable, Sendable {
            /// The record is new.
            case inserted(DynamicRecord)
            /// Some properties were set.
            case updated([PropertyChange])
            /// The record, as its author knew it, was deleted.
            case deleted(DynamicRecord)
        }

        /// The model's stored name.
        public let model: String
        /// The record's key, one value for each key property.
        public let key: [Value]
        /// The change.
        public let kind: Kind
        /// A Boolean value that indicates whether only rules of references have changed the record.
        public let byRule: Bool

        init(_ place: RecordPlace, _ kind: Kind, byRule: Bool) {
            (model, key) = (place.model, place.key)
            (self.kind, self.byRule) = (kind, byRule)
        }

        var place: RecordPlace { RecordPlace(model, key) }

        /// The new record, or the changed properties with their new contents as a record; nil for a deletion.
        var written: DynamicRecord? {
            switch kind {
            case .inserted(let record): record
            case .updated(let properties):
                DynamicRecord(model: model, fields: properties.map { .init(name: $0.name, content: $0.after) })
            case .deleted: nil
            }
        }
    }

    /// The change of one property.
    public struct PropertyChange: Hashable, Sendable {
        /// The property's stored name.
        public let name: String
        /// The content before.
        public let before: DynamicRecord.Content
        /// The content after.
        public let after: DynamicRecord.Content
    }

    init(number: Int, author: String?, note: String?, changes: [Change]) {
        (self.number, self.author, self.note, self.changes) = (number, author, note, changes)
    }
}

extension SyncPatch {
    // The records of all changes are one list, so that names of properties are written once. A change of properties is two
    // records, which have these properties alone.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.add(count: number)
        writer.add(optional: author)
        writer.add(optional: note)
        writer.add(count: changes.count)
        var records: [DynamicRecord] = []
        for change in changes {
            let rule: UInt8 = change.byRule ? 0x10 : 0
            switch change.kind {
            case .inserted(let record):
                writer.add(byte: 1 | rule)
                records.append(record)
            case .updated(let properties):
                writer.add(byte: 2 | rule)
                for content in [properties.map(\.before), properties.map(\.after)] {
                    let fields = zip(properties, content).map { DynamicRecord.Field(name: $0.name, content: $1) }
                    records.append(DynamicRecord(model: change.model, fields: fields))
                }
            case .deleted(let record):
                writer.add(byte: 3 | rule)
                records.append(record)
            }
            writer.add(change.place)
        }
        writer.add(data: records.recordBytes)
        return writer.bytes
    }

    /// - Throws: `corrupt` for bytes that are no patch.
    init(bytes: [UInt8]) throws(StorageError) {
        var reader = ByteReader(bytes)
        number = try reader.number()
        author = try reader.optionalText()
        note = try reader.optionalText()
        var heads: [(kind: UInt8, place: RecordPlace)] = []
        for _ in 0..<(try reader.count()) { heads.append((try reader.byte(), try reader.recordPlace())) }
        var records = try [DynamicRecord](recordBytes: try reader.data()).makeIterator()
        try reader.requireEnd()
        var changes: [Change] = []
        for (kind, place) in heads {
            changes.append(
                Change(place, try Self.kind(kind & 0x0F, of: place.model, &records), byRule: kind & 0x10 != 0))
        }
        guard number > 0, records.next() == nil, Set(changes.map(\.place)).count == changes.count else {
            throw Self.misshapen
        }
        self.changes = changes
    }

    private static var misshapen: StorageError {
        StorageError(.corrupt, "The bytes are not a replica's patch of a commit, so it is refused whole.")
    }

    private static func kind(
        _ kind: UInt8, of model: String, _ records: inout IndexingIterator<[DynamicRecord]>
    ) throws(StorageError) -> Change.Kind {
        guard let record = records.next(), record.model == model else { throw misshapen }
        switch kind {
        case 1: return .inserted(record)
        case 3: return .deleted(record)
        case 2:
            guard let after = records.next(), after.model == model,
                after.fields.map(\.name) == record.fields.map(\.name)
            else { throw misshapen }
            return .updated(
                zip(record.fields, after.fields).map {
                    PropertyChange(name: $0.name, before: $0.content, after: $1.content)
                })
        default: throw misshapen
        }
    }
}
