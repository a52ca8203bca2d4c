public import StorageDriver

extension Property {
    /// The place of a property in JSON, and the forms that JSON may have for it.
    public struct JSONForm: Sendable {
        /// The names of the members that lead to it, with points between them: `info.age`. Nil for the stored name.
        public var path: String?
        /// The form of dates; nil for the form that the call chooses.
        public var dates: DateForm?
        /// A Boolean value that indicates whether a text may stand for the number or the truth value that it spells,
        /// and the reverse; and whether null stands for the default.
        public var isLenient = false
        /// Makes the stored value from the JSON value, which is a text for an array or an object: its JSON.
        public var convert: (@Sendable (Value) throws -> Value)?

        /// Only the form of the property's type.
        public init() {}
    }

    /// The forms of dates in JSON.
    public enum DateForm: Hashable, Sendable {
        /// Texts of ISO 8601: `2026-11-22`, `2026-11-22T20:15:00Z`, `2026-11-22 20:15:00.5+01:00`. Without a zone they
        /// are UTC.
        case iso8601
        /// Numbers of seconds since 1970.
        case secondsSince1970
        /// Numbers of milliseconds since 1970.
        case millisecondsSince1970
        /// Texts of a pattern: `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss`, `SSS` for any digits of a second, `Z` for a zone;
        /// every other character stands for itself, and letters need quotes: `dd.MM.yyyy 'at' HH:mm`. Without a zone
        /// they are UTC.
        case pattern(String)
    }

    /// The property with its form in JSON: `@Field(path: "info.age")` writes it.
    ///
    /// - Parameters:
    ///   - path: the names of the members that lead to it, with points between them; nil for the stored name.
    ///   - dates: how its dates are written.
    ///   - lenient: whether a text may be the number or the truth value that it spells, and the other way round.
    ///   - convert: makes the stored value from the JSON value.
    public func json(
        path: String? = nil, dates: DateForm? = nil, lenient: Bool = false,
        convert: (@Sendable (Value) throws -> Value)? = nil
    ) -> Property {
        var property = self
        property.form.path = path
        property.form.dates = dates
        property.form.isLenient = lenient
        property.form.convert = convert
        return property
    }
}

extension Property {
    /// The property, found by full-text searches; `@Searchable` renders it. A model has at most 200 such properties.
    ///
    /// - Parameter weight: the weight of its words in the relevance of a record, above 0.
    public func searchable(weight: Double = 1) -> Property {
        var property = self
        property.searchWeight = weight
        return property
    }
}
