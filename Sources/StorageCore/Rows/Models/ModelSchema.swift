/// A model's declaration: its stored name and its properties.
public struct ModelSchema: Sendable {
    /// The name under which the model is stored.
    public var name: String
    /// The stored properties, in the order in which rows are read and written.
    public var properties: [Property]

    /// A schema of properties.
    public init(_ name: String, _ properties: [Property]) {
        self.name = name
        self.properties = properties
    }
}
