public import StorageDriver

extension Store {
    /// The change that a commit made to one record, with the record before and after it.
    ///
    /// It holds both states as the history stores them, so it is valid after the session that has read it, and costs the
    /// decoding of a record when one is asked for.
    public struct RecordDelta: Sendable {
        /// The kinds of change to a record.
        public enum Kind: String, Sendable, Hashable {
            /// The record is new.
            case inserted
            /// The record was replaced, or some of its properties or owned records were set.
            case updated
            /// The record is gone.
            case deleted
            /// Any record of the model may have changed, so that the changes of single records are not known: all were removed
            /// at once or were copied in, or the database has changed some by itself. The change has no key.
            case everything
        }

        /// A property that differs.
        public struct PropertyChange: Hashable, Sendable {
            /// The property's stored name.
            public let name: String
            /// The content before; nil if no record existed.
            public let before: DynamicRecord.Content?
            /// The content after; nil if the record is gone.
            public let after: DynamicRecord.Content?
        }

        /// The model's stored name.
        public var model: String { storedModel.text }
        /// The record's key, one value for each key property; empty for ``Kind/everything``.
        public let key: [Value]
        /// The kind of change.
        public let kind: Kind
        /// True if only rules of references have changed the record, by deleting it or by setting references to nil, and no
        /// call has. False for commits of earlier versions of the library, which did not record it.
        public let byRule: Bool
        /// The paths of the properties that the model did not have yet when the commit was made, such as `["lines", "unit"]` for
        /// a property of owned records. The records before and after have their defaults.
        ///
        /// Empty if the schema has not got a property since, and for commits before a version of the library that recorded
        /// changes of schemas.
        public var newProperties: Set<[String]> { Set(new.map { Array($0.texts.dropFirst()) }) }
        private let new: Set<StoredPath>
        let storedModel: StoredName
        private let form: RecordForm?
        private let former: RecordState
        private let later: RecordState

        /// - Parameters:
        ///   - form: the model's form, by which the states are read; nil if both are absent or unknown.
        ///   - before: the record before the change.
        ///   - after: the record after it.
        ///   - new: the paths of the properties that the model has got since.
        init(
            of model: StoredName, key: [Value], kind: Kind, byRule: Bool, form: RecordForm?, before: RecordState,
            after: RecordState, new: Set<StoredPath> = []
        ) {
            storedModel = model
            self.new = new
            (self.key, self.kind, self.byRule) = (key, kind, byRule)
            (self.form, former, later) = (form, before, after)
        }

        /// The record before the change, with all that it owned; nil if it did not exist.
        ///
        /// It is read as if it had stayed in the store: later changes of the schema to properties, their names and their types
        /// apply to it too.
        ///
        /// - Throws: `notKept` if the model's records were not kept then, and for ``Kind/everything``; `schemaMismatch` or
        ///   `typeMismatch` for a record that does not fit the model any more; `corrupt` if the entry is damaged.
        public func before() throws(StorageError) -> DynamicRecord? { try record(former) }

        /// The record after the change, with all that it owns; nil if the change has deleted it.
        ///
        /// It is read as ``before()`` is.
        ///
        /// - Throws: as ``before()``.
        public func after() throws(StorageError) -> DynamicRecord? { try record(later) }

        /// The properties that differ, in the order of the record's properties. For a record that is new or gone these are all
        /// its properties. An owned record, or an array of them, is one property.
        ///
        /// - Throws: as ``before()``.
        public func properties() throws(StorageError) -> [PropertyChange] {
            let (old, new) = (try before()?.fields ?? [], try after()?.fields ?? [])
            let (known, now) = (Self.contents(old), Self.contents(new))
            let gone = old.filter { now[$0.storedName] == nil }
            return (new + gone).compactMap { field in
                let (before, after) = (known[field.storedName], now[field.storedName])
                return before == after ? nil : PropertyChange(name: field.name, before: before, after: after)
            }
        }

        private static func contents(_ fields: [DynamicRecord.Field]) -> [StoredName: DynamicRecord.Content] {
            Dictionary(fields.map { ($0.storedName, $0.content) }) { first, _ in first }
        }

        private func record(_ state: RecordState) throws(StorageError) -> DynamicRecord? {
            switch state {
            case .absent: return nil
            case .unknown(let error): throw error
            case .image(let image, let changes):
                return try form?.record(image, key: key, since: changes)
            }
        }
    }
}

/// A record before or after a change.
enum RecordState: Sendable {
    /// No record existed.
    case absent
    /// The record as it was stored.
    ///
    /// - Parameter since: the changes of the model's schema since then.
    case image(RecordImage, since: [FormerSchema])
    /// It is not known, for a reason.
    case unknown(StorageError)
}

/// A model as one session knows it, to read images of its records.
struct RecordForm: Sendable {
    let handle: ModelHandle
    /// The values of properties that were added after an image was made.
    let defaults: DeclaredDefaults
    private let plain: PlainImages

    /// The model with the properties that programs declare.
    init(_ model: StoredName, _ registry: ModelRegistry, in session: any StorageSession) throws(StorageError) {
        handle = try registry.recorded(model, in: session)
        defaults = registry.defaults(of: model)
        plain = PlainImages(handle, defaults)
    }

    func record(
        _ image: RecordImage, key: [Value], since changes: [FormerSchema]
    ) throws(StorageError) -> DynamicRecord? {
        if changes.isEmpty, let record = try plain.record(image, key: key) { return record }
        return try image.record(DynamicRecord.self, key: key, handle, defaults: defaults, since: changes)
    }
}
