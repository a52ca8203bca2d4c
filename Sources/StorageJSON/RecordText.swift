public import StorageAPI
import StorageDriver

/// Writes records without types in the form of the tool's exports, which its imports read again.
public enum RecordText {
    /// The content of a property as text; nil for nil. Owned records are their JSON.
    public static func text(_ content: DynamicRecord.Content) -> String? {
        switch content {
        case .value(let value, let type): return ValueForm.text(value, type)
        case .child(nil), .children(nil): return nil
        case .child, .children:
            var bytes: [UInt8] = []
            JSONText.append(content, to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Appends a JSON object with a member for each field, owned records included.
    public static func appendObject(_ fields: [DynamicRecord.Field], to bytes: inout [UInt8]) {
        JSONText.append(DynamicRecord(model: "", fields: fields), to: &bytes)
    }
}
