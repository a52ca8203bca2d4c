import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Value {
    /// The value as a column of the type stores it, in the one form that the typed API writes; nil where no value of the
    /// type is meant. Null is a value of every type: whether a column takes it is another question.
    ///
    /// Integers become Doubles of the same value where the column has those. JSON text of arrays is written anew, so
    /// that equal arrays have equal text; embedded values keep theirs.
    func stored(as type: ColumnType) -> Value? {
        switch (type, self) {
        case (_, .null): self
        case (.uint64, .int(let value)): value >= 0 ? self : nil
        case (.uint64, .unsigned): self
        case (.double, .int(let value)): value.magnitude <= 1 << 53 ? .double(Double(value)) : nil
        case (.float, .int(let value)): value.magnitude <= 1 << 24 ? .double(Double(value)) : nil
        case (.float, .double(let value)): value.isNaN || Float(exactly: value) != nil ? self : nil
        case (.double, .double), (.date, .double): self
        case (_, .int(let value)): type.range?.contains(value) == true ? self : nil
        case (.string, .text): self
        case (.url, .text(let text)): URL(storedText: text) == nil ? nil : self
        case (.decimal, .text(let text)): Decimal(storedText: text).flatMap(\.storedText).map(Value.text)
        case (.array(let element), .text(let text)): element.arrayText(text).map(Value.text)
        case (.embedded, .text(let text)): JSONReader.isJSON(text) ? self : nil
        case (.data, .blob): self
        case (.uuid, .blob(let bytes)): bytes.count == 16 ? self : nil
        default: nil
        }
    }
}

extension ColumnType {
    /// A stored array of this type, read and written anew; nil where the text is none.
    fileprivate func arrayText(_ text: String) -> String? {
        elementType(Self.deepest).flatMap { Self.rewritten(text, $0) }
    }

    /// Each element is taken as one that may be nil, since that is not recorded.
    private static func rewritten<E: ScalarValue>(_ text: String, _: E.Type) -> String? {
        var text = text
        return text.withUTF8 { bytes in
            var json = JSONReader(UnsafeRawBufferPointer(bytes))
            guard let elements = [E?].decode(&json), json.isAtEnd else { return nil }
            var written = JSONWriter()
            elements.encode(into: &written)
            return written.failure == nil ? String(decoding: written.bytes, as: UTF8.self) : nil
        }
    }

    /// A stored type that names more arrays in each other than any Swift type does was written by somebody else.
    private static let deepest = 32

    private func elementType(_ depth: Int) -> (any ScalarValue.Type)? {
        switch self {
        case .bool: Bool.self
        case .int8: Int8.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .uint8: UInt8.self
        case .uint16: UInt16.self
        case .uint32: UInt32.self
        case .uint64: UInt64.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .data: Data.self
        case .date: Date.self
        case .uuid: UUID.self
        case .url: URL.self
        case .decimal: Decimal.self
        case .array(let element): depth > 0 ? element.elementType(depth - 1).map { Self.list($0) } : nil
        case .embedded: nil
        }
    }

    private static func list<E: ScalarValue>(_: E.Type) -> any ScalarValue.Type { [E?].self }
}
