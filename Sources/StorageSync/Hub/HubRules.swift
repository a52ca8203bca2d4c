public import StorageAPI
public import StorageDriver

/// The rules of a hub: the rights of its users, and decisions on properties that two have changed.
///
/// The closures run on the threads of the hub's store. They may be called several times for one patch: patches that arrive at once
/// share a transaction, which runs again if one of them fails. The transport names the user; nil for none.
public struct HubRules: Sendable {
    /// Returns whether a user may read a model, and write it; by default everyone may. A replica that declares a model that its user
    /// may not read is refused with ``SyncRefusal/notAllowed``.
    public var canRead: @Sendable (_ user: String?, _ model: String) -> Bool = { _, _ in true }

    /// Judges a patch in the hub's transaction after its records are written. An error that it throws refuses the patch, with
    /// the error's description as the reason. An error that is no verdict on the patch, such as `io`, leaves it waiting.
    public var judge: (@Sendable (Judgement) throws -> Void)?

    /// Decides on a property that a patch and others have changed: returns the content to store, or nil for the usual merge.
    public var merge: (@Sendable (Conflict) -> DynamicRecord.Content?)?

    /// Models of which each user has a part: the records whose property, by its stored name, is the user's name. The property is a text, an integer
    /// or a `UUID`, and never changes after the insert. Records of others are not sent, not told and not writable.
    ///
    /// References to such a record come from records of the same user alone; a patch with another one is refused. Reasons of
    /// refusals name no records of others. A user can find out by an insert that a key is taken, so take keys that cannot be
    /// guessed, such as `UUID`s.
    public var parts: [String: String] = [:]

    /// Rules by which everyone may read and write all.
    public init() {}

    /// A patch that is judged.
    public struct Judgement {
        /// The patch.
        public let patch: SyncPatch
        /// The user who sends it; nil if the transport names none.
        public let user: String?
        /// The hub's transaction, to read the records with the patch.
        public let session: Session

        /// The reading verbs of the hub's transaction.
        public struct Session: ReadingVerbs {
            public let _session: Store.Session
        }
    }

    /// A property that a patch has set, and others too since the patch's author read it.
    public struct Conflict: Sendable {
        /// The model's stored name.
        public let model: String
        /// The record's key, one value for each key property.
        public let key: [Value]
        /// The property with its content as the author knew it, and as the patch sets it.
        public let change: SyncPatch.PropertyChange
        /// The content that is stored at the hub.
        public let stored: DynamicRecord.Content
        /// The user who sends the patch.
        public let user: String?
    }
}

extension HubRules {
    /// The user to whom a record of a model with parts belongs, by the property's value.
    enum Reader: Hashable {
        case text(String)
        /// An integer in decimal digits.
        case number(String)
        /// The hexadecimal digits of a UUID.
        case uuid(String)

        static func == (one: Reader, other: Reader) -> Bool {
            switch (one, other) {
            case (.text(let one), .text(let other)), (.number(let one), .number(let other)),
                (.uuid(let one), .uuid(let other)):
                one.utf8.elementsEqual(other.utf8)
            default: false
            }
        }

        func hash(into hasher: inout Hasher) {
            let text =
                switch self {
                case .text(let text), .number(let text), .uuid(let text): text
                }
            // Texts that are equal to Swift may differ in their bytes, which are compared.
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    /// A user as the values of a property may name the user; empty for none.
    static func readers(_ user: String?) -> [Reader] {
        guard let user else { return [] }
        return [.text(user), .number(user), .uuid(user.lowercased().filter { $0 != "-" })]
    }

    /// The user to whom a record of a model with parts belongs; nil for no user.
    func reader(of record: DynamicRecord) -> Reader? {
        guard let property = parts[record.model], let value = record.value(property) else { return nil }
        return switch value {
        case .text(let text): .text(text)
        case .int(let number): .number("\(number)")
        case .unsigned(let number): .number("\(number)")
        case .blob(let bytes) where bytes.count == 16: .uuid(Self.hexadecimal(bytes))
        case .blob, .null, .double: nil
        }
    }

    /// Returns whether a record belongs to the part of a user.
    func isReadable(_ record: DynamicRecord, by readers: [Reader]) -> Bool {
        if parts[record.model] == nil { return true }
        return reader(of: record).map(readers.contains) ?? false
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
