internal import Foundation
internal import StorageAPI

/// One version of a model, as a value. Versions with the same name are one model at different times.
protocol ModelVersion: Sendable {
    static var fields: [VersionField] { get }
    /// The stored name.
    static var model: String { get }
}

extension ModelVersion {
    static var model: String { "Note" }
}

/// A property of a version. The one that is called `id` is the key.
struct VersionField: Sendable {
    var name: String
    var type: FieldType
    var isOptional = false
    var marks: Set<FieldMark> = []
    /// The names in earlier versions, the latest first.
    var renamedFrom: [String] = []
    /// The value of records that were stored before the property existed.
    var defaultValue: FieldValue?

    init(
        _ name: String, _ type: FieldType, isOptional: Bool = false, marks: Set<FieldMark> = [],
        renamedFrom: String..., default value: FieldValue? = nil
    ) {
        (self.name, self.type, self.isOptional, self.marks) = (name, type, isOptional, marks)
        (self.renamedFrom, defaultValue) = (renamedFrom, value)
    }

    func renamed(from names: [String]) -> VersionField {
        var field = self
        field.renamedFrom = names
        return field
    }

    /// The usual key.
    static let id = VersionField("id", .int)
}

/// A mark of a version's property.
enum FieldMark: String, Hashable, Sendable, CaseIterable {
    case unique = "@Unique"
    case indexed = "@Indexed"
    case searched = "@Searchable"
    case expires = "@Expires"
}

/// The type of a version's property.
enum FieldType: Sendable {
    case int, double, text, texts
    /// Values are the seconds since the reference date.
    case date
    /// Values are keys.
    case reference(any VersionRecord.Type, DeleteRule)
    case one(any VersionRecord.Type)
    case many(any VersionRecord.Type)

    var child: (any VersionRecord.Type)? {
        switch self {
        case .one(let child), .many(let child): child
        case .int, .double, .text, .texts, .date, .reference: nil
        }
    }
}

/// A value of a property of a version.
indirect enum FieldValue: Hashable, Sendable {
    case null
    case int(Int)
    case double(Double)
    case text(String)
    case texts([String])
    case record([FieldValue])
    case records([[FieldValue]])
}

extension FieldValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
    ExpressibleByNilLiteral
{
    init(integerLiteral value: Int) { self = .int(value) }
    init(stringLiteral value: String) { self = .text(value) }
    init(floatLiteral value: Double) { self = .double(value) }
    init(nilLiteral: ()) { self = .null }
}

/// Reads and writes records of a version whose type is known at run time only.
protocol VersionRecord: Storable {
    static func property(_ field: VersionField) -> Property
    static func read(_ row: inout RowReader, _ field: VersionField) throws(StorageError) -> FieldValue
    static func write(_ value: FieldValue, _ field: VersionField, to row: inout RowWriter)
    /// A property that refers to a record.
    static func reference(_ field: VersionField, _ rule: DeleteRule) -> Property
    static func readReference(_ row: inout RowReader, _ field: VersionField) throws(StorageError) -> FieldValue
    static func writeReference(_ value: FieldValue, _ field: VersionField, to row: inout RowWriter)
    /// The record as a value of its own type, for snippets and comparisons.
    static func shown(_ values: [FieldValue]) -> Any
}

/// A record of a version: one value for each field, in their order.
struct Versioned<V: ModelVersion>: Storable, Equatable {
    var values: [FieldValue]

    typealias Key = Int

    static var schema: ModelSchema {
        ModelSchema(V.model, V.fields.map(\.property))
    }

    init(_ values: FieldValue...) { self.values = values }
    init(values: [FieldValue]) { self.values = values }

    init(reading row: inout RowReader) throws(StorageError) {
        values = []
        for field in V.fields { values.append(try field.read(&row)) }
    }

    func write(into row: inout RowWriter) {
        for (field, value) in zip(V.fields, values) { field.write(value, to: &row) }
    }

    func writeKey(into row: inout RowWriter) {
        for (field, value) in zip(V.fields, values) where field.name == "id" { field.write(value, to: &row) }
    }

    mutating func assign(_ key: Int) { values[0] = .int(key) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        /// The key, which stands first in every version.
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
    }
}

