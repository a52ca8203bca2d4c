import Foundation
import StorageAPI

// Models without the macro, so that a test of the pages need not build swift-syntax.

struct Step: Storable, Sendable {
    typealias Key = String
    var text: String
    var minutes: Int?

    static var schema: ModelSchema {
        ModelSchema("Step", [Property("text", String.self), Property("minutes", Int?.self)])
    }
    init(_ text: String, _ minutes: Int? = nil) { (self.text, self.minutes) = (text, minutes) }
    init(reading row: inout RowReader) throws(StorageError) {
        text = try row.read(String.self)
        minutes = try row.read(Int?.self)
    }
    func write(into row: inout RowWriter) {
        row.write(text)
        row.write(minutes)
    }
    func writeKey(into row: inout RowWriter) { row.write(text) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

struct Project: Storable, Sendable {
    typealias Key = Int
    var id: Int
    var name: String

    static var schema: ModelSchema {
        ModelSchema("Project", [Property("id", Int.self, .key), Property("name", String.self, .indexed)])
    }
    init(id: Int, name: String) { (self.id, self.name) = (id, name) }
    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        name = try row.read(String.self)
    }
    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(name)
    }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}

struct Todo: Storable, Sendable {
    typealias Key = Int
    var id: Int
    var title: String
    var isDone: Bool
    var made: Date
    var project: Ref<Project>
    var tags: [String]
    var steps: [Step]

    static var schema: ModelSchema {
        ModelSchema(
            "Todo",
            [
                Property("id", Int.self, .key), Property("title", String.self), Property("isDone", Bool.self),
                Property("made", Date.self), Property("project", Ref<Project>.self), Property("tags", [String].self),
                Property("steps", [Step].self),
            ])
    }
    init(
        id: Int, title: String, isDone: Bool = false, made: Date, project: Int, tags: [String] = [], steps: [Step] = []
    ) {
        (self.id, self.title, self.isDone, self.made) = (id, title, isDone, made)
        (self.project, self.tags, self.steps) = (Ref(key: project), tags, steps)
    }
    init(reading row: inout RowReader) throws(StorageError) {
        id = try row.read(Int.self)
        title = try row.read(String.self)
        isDone = try row.read(Bool.self)
        made = try row.read(Date.self)
        project = try row.read(Ref<Project>.self)
        tags = try row.read([String].self)
        steps = try row.read([Step].self)
    }
    func write(into row: inout RowWriter) {
        row.write(id)
        row.write(title)
        row.write(isDone)
        row.write(made)
        row.write(project)
        row.write(tags)
        row.write(steps)
    }
    func writeKey(into row: inout RowWriter) { row.write(id) }

    struct Columns: ColumnSet {
        let _propertyPath: PropertyPath
        init(_ path: PropertyPath) { _propertyPath = path }
    }
}
