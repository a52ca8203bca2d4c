// Versions of the model Note and of the type Tag that it owns: what one program declares, and another.

/// The model with its key alone.
enum Bare: ModelVersion { static let fields: [VersionField] = [.id] }

/// The model with properties beside the key, given by a type.
protocol NoteVersion: ModelVersion { static var properties: [VersionField] { get } }
extension NoteVersion { static var fields: [VersionField] { [.id] + properties } }

/// The tags that a Note owns.
protocol TagVersion: ModelVersion { static var properties: [VersionField] { get } }
extension TagVersion {
    static var model: String { "Tag" }
    static var fields: [VersionField] { [.id] + properties }
}

enum PlainTag: TagVersion { static let properties = [VersionField("name", .text, default: "")] }
enum SecretTag: TagVersion {
    static let properties = [
        VersionField("name", .text, default: ""), VersionField("secret", .text, isOptional: true),
    ]
}
enum DeepTag: TagVersion {
    static let properties = [
        VersionField("name", .text, default: ""), VersionField("marks", .many(Versioned<PlainTag>.self)),
    ]
}
enum NestingTag: TagVersion {
    static var properties: [VersionField] {
        [VersionField("name", .text, default: ""), VersionField("tags", .many(Versioned<NestingTag>.self))]
    }
}
enum SecretNestingTag: TagVersion {
    static var properties: [VersionField] {
        [
            VersionField("name", .text, default: ""), VersionField("tags", .many(Versioned<SecretNestingTag>.self)),
            VersionField("secret", .text, isOptional: true), VersionField("marks", .many(Versioned<PlainMark>.self)),
        ]
    }
}
enum PlainMark: ModelVersion {
    static let model = "Mark"
    static let fields: [VersionField] = [.id]
}

/// The stops that a Note owns, without a key.
enum PlainStop: ModelVersion {
    static let model = "Halt"
    static let fields = [VersionField("name", .text, default: "")]
}
enum SecretStop: ModelVersion {
    static let model = "Halt"
    static let fields = PlainStop.fields + [VersionField("secret", .text, isOptional: true)]
}
enum Stops: NoteVersion { static let properties = [VersionField("stops", .many(Versioned<PlainStop>.self))] }
enum SecretStops: NoteVersion { static let properties = [VersionField("stops", .many(Versioned<SecretStop>.self))] }

/// Tags that only own others; and the same records by a type of another name, which owns nothing.
enum BareNestingTag: TagVersion {
    static var properties: [VersionField] { [VersionField("tags", .many(Versioned<BareNestingTag>.self))] }
}
enum BareNestingTags: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<BareNestingTag>.self))]
}
enum TagsAsMarks: NoteVersion { static let properties = [VersionField("tags", .many(Versioned<PlainMark>.self))] }

// MARK: Kinds under one name

enum Tags: NoteVersion { static let properties = [VersionField("tags", .many(Versioned<PlainTag>.self))] }
enum OptionalTags: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<PlainTag>.self), isOptional: true)]
}
enum TagsAsTexts: NoteVersion { static let properties = [VersionField("tags", .texts)] }
enum TagsAsText: NoteVersion { static let properties = [VersionField("tags", .text, isOptional: true)] }
enum OneTag: NoteVersion {
    static let properties = [VersionField("tags", .one(Versioned<PlainTag>.self), isOptional: true)]
}
enum TextAsTags: NoteVersion {
    static let properties = [VersionField("tags", .text, isOptional: true, renamedFrom: "title")]
}
enum Title: NoteVersion { static let properties = [VersionField("title", .text, isOptional: true)] }
enum RequiredTitle: NoteVersion { static let properties = [VersionField("title", .text)] }
enum TitleAndSize: NoteVersion {
    static let properties = Title.properties + [VersionField("size", .int, default: 3)]
}
enum TitleAndTags: NoteVersion {
    static let properties = [
        VersionField("title", .text, isOptional: true), VersionField("tags", .many(Versioned<PlainTag>.self)),
    ]
}

