import StorageDriver

/// A property and the value that it is set to.
package struct Assignment: Sendable {
    /// The property as a term, or by its name.
    package enum Property: Sendable {
        case term(QueryNode)
        case name(String)
    }

    package enum Content: Sendable {
        case value(Value)
        /// A reference, by the parts of its key, all null for nil.
        case parts([Value])
        /// A term over the record's properties.
        case computed(QueryNode)
    }

    let property: Property
    let content: Content
    /// The reason why the value cannot be stored; nil if it can.
    var invalid: String?
    /// Its position in a query's text.
    var place: TextLocation?

    package init(property: Property, content: Content, invalid: String? = nil, place: TextLocation? = nil) {
        self.property = property
        self.content = content
        self.invalid = invalid
        self.place = place
    }
}

/// The properties that a partial update sets, and their values.
public struct Assignments: Sendable {
    package var list: [Assignment] = []

    package init() {}
}
