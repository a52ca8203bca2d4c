import StorageAPI

/// The reason why members are not a record of a model: the problem, and the path to the property.
package struct RecordProblem: Error {
    package var message: String
    /// The path in the JSON.
    package var path: String
    /// The path of the model's properties, under their names in Swift.
    package var property: String

    init(_ message: String, at name: String = "", property: String? = nil) {
        self.message = message
        path = name
        self.property = property ?? name
    }

    /// The same problem inside of the named member.
    func inside(_ name: String, property: String? = nil) -> RecordProblem {
        var outer = self
        outer.path = Self.join(name, path)
        outer.property = Self.join(property ?? name, self.property)
        return outer
    }

    static func join(_ outer: String, _ inner: String) -> String {
        inner.isEmpty ? outer : outer.isEmpty ? inner : inner.hasPrefix("[") ? outer + inner : outer + "." + inner
    }

    package var sentence: String { path.isEmpty ? message : "\(path) \(message)" }
}