enum CountAndTags: NoteVersion {
    static let properties = [VersionField("count", .int), VersionField("tags", .many(Versioned<PlainTag>.self))]
}
/// The same in another form, with more.
enum MeasureAndMore: NoteVersion {
    static let properties = [
        VersionField("count", .double), VersionField("size", .int, default: 3),
        VersionField("tags", .many(Versioned<PlainTag>.self), isOptional: true),
        VersionField("labels", .many(Versioned<PlainTag>.self), isOptional: true),
    ]
}
enum Code: NoteVersion { static let properties = [VersionField("code", .text, marks: [.unique])] }
enum CodeAndMore: NoteVersion {
    static let properties =
        Code.properties + [
            VersionField("title", .text, isOptional: true),
            VersionField("tags", .many(Versioned<DeepTag>.self), isOptional: true),
            VersionField("labels", .many(Versioned<SecretTag>.self)),
        ]
}

/// The version as an owned record of another model, so that the same changes are made in a child.
enum InChild<V: NoteVersion>: ModelVersion {
    static var model: String { "Book" }
    static var fields: [VersionField] { [.id, VersionField("notes", .many(Versioned<V>.self))] }
}

/// The owner without what it owns.
enum BareBook: ModelVersion {
    static let model = "Book"
    static let fields: [VersionField] = [.id]
}

// MARK: Renames

enum Named: NoteVersion { static let properties = [VersionField("name", .text, isOptional: true)] }
enum TitleAndName: NoteVersion { static let properties = Title.properties + Named.properties }
enum NameFromTitle: NoteVersion {
    static let properties = [VersionField("name", .text, isOptional: true, renamedFrom: "title")]
}
/// The properties of ``TitledTags`` under other names.
enum NameAndLabels: NoteVersion {
    static let properties = [
        VersionField("name", .text, isOptional: true, renamedFrom: "title"),
        VersionField("labels", .many(Versioned<PlainTag>.self), renamedFrom: "tags"),
    ]
}
/// The same under yet other names, with new properties that have the first ones.
enum CallAndMarks: NoteVersion {
    static let properties = [
        VersionField("call", .text, isOptional: true, renamedFrom: "name"),
        VersionField("marks", .many(Versioned<PlainTag>.self), renamedFrom: "labels"),
        VersionField("title", .text, isOptional: true), VersionField("tags", .many(Versioned<PlainTag>.self)),
    ]
}
enum Labels: NoteVersion {
    static let properties = [VersionField("labels", .many(Versioned<PlainTag>.self))]
}
enum TagsAndLabels: NoteVersion { static let properties = Tags.properties + Labels.properties }
enum OptionalTagsAndLabels: NoteVersion { static let properties = OptionalTags.properties + Labels.properties }
enum TagsFromLabels: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<PlainTag>.self), renamedFrom: "labels")]
}
enum LabelsFromTags: NoteVersion {
    static let properties = [VersionField("labels", .many(Versioned<PlainTag>.self), renamedFrom: "tags")]
}
enum LabelsTextFromTags: NoteVersion {
    static let properties = [VersionField("labels", .text, isOptional: true, renamedFrom: "tags")]
}

// MARK: Owned records of other versions

enum TitledTags: NoteVersion {
    static let properties = [
        VersionField("title", .text, isOptional: true), VersionField("tags", .many(Versioned<PlainTag>.self)),
    ]
}
enum SecretTags: NoteVersion {
    static let properties = [
        VersionField("title", .text, isOptional: true), VersionField("tags", .many(Versioned<SecretTag>.self)),
    ]
}
enum DeepTags: NoteVersion {
    static let properties = [
        VersionField("title", .text, isOptional: true), VersionField("tags", .many(Versioned<DeepTag>.self)),
    ]
}
enum OneSecretTag: NoteVersion {
    static let properties = [VersionField("tags", .one(Versioned<SecretTag>.self), isOptional: true)]
}
enum NestingTags: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<NestingTag>.self))]
}
enum SecretNestingTags: NoteVersion {
    static let properties = [VersionField("tags", .many(Versioned<SecretNestingTag>.self))]
}

/// Arrays of one name at two levels.
enum TagsOfTags: NoteVersion { static let properties = [VersionField("tags", .many(Versioned<Tags>.self))] }

/// Properties called as the columns that lead from owned records to their owners.
enum PlacedTag: TagVersion {
    static var properties: [VersionField] {
        ["position", "owner", "node", "parent", "order"].map { VersionField($0, .int) }
            + [VersionField("tags", .many(Versioned<PlacedTag>.self))]
    }
}
enum PlacedTags: NoteVersion {
    static let properties = [
        VersionField("position", .int), VersionField("owner", .text),
        VersionField("tags", .many(Versioned<PlacedTag>.self)),
    ]
}
