#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension ColumnSchema {
    /// Whether the cell holds a value of the column's type: what the dynamic form of a record checks, as the typed
    /// form does by decoding.
    func holds(_ cell: Cell) -> Bool {
        if cell.isNull { return isOptional }
        switch type {
        case .uint64: return cell.tag == .unsigned || (cell.tag == .int && cell.int >= 0)
        case .double, .date: return cell.tag == .double
        case .float: return Float.decode(cell) != nil
        case .decimal: return Decimal.decode(cell) != nil
        case .string, .url, .array, .embedded: return String.decode(cell) != nil
        case .uuid: return cell.tag == .blob && cell.length == 16
        case .data: return cell.tag == .blob
        default: return cell.tag == .int && type.range?.contains(cell.int) == true
        }
    }
}
