internal import Foundation
internal import StorageAPI

/// A model whose key is a UUID that the store assigns.
struct Voucher: ListedModel {
    var id: UUID?
    var note: String = ""
    var pens: [Pen] = []

    typealias Key = UUID

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", UUID?.self, .key)),
            .init(\.note, Property("note", String.self, default: { "" })),
            .init(\.pens, Property("pens", [Pen].self, default: { [] })),
        ]
    }

    init(id: UUID? = nil, note: String = "", pens: [Pen] = []) { (self.id, self.note, self.pens) = (id, note, pens) }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(UUID?.self)
        note = try row.read(String.self)
        pens = try row.read([Pen].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(note)
        row.write(pens)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }

    mutating func assign(_ key: UUID) { id = key }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<UUID?> { QueryExpression(_propertyPath, 0) }
        var note: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var pens: QueryExpression<[Pen]> { QueryExpression(_propertyPath, 2) }
    }
}