extension Versioned: VersionRecord {
    static func property(_ field: VersionField) -> Property {
        switch field.type {
        case .many where field.isOptional: Property(field.name, [Self]?.self)
        case .many: Property(field.name, [Self].self, default: { [] })
        case _ where field.isOptional: Property(field.name, Self?.self)
        default: Property(field.name, Self.self)
        }
    }

    static func read(_ row: inout RowReader, _ field: VersionField) throws(StorageError) -> FieldValue {
        switch field.type {
        case .many where field.isOptional: try row.read([Self]?.self).map { .records($0.map(\.values)) } ?? .null
        case .many: .records(try row.read([Self].self).map(\.values))
        case _ where field.isOptional: try row.read(Self?.self).map { .record($0.values) } ?? .null
        default: .record(try row.read(Self.self).values)
        }
    }

    static func write(_ value: FieldValue, _ field: VersionField, to row: inout RowWriter) {
        switch (field.type, value) {
        case (.many, .records(let records)) where field.isOptional: row.write(Optional(records.map(Self.init(values:))))
        case (.many, .records(let records)): row.write(records.map(Self.init(values:)))
        case (.many, _): row.write([Self]?.none)
        case (_, .record(let values)) where field.isOptional: row.write(Optional(Self(values: values)))
        case (_, .record(let values)): row.write(Self(values: values))
        default: row.write(Self?.none)
        }
    }

    static func reference(_ field: VersionField, _ rule: DeleteRule) -> Property {
        field.isOptional
            ? Property(field.name, Ref<Self>?.self, field.traits, onDelete: rule)
            : Property(field.name, Ref<Self>.self, field.traits, onDelete: rule)
    }

    static func readReference(_ row: inout RowReader, _ field: VersionField) throws(StorageError) -> FieldValue {
        field.isOptional
            ? try row.read(Ref<Self>?.self).map { .int($0.key) } ?? .null : .int(try row.read(Ref<Self>.self).key)
    }

    static func writeReference(_ value: FieldValue, _ field: VersionField, to row: inout RowWriter) {
        let reference = value.int.map(Ref<Self>.init(key:))
        if field.isOptional { row.write(reference) } else { row.write(reference ?? Ref(key: 0)) }
    }

    static func shown(_ values: [FieldValue]) -> Any { Self(values: values) }
}

extension VersionField {
    fileprivate var property: Property {
        var property = unmarked
        property.renamedFrom = renamedFrom
        if marks.contains(.searched) { property.searchWeight = 1 }
        return property
    }

    fileprivate var traits: Property.Traits {
        var traits: Property.Traits = name == "id" ? .key : []
        if marks.contains(.unique) { traits.insert(.unique) }
        if marks.contains(.indexed) { traits.insert(.indexed) }
        if marks.contains(.expires) { traits.insert(.expires) }
        return traits
    }

    private var unmarked: Property {
        func column<T: ColumnValue>(
            _: T.Type, _ convert: @escaping @Sendable (FieldValue) -> T
        ) -> Property {
            guard let value = defaultValue else { return Property(name, T.self, traits) }
            return Property(name, T.self, traits, default: { convert(value) })
        }
        switch type {
        case .int: return isOptional ? column(Int?.self) { $0.int } : column(Int.self) { $0.int ?? 0 }
        case .double: return isOptional ? column(Double?.self) { $0.double } : column(Double.self) { $0.double ?? 0 }
        case .text: return isOptional ? column(String?.self) { $0.text } : column(String.self) { $0.text ?? "" }
        case .texts: return isOptional ? column([String]?.self) { $0.texts } : column([String].self) { $0.texts ?? [] }
        case .date: return isOptional ? column(Date?.self) { $0.date } : column(Date.self) { $0.date ?? .distantFuture }
        case .reference(let target, let rule): return target.reference(self, rule)
        case .one(let child), .many(let child): return child.property(self)
        }
    }

