package import StorageDriver

/// Lossless type changes of a property (clause S3).
package enum ValueConversion {
    /// Returns whether some values of `old` can become values of `new`; each value is then checked by
    /// ``convert(_:from:to:)``.
    package static func exists(from old: ColumnType, to new: ColumnType) -> Bool {
        if old == new { return true }
        // Elements change as values do.
        if case (.array(let old), .array(let new)) = (old, new) { return exists(from: old, to: new) }
        switch (old.storage, new.storage) {
        case (.integer, .integer): return true
        case (.integer, .double), (.double, .double): return old.row.computing != nil && new.row.computing != nil
        default: return old == .embedded && new.row.wasJSON
        }
    }

    /// The value in its new type, or nil where it would not be the same value.
    package static func convert(_ value: Value, from old: ColumnType, to new: ColumnType) -> Value? {
        old == new ? value : convert(value, to: new)
    }

    /// Converts a value of the type, or of a type that may have become it; nil if the result would not be the same
    /// value.
    package static func convert(_ value: Value, to new: ColumnType) -> Value? {
        if case (.text(let text), .array(let element)) = (value, new) {
            return ArrayElements.converted(text, to: element) { convert($0, to: $1) }.map(Value.text)
        }
        switch (value, new.storage) {
        case (.null, _), (.text, .text), (.blob, .blob): return value
        case (.int(let integer), .double): return double(integer, as: new)
        case (.int(let integer), .integer):
            if new == .uint64 { return integer >= 0 ? value : nil }
            return new.range?.contains(integer) == true ? value : nil
        case (.unsigned, .integer): return new == .uint64 ? value : nil
        case (.double(let double), .double):
            guard new == .float, !double.isNaN else { return value }
            return Float(exactly: double) == nil ? nil : value
        case (.text(let text), _): return new.row.value(ofJSON: text)
        default: return nil
        }
    }

    private static func double(_ integer: Int64, as new: ColumnType) -> Value? {
        let limit: UInt64 = new == .float ? 1 << 24 : 1 << 53
        return integer.magnitude <= limit ? .double(Double(integer)) : nil
    }
}
