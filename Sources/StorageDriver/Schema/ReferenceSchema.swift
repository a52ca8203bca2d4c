/// The target of a column, which holds one part of the key of a record of another model, or of the same.
///
/// The store sees to references; an engine stores this with the column, and may declare it to other programs.
public struct ReferenceSchema: Hashable, Sendable, Codable {
    /// The stored name of the model that is referred to.
    @inlinable public var model: String {
        get { storedModel.text }
        set { storedModel = StoredName(newValue) }
    }
    @usableFromInline package var storedModel: StoredName
    /// The rule for the reference when the record that it names is deleted.
    public var onDelete: DeleteRule
    /// The part of the key that the column holds, from 0.
    public var part: Int
    /// A Boolean value that indicates whether the table's rows are the elements of an array of references, and not of
    /// owned records.
    public var isElement: Bool

    private enum CodingKeys: String, CodingKey {
        case onDelete, part, isElement
        case storedModel = "model"
    }

    /// A part of a reference.
    public init(model: String, onDelete: DeleteRule, part: Int = 0, isElement: Bool = false) {
        storedModel = StoredName(model)
        self.onDelete = onDelete
        self.part = part
        self.isElement = isElement
    }
}

/// The rule for a reference when the record that it names is deleted (clause R3).
public enum DeleteRule: String, Hashable, Sendable, Codable, CaseIterable {
    /// The delete is refused with `constraint`, unless the referring record is deleted by the same call.
    case deny
    /// The referring record is deleted too.
    case cascade
    /// The reference becomes nil; an array loses its elements that name the record.
    case nullify
    /// No check, neither when the reference is written nor when its record is deleted.
    case unchecked
}
