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
    var isUnique = false
    var renamedFrom: String?
    /// The value of records that were stored before the property existed.
    var defaultValue: FieldValue?

    init(
        _ name: String, _ type: FieldType, isOptional: Bool = false, isUnique: Bool = false, renamedFrom: String? = nil,
        default value: FieldValue? = nil
    ) {
        (self.name, self.type, self.isOptional, self.isUnique) = (name, type, isOptional, isUnique)
        (self.renamedFrom, defaultValue) = (renamedFrom, value)
    }

    /// The usual key.
    static let id = VersionField("id", .int)
}

/// The type of a version's property.
enum FieldType: Sendable {
    case int, double, text, texts
    case one(any VersionRecord.Type)
    case many(any VersionRecord.Type)

    var child: (any VersionRecord.Type)? {
        switch self {
        case .one(let child), .many(let child): child
        case .int, .double, .text, .texts: nil
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

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        /// The key, which stands first in every version.
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
    }
}

extension Versioned: VersionRecord {
    static func property(_ field: VersionField) -> Property {
        let (name, former) = (field.name, field.renamedFrom)
        return switch field.type {
        case .many where field.isOptional: Property(name, [Self]?.self, renamedFrom: former)
        case .many: Property(name, [Self].self, renamedFrom: former, default: { [] })
        case _ where field.isOptional: Property(name, Self?.self, renamedFrom: former)
        default: Property(name, Self.self, renamedFrom: former)
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

    static func shown(_ values: [FieldValue]) -> Any { Self(values: values) }
}

extension VersionField {
    fileprivate var property: Property {
        func column<T: ColumnValue>(
            _: T.Type, _ convert: @escaping @Sendable (FieldValue) -> T
        ) -> Property {
            let traits: Property.Traits = name == "id" ? .key : isUnique ? .unique : []
            guard let value = defaultValue else { return Property(name, T.self, traits, renamedFrom: renamedFrom) }
            return Property(name, T.self, traits, renamedFrom: renamedFrom, default: { convert(value) })
        }
        switch type {
        case .int: return isOptional ? column(Int?.self) { $0.int } : column(Int.self) { $0.int ?? 0 }
        case .double: return isOptional ? column(Double?.self) { $0.double } : column(Double.self) { $0.double ?? 0 }
        case .text: return isOptional ? column(String?.self) { $0.text } : column(String.self) { $0.text ?? "" }
        case .texts: return isOptional ? column([String]?.self) { $0.texts } : column([String].self) { $0.texts ?? [] }
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
        case .one(let child), .many(let child): try child.read(&row, self)
        }
    }

    fileprivate func write(_ value: FieldValue, to row: inout RowWriter) {
        switch type {
        case .int: isOptional ? row.write(value.int) : row.write(value.int ?? 0)
        case .double: isOptional ? row.write(value.double) : row.write(value.double ?? 0)
        case .text: isOptional ? row.write(value.text) : row.write(value.text ?? "")
        case .texts: isOptional ? row.write(value.texts) : row.write(value.texts ?? [])
        case .one(let child), .many(let child): child.write(value, self, to: &row)
        }
    }
}

extension FieldValue {
    fileprivate var int: Int? { if case .int(let value) = self { value } else { nil } }
    fileprivate var double: Double? { if case .double(let value) = self { value } else { nil } }
    fileprivate var text: String? { if case .text(let value) = self { value } else { nil } }
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
            let former = field.renamedFrom.map { "@Field(renamedFrom: \(SwiftSource.literal($0))) " } ?? ""
            let value = field.defaultValue.map { " = \(SwiftSource.text(of: $0.shown(nil)))" } ?? ""
            return
                "    \(former)\(field.isUnique ? "@Unique " : "")var \(field.name): \(field.type.swift)\(field.isOptional ? "?" : "")\(value)"
        }
        return """
            @Storable(\(SwiftSource.literal(V.model))) struct \(SwiftSource.name(of: Self.self)) {
            \(lines.joined(separator: "\n"))
            }
            """
    }
}

extension FieldType {
    fileprivate var swift: String {
        switch self {
        case .int: "Int"
        case .double: "Double"
        case .text: "String"
        case .texts: "[String]"
        case .one(let child): SwiftSource.name(of: child)
        case .many(let child): "[\(SwiftSource.name(of: child))]"
        }
    }
}
