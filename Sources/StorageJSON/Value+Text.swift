public import StorageDriver

// Values of records without types as text, in the form that the tool prints and reads.

extension Value {
    /// The value as text; nil for nil.
    ///
    /// The form is that of CSV: numbers and dates as in JSON, bytes as base64, arrays and embedded values as their JSON.
    /// `init(text:as:)` gives the same value back.
    ///
    /// - Parameter type: the type of the property.
    public func text(as type: ColumnType) -> String? { ValueForm.text(self, type) }

    /// The value that a text of `text(as:)`'s form has.
    ///
    /// Returns nil if the text is no value of the type.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - type: the type of the property.
    public init?(text: String, as type: ColumnType) {
        guard let value = ValueForm.value(text: text, type) else { return nil }
        self = value
    }
}
