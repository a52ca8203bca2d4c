public import StorageAPI
public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Storable {
    /// Makes the model from JSON, without a second type for it: properties come from the members of their names, or from
    /// where `@Field(path:)` says.
    ///
    /// ```swift
    /// let person = try Person(json: data, at: "data.person")
    /// ```
    ///
    /// A missing member gives the property's default, and nil to an Optional; null is nil. Members that no property names
    /// are ignored.
    ///
    /// - Parameters:
    ///   - json: UTF-8 text of RFC 8259.
    ///   - path: the names of the members that lead to the object, with points between them.
    ///   - dates: how dates are written where the property does not say it; nil for ISO 8601, or seconds since 2001.
    ///   - lenient: whether a text may be the number or the truth value that it spells, and the other way round.
    /// - Throws: `invalidValue` for text that is not JSON, a required property that is missing, or a value that the
    ///   property cannot hold. The message names the place in the JSON and what stands there, the error the property.
    public init(
        json: Data, at path: String = "", dates: Property.DateForm? = nil, lenient: Bool = false
    ) throws(StorageError) {
        let models = try Self.models(json: json, at: path, dates: dates, lenient: lenient)
        guard models.count == 1, let model = models.first else {
            throw StorageError(
                .invalidValue,
                "There are \(models.count) records\(path.isEmpty ? "" : " at \(path)"), and one is wanted.",
                model: Self.schema.name)
        }
        self = model
    }

    /// Makes the models from JSON: an array of objects, one object, or an object on each line. As
    /// `init(json:at:dates:lenient:)`.
    ///
    /// Holds all models in memory; `save(json:as:)` stores any number.
    /// - Throws: `invalidValue` as for one, with the index of the element.
    public static func models(
        json: Data, at path: String = "", dates: Property.DateForm? = nil, lenient: Bool = false
    ) throws(StorageError) -> [Self] {
        try ModelJSON<Self>(at: path, dates: dates, isLenient: lenient).models(DataContents(json))
    }

    /// Makes the model from a dictionary, as JSON parsers return them: texts, numbers, `Bool`, `Date`, `Data`, nil, and
    /// arrays and dictionaries of these. As `init(json:at:dates:lenient:)`.
    ///
    /// - Throws: `invalidValue`, also for a value of another type.
    public init(
        dictionary: [String: Any], at path: String = "", dates: Property.DateForm? = nil, lenient: Bool = false
    ) throws(StorageError) {
        let json = try JSONValue(dictionary, of: Self.schema.name).text
        try self.init(json: Data(json.utf8), at: path, dates: dates, lenient: lenient)
    }

    /// The record as JSON that `init(json:at:dates:lenient:)` reads again: with everything that it owns, each property where
    /// its `@Field(path:)` says.
    ///
    /// - Throws: `invalidValue` for a value that cannot be stored.
    public func json() throws(StorageError) -> Data {
        let values = try ModelJSON<Self>(at: "", dates: nil, isLenient: false).json([self])
        return Data((values.first ?? .null).text.utf8)
    }
}

extension Sequence where Element: Storable {
    /// The records as a JSON array. As `Storable/json()`.
    ///
    /// - Throws: `invalidValue` for a value that cannot be stored, with the index of the element.
    public func json() throws(StorageError) -> Data {
        let values = try ModelJSON<Element>(at: "", dates: nil, isLenient: false).json(Array(self))
        return Data(JSONValue.array(values).text.utf8)
    }
}

extension JSONValue {
    /// The JSON of a dictionary's value.
    ///
    /// - Throws: `invalidValue` for a value that JSON does not have.
    init(_ value: Any, of model: String, at place: String = "") throws(StorageError) {
        switch value {
        case let flag as Bool where Self.isFlag(value): self = .bool(flag)
        case let value as Int: self = .number("\(value)")
        case let value as any BinaryInteger: self = .number("\(value)")
        case let value as Double: self = value.isFinite ? .number(JSONFormat.number(value)) : .string("\(value)")
        case let value as Float: self = value.isFinite ? .number("\(value)") : .string("\(value)")
        case let value as Decimal: self = .number("\(value)")
        case let value as String: self = .string(value)
        case let value as Date: self = ValueForm.json(value.value, .date)
        case let value as Data: self = .string(value.base64EncodedString())
        case let value as UUID: self = .string(value.uuidString)
        case let value as URL: self = .string(value.absoluteString)
        case let value as [String: Any]:
            var members: [Member] = []
            for (name, value) in value.sorted(by: { $0.key < $1.key }) {
                members.append(
                    Member(name: name, value: try JSONValue(value, of: model, at: RecordProblem.join(place, name))))
            }
            self = .object(members)
        case let value as [Any]:
            var elements: [JSONValue] = []
            for (index, value) in value.enumerated() {
                elements.append(try JSONValue(value, of: model, at: "\(place)[\(index)]"))
            }
            self = .array(elements)
        default:
            if let optional = value as? any OptionalValue, optional.isNothing {
                self = .null
            } else if String(describing: type(of: value)) == "NSNull" {
                self = .null
            } else {
                throw StorageError(
                    .invalidValue, "\(place) is of type \(type(of: value)), which JSON does not have.", model: model)
            }
        }
    }

    /// Returns whether a value is a truth value and no number, which as an object of Foundation is both.
    private static func isFlag(_ value: Any) -> Bool {
        type(of: value) == Bool.self || String(describing: type(of: value)).contains("Boolean")
    }
}
