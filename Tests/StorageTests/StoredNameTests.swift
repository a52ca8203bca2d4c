import Foundation
import StorageDriver
import StorageKit
import TestSupport
import Testing

@Suite("S Stored names")
struct StoredNameTests {
    private let composed = "\u{E9}", decomposed = "e\u{301}"

    @Test func `two normal forms are two names and two paths`() {
        let names: [StoredName: Int] = [StoredName(composed): 1, StoredName(decomposed): 2]
        expect(names[StoredName(composed)], equals: 1)
        expect(names[StoredName(decomposed)], equals: 2)
        expect(StoredPath(["a", composed]) != StoredPath(["a", decomposed]))
        expect(StoredPath(["a", composed]).starts(with: StoredPath(["a"])))
        expect(Set([StoredPath(["ab", "c"]), StoredPath(["a", "bc"])]).count, equals: 2)
    }

    @Test func `schemas and records that differ in the normal form of a name differ`() {
        func table(_ name: String) -> TableSchema {
            let id = ColumnSchema(name: "id", property: name, type: .int64)
            return TableSchema(name: "a", path: [name], columns: [id], key: [0])
        }
        expect(table(composed) != table(decomposed))
        expect(RecordSchema(name: composed, properties: []) != RecordSchema(name: decomposed, properties: []))
        expect(DynamicRecord(model: composed, fields: []) != DynamicRecord(model: decomposed, fields: []))
    }

    @Test func `a schema is recorded with its names as texts`() throws {
        let reference = ReferenceSchema(model: "Person", onDelete: .deny)
        let column = ColumnSchema(name: "id", property: "key", type: .int64, reference: reference)
        let table = TableSchema(name: "a", path: ["A", "pens"], columns: [column], key: [0], model: "Pen")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        expect(
            String(decoding: try encoder.encode(table), as: UTF8.self),
            equals: #"{"assignsKeys":false,"columns":[{"isIndexed":false,"isOptional":false,"isRemoved":false,"#
                + #""isUnique":false,"name":"id","property":"key","reference":{"isElement":false,"model":"Person","#
                + #""onDelete":"deny","part":0},"role":"property","type":"int64"}],"isRequired":false,"key":[0],"#
                + #""model":"Pen","name":"a","path":["A","pens"]}"#)
        let schema = RecordSchema(name: "A", properties: [.init(name: "id", kind: .column(.int64), isKey: true)])
        let text = String(decoding: try encoder.encode(schema), as: UTF8.self)
        expect(text.contains(#""name":"A""#) && text.contains(#""name":"id""#))
    }
}
