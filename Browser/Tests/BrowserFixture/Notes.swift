import Foundation
import StorageAPI
import StorageDriver

extension BrowserFixture {
    /// Makes notes by UUIDs, of which searches find the titles, the bodies and the texts of what they own.
    static func notes(_ store: Store) async throws {
        var title = RecordSchema.Property(name: "title", kind: .column(.string))
        title.searchWeight = 2
        var body = RecordSchema.Property(name: "body", kind: .column(.string))
        body.searchWeight = 1
        var text = RecordSchema.Property(name: "text", kind: .column(.string))
        text.searchWeight = 1
        let passage = RecordSchema(name: "Passage", properties: [text])
        try await store.prepare([
            RecordSchema(
                name: "Note",
                properties: [
                    .init(name: "id", kind: .column(.uuid), isKey: true), title, body,
                    .init(name: "year", kind: .column(.int64)), .init(name: "passages", kind: .children(passage)),
                ]),
            RecordSchema(
                name: "Plain",
                properties: [
                    .init(name: "id", kind: .column(.int64), isKey: true), .init(name: "text", kind: .column(.string)),
                ]),
        ])
        try await store.insert(texts.enumerated().map { note($0 + 1, $1.0, $1.1, $1.2) })
    }

    fileprivate static func note(_ number: Int, _ title: String, _ body: String, _ passages: [String]) -> DynamicRecord
    {
        let key = [UInt8](repeating: 0, count: 15) + [UInt8(truncatingIfNeeded: number)]
        let children = passages.map {
            DynamicRecord(model: "Passage", fields: [.init(name: "text", content: .value(.text($0), .string))])
        }
        return DynamicRecord(
            model: "Note",
            fields: [
                .init(name: "id", content: .value(.blob(key), .uuid)),
                .init(name: "title", content: .value(.text(title), .string)),
                .init(name: "body", content: .value(.text(body), .string)),
                .init(name: "year", content: .value(.int(Int64(2000 + number % 20)), .int64)),
                .init(name: "passages", content: .children(children)),
            ])
    }

    fileprivate static let texts: [(String, String, [String])] =
        [
            ("Storage engines", "A storage engine keeps records, and finds them again.", ["of engines and of rooms"]),
            ("Straße und Café", "Die STRASSE am Café ist schön.", []),
            ("静夜思", "床前明月光，疑是地上霜。舉頭望明月，低頭思故鄉。", ["李白"]),
            ("البحث", "مُحَرِّك البحث يجد الكلمات في كل مكان", []),
            (
                "<script>document.title='hit'</script> engine",
                "</mark><img src=x onerror=alert(1)> engine \"' & \u{202E}enigne\u{0}", ["<b>engine</b>"]
            ),
        ] + (1...60).map { ("Number \($0)", "The steam engine of number \($0) pulls \($0 % 7) cars.", []) }
}
