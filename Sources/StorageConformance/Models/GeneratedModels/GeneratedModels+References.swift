// Written by scripts/make-conformance-models, as all in this folder is: change the declarations there, and run it.
internal import StorageAPI

struct Writer {
    var id: Int
    var name: String = ""
    var born: Int? = nil
    var mentor: Ref<Writer>? = nil
}

extension Writer: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.name, Property("name", String.self, default: { "" })),
            .init(\.born, Property("born", Int?.self)),
            .init(\.mentor, Property("mentor", Ref<Writer>?.self, onDelete: .nullify)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
        born = try row.read(Int?.self)
        mentor = try row.read(Ref<Writer>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
        row.write(born)
        row.write(mentor)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var born: QueryExpression<Int?> { QueryExpression(_propertyPath, 2) }
        var mentor: QueryExpression<Ref<Writer>?> { QueryExpression(_propertyPath, 3) }
    }
}

struct Label {
    var name: String
    var rank: Int = 0
}

extension Label: ListedModel {
    typealias Key = String

    static var fields: [ListedField<Self>] {
        [
            .init(\.name, Property("name", String.self, .key)),
            .init(\.rank, Property("rank", Int.self, default: { 0 })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        name = try row.read(String.self)
        rank = try row.read(Int.self)
    }

    func write(into row: inout RowWriter) {
        row.write(name)
        row.write(rank)
    }

    func writeKey(into row: inout RowWriter) { row.write(name) }
    static func key(of record: Self) -> Key? { record.name }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var name: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var rank: QueryExpression<Int> { QueryExpression(_propertyPath, 1) }
    }
}

struct Chapter {
    var title: String
    var guest: Ref<Writer>? = nil
    var sources: [Ref<Volume>] = []
}

extension Chapter: ListedModel {
    typealias Key = Never

    static var fields: [ListedField<Self>] {
        [
            .init(\.title, Property("title", String.self)),
            .init(\.guest, Property("guest", Ref<Writer>?.self, onDelete: .nullify)),
            .init(\.sources, Property("sources", [Ref<Volume>].self, onDelete: .nullify, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        title = try row.read(String.self)
        guest = try row.read(Ref<Writer>?.self)
        sources = try row.read([Ref<Volume>].self)
    }

    func write(into row: inout RowWriter) {
        row.write(title)
        row.write(guest)
        row.write(sources)
    }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var title: QueryExpression<String> { QueryExpression(_propertyPath, 0) }
        var guest: QueryExpression<Ref<Writer>?> { QueryExpression(_propertyPath, 1) }
        var sources: QueryExpression<[Ref<Volume>]> { QueryExpression(_propertyPath, 2) }
    }
}

struct Volume {
    var id: Int
    var title: String = ""
    var year: Int = 0
    var author: Ref<Writer>
    var editor: Ref<Writer>? = nil
    var labels: [Ref<Label>] = []
    var chapters: [Chapter] = []
}

extension Volume: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.title, Property("title", String.self, default: { "" })),
            .init(\.year, Property("year", Int.self, default: { 0 })),
            .init(\.author, Property("author", Ref<Writer>.self, onDelete: .cascade)),
            .init(\.editor, Property("editor", Ref<Writer>?.self)),
            .init(\.labels, Property("labels", [Ref<Label>].self, onDelete: .nullify, default: { [] })),
            .init(\.chapters, Property("chapters", [Chapter].self, default: { [] })),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        title = try row.read(String.self)
        year = try row.read(Int.self)
        author = try row.read(Ref<Writer>.self)
        editor = try row.read(Ref<Writer>?.self)
        labels = try row.read([Ref<Label>].self)
        chapters = try row.read([Chapter].self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(year)
        row.write(author)
        row.write(editor)
        row.write(labels)
        row.write(chapters)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var title: QueryExpression<String> { QueryExpression(_propertyPath, 1) }
        var year: QueryExpression<Int> { QueryExpression(_propertyPath, 2) }
        var author: QueryExpression<Ref<Writer>> { QueryExpression(_propertyPath, 3) }
        var editor: QueryExpression<Ref<Writer>?> { QueryExpression(_propertyPath, 4) }
        var labels: QueryExpression<[Ref<Label>]> { QueryExpression(_propertyPath, 5) }
        var chapters: QueryExpression<[Chapter]> { QueryExpression(_propertyPath, 6) }
    }
}

struct Loan {
    var id: Int
    var volume: Ref<Volume>
    var witness: Ref<Writer>? = nil
}

extension Loan: ListedModel {
    typealias Key = Int

    static var fields: [ListedField<Self>] {
        [
            .init(\.id, Property("id", Int.self, .key)),
            .init(\.volume, Property("volume", Ref<Volume>.self)),
            .init(\.witness, Property("witness", Ref<Writer>?.self, onDelete: .unchecked)),
        ]
    }

    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        volume = try row.read(Ref<Volume>.self)
        witness = try row.read(Ref<Writer>?.self)
    }

    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(volume)
        row.write(witness)
    }

    func writeKey(into row: inout RowWriter) { row.write(id) }
    static func key(of record: Self) -> Key? { record.id }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
        var id: QueryExpression<Int> { QueryExpression(_propertyPath, 0) }
        var volume: QueryExpression<Ref<Volume>> { QueryExpression(_propertyPath, 1) }
        var witness: QueryExpression<Ref<Writer>?> { QueryExpression(_propertyPath, 2) }
    }
}
