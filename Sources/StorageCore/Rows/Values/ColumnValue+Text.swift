public import StorageDriver

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension String: ScalarValue, SortableValue {
    @inlinable public static var columnType: ColumnType { .string }

    @inlinable @inline(__always)
    public static func decode(_ cell: Cell) -> String? { cell.string }

    @inlinable @inline(__always)
    public func encode(into row: inout RowWriter) {
        let done: Void? = utf8.withContiguousStorageIfAvailable { row.put(UnsafeRawBufferPointer($0), as: .text) }
        if done == nil {
            var native = self
            native.withUTF8 { row.put(UnsafeRawBufferPointer($0), as: .text) }
        }
    }

    public static func decode(_ json: inout JSONReader) -> String? { json.readString() }
    public func encode(into json: inout JSONWriter) { json.appendString(self) }
    public var value: Value { .text(self) }
}

/// The description of a value whose text would not restore it.
enum TextForm {
    static func refusal(of value: String) -> String {
        "\(value) cannot be stored exactly: a relative URL needs its base; use absoluteURL."
    }
}

/// A value that is kept as text which only some strings are.
protocol TextRepresented: ScalarValue {
    var storedText: String? { get }
    init?(storedText: String)
}

extension TextRepresented {
    public static func decode(_ cell: Cell) -> Self? { String.decode(cell).flatMap(Self.init(storedText:)) }

    public func encode(into row: inout RowWriter) {
        if let storedText {
            storedText.encode(into: &row)
        } else {
            row.fail(.invalidValue, TextForm.refusal(of: "\(self)"))
        }
    }

    public static func decode(_ json: inout JSONReader) -> Self? {
        json.readString().flatMap(Self.init(storedText:))
    }

    public func encode(into json: inout JSONWriter) {
        if let storedText { json.appendString(storedText) } else { json.fail(TextForm.refusal(of: "\(self)")) }
    }

    public var value: Value { storedText.map(Value.text) ?? .null }
}

extension URL: ScalarValue, SortableValue, TextRepresented {
    @inlinable public static var columnType: ColumnType { .url }

    var storedText: String? { baseURL == nil ? relativeString : nil }

    init?(storedText: String) {
        // Without the second argument Foundation percent-encodes some characters, which makes another URL than the
        // stored one.
        self.init(string: storedText, encodingInvalidCharacters: false)
    }
}

extension Decimal: ScalarValue, SortableValue, TextRepresented {
    @inlinable public static var columnType: ColumnType { .decimal }
}
