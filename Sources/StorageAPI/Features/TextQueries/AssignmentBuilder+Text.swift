extension AssignmentBuilder {
    /// Sets properties as a text says: `age = age + 1, name = nickname`. A text that cannot be read, an unknown name and a
    /// value of another type are `invalidQuery` when the update runs, naming the place in the text.
    public func set(text: String) -> Self {
        var builder = self
        do {
            builder.assignments.list += try TextParser.assignments(text)
        } catch {
            builder.selection.problem = selection.problem ?? error
        }
        return builder
    }
}
