public import StorageDriver

extension FilterBuilder {
    /// Keeps the records that meet the condition in the text; <doc:Queries> has its grammar.
    ///
    /// ```swift
    /// store.select(Person.self).where(text: "age >= ? and name beginswith[c] ?", 28, "cheng")
    /// ```
    ///
    /// Names are looked up in the schema. Values, including the literals in the text, never become part of a statement.
    /// A text that cannot be parsed, an unknown name, a value of another type and a wrong number of arguments throw
    /// `invalidQuery` when the query runs, with the position in the text.
    ///
    /// - Parameters:
    ///   - text: the condition: `age >= ?`.
    ///   - arguments: the values for the question marks, in order; an array after `in`.
    // Disfavoured, because with an overload of equal rank the compiler cannot explain a mistake in a closure.
    @_disfavoredOverload
    public func `where`(text: String, _ arguments: any ColumnValue...) -> Self {
        adding(text, arguments.map(ArgumentNode.init))
    }

    /// The same with arguments as `Value`s.
    @_disfavoredOverload
    public func `where`(text: String, arguments: [Value]) -> Self { adding(text, arguments.map { .node(.value($0)) }) }

    private func adding(_ text: String, _ arguments: [ArgumentNode]) -> Self {
        var builder = self
        do {
            builder.selection.add(try TextParser.condition(text, arguments))
        } catch {
            builder.selection.problem = selection.problem ?? error
        }
        return builder
    }
}

extension SelectionBuilder {
    /// Sorts as the text says: `age desc, city.name nils last`. A text that cannot be parsed throws `invalidQuery` when
    /// the query runs.
    public func order(text: String) -> Self {
        var builder = self
        do {
            builder.selection.order += try TextParser.order(text)
        } catch {
            builder.selection.problem = selection.problem ?? error
        }
        return builder
    }
}
