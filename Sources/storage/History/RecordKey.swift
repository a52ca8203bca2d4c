import StorageAPI
import StorageJSON

/// A record's key as the history prints it.
struct RecordKey {
    let values: [Value]
    /// The key's properties; empty if the model is gone.
    let properties: [RecordSchema.Property]

    /// The values, separated by commas.
    var text: String {
        var bytes: [UInt8] = []
        for part in values.indices {
            if part > 0 { bytes += ", ".utf8 }
            append(part, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the values as a JSON array.
    func append(to bytes: inout [UInt8]) {
        JSONText.append(values.indices, open: "[", close: "]", to: &bytes) { append($0, to: &$1) }
    }

    private func append(_ part: Int, to bytes: inout [UInt8]) {
        if properties.indices.contains(part), case .column(let type) = properties[part].kind {
            ValueForm.append(values[part], type, to: &bytes)
        } else {
            JSONText.append([values[part]].keyText, to: &bytes)
        }
    }
}
