/// A statement with its parameters, to be sent.
package struct Statement {
    let sql: String
    /// The name under which the connection keeps it prepared; empty if it is not kept.
    var name = ""
    var parameters = Parameters()

    init(_ sql: String, name: String = "", _ parameters: Parameters = Parameters()) {
        self.sql = sql
        self.name = name
        self.parameters = parameters
    }
}
