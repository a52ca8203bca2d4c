import StorageDriver

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Checks that stored cells have their column's type, whatever program wrote them.
struct ColumnCheck {
    private let column: ColumnSchema
    private let storage: ColumnType.Storage
    private let range: ClosedRange<Int64>?
    private let mayBeNull: Bool
    /// True if the type does not accept every text, or all bytes.
    private let isChecked: Bool

    init(_ column: ColumnSchema) {
        self.column = column
        storage = column.type.storage
        range = column.type == .uint64 ? 0...Int64.max : column.type.range
        isChecked = column.type == .decimal || column.type.storage == .blob && column.type != .data
        mayBeNull = column.isOptional || column.isRemoved
    }

    /// Returns the problem with the cell, as the end of a sentence about it; nil if it fits.
    @inline(__always)
    func problem(_ cell: Cell) -> String? {
        switch (cell.tag, storage) {
        case (.null, _): mayBeNull ? nil : "is missing, and the property is not optional"
        case (.int, .integer): range.map { $0.contains(cell.int) } ?? true ? nil : misfit
        case (.unsigned, .integer): column.type == .uint64 ? nil : misfit
        case (.double, .double): column.type == .float && Float.decode(cell) == nil ? misfit : nil
        case (.text, .text) where isChecked && SmallDecimal(cell.bytes) != nil: nil
        case (.text, .text) where isChecked, (.blob, .blob) where isChecked:
            column.type.row.stored(cell.value) == nil ? misfit : nil
        case (.text, .text): String.isUTF8(cell.bytes) ? nil : "is not UTF-8"
        case (.blob, .blob): nil
        default: misfit
        }
    }

    /// Returns whether a value fits the column.
    func fits(_ value: Value) -> Bool {
        switch (value, storage) {
        case (.null, _): mayBeNull
        case (.int(let value), _): problem(.int(value)) == nil
        case (.unsigned(let value), _): problem(.unsigned(value)) == nil
        case (.double(let value), _): problem(.double(value)) == nil
        case (.text, .text), (.blob, .blob): !isChecked || column.type.row.stored(value) != nil
        case (.text, _), (.blob, _): false
        }
    }

    private var misfit: String { "is no \(column.type)" }
}