    fileprivate func read(_ row: inout RowReader) throws(StorageError) -> FieldValue {
        switch type {
        case .int: isOptional ? try row.read(Int?.self).map(FieldValue.int) ?? .null : .int(try row.read(Int.self))
        case .double:
            isOptional
                ? try row.read(Double?.self).map(FieldValue.double) ?? .null : .double(try row.read(Double.self))
        case .text:
            isOptional ? try row.read(String?.self).map(FieldValue.text) ?? .null : .text(try row.read(String.self))
        case .texts:
            isOptional
                ? try row.read([String]?.self).map(FieldValue.texts) ?? .null : .texts(try row.read([String].self))
        case .date:
            isOptional ? try row.read(Date?.self).map(FieldValue.date) ?? .null : .date(try row.read(Date.self))
        case .reference(let target, _): try target.readReference(&row, self)
        case .one(let child), .many(let child): try child.read(&row, self)
        }
    }

    fileprivate func write(_ value: FieldValue, to row: inout RowWriter) {
        switch type {
        case .int: isOptional ? row.write(value.int) : row.write(value.int ?? 0)
        case .double: isOptional ? row.write(value.double) : row.write(value.double ?? 0)
        case .text: isOptional ? row.write(value.text) : row.write(value.text ?? "")
        case .texts: isOptional ? row.write(value.texts) : row.write(value.texts ?? [])
        case .date: isOptional ? row.write(value.date) : row.write(value.date ?? .distantFuture)
        case .reference(let target, _): target.writeReference(value, self, to: &row)
        case .one(let child), .many(let child): child.write(value, self, to: &row)
        }
    }
}

extension FieldValue {
    fileprivate var int: Int? { if case .int(let value) = self { value } else { nil } }
    fileprivate var double: Double? { if case .double(let value) = self { value } else { nil } }
    fileprivate var text: String? { if case .text(let value) = self { value } else { nil } }
    fileprivate var date: Date? { double.map(Date.init(timeIntervalSinceReferenceDate:)) }
    fileprivate static func date(_ date: Date) -> FieldValue { .double(date.timeIntervalSinceReferenceDate) }
    fileprivate var texts: [String]? { if case .texts(let value) = self { value } else { nil } }
}

// MARK: Snippets

extension Versioned: CustomReflectable {
    var customMirror: Mirror {
        Mirror(
            self, children: zip(V.fields, values).map { ($0.name, $1.shown($0.type.child)) },
            displayStyle: .struct)
    }
}

extension FieldValue {
    /// The value as a program has it.
    fileprivate func shown(_ child: (any VersionRecord.Type)?) -> Any {
        switch self {
        case .null: Int?.none as Any
        case .int(let value): value
        case .double(let value): value
        case .text(let value): value
        case .texts(let value): value
        case .record(let values): child.map { $0.shown(values) } ?? self
        case .records(let records): child.map { child in records.map { child.shown($0) } } ?? self
        }
    }
}

extension Versioned: DeclaredModel {
    static var declaration: String {
        let lines = V.fields.map { field in
            let names = field.renamedFrom.map { SwiftSource.literal($0) }.joined(separator: ", ")
            let former = names.isEmpty ? "" : "@Field(renamedFrom: \(names)) "
            let value = field.defaultValue.map { " = \(SwiftSource.text(of: $0.shown(nil)))" } ?? ""
            let marks = FieldMark.allCases.filter(field.marks.contains).map { $0.rawValue + " " }.joined()
            return
                "    \(former)\(marks)\(field.type.rule)var \(field.name): \(field.type.swift)\(field.isOptional ? "?" : "")\(value)"
        }
        return """
            @Storable(\(SwiftSource.literal(V.model))) struct \(SwiftSource.name(of: Self.self)) {
            \(lines.joined(separator: "\n"))
            }
            """
    }
}

extension FieldType {
    /// The declared rule of a reference, with a space after it.
    fileprivate var rule: String {
        if case .reference(_, let rule) = self { "@Reference(onDelete: .\(rule)) " } else { "" }
    }

    fileprivate var swift: String {
        switch self {
        case .date: "Date"
        case .reference(let target, _): "Ref<\(SwiftSource.name(of: target))>"
        case .int: "Int"
        case .double: "Double"
        case .text: "String"
        case .texts: "[String]"
        case .one(let child): SwiftSource.name(of: child)
        case .many(let child): "[\(SwiftSource.name(of: child))]"
        }
    }
}
