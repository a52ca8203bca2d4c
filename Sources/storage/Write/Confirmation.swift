import ArgumentParser

/// Asks before many records go.
struct Confirmation: ParsableArguments {
    @Flag(name: [.short, .long], help: "Do not ask first; needed where there is no terminal to ask on.")
    var yes = false

    /// - Throws: where the person says no, or cannot be asked.
    func confirm(_ action: String, _ count: Int, of model: String) throws(ToolError) {
        guard !yes, count > 0 else { return }
        let records = count == 1 ? "1 record" : "\(count.grouped) records"
        guard Terminal.isTerminal(.standardInput), Terminal.isTerminal(.standardError) else {
            throw ToolError("\(action) \(records) of \(model)? There is no terminal to ask on; give --yes.", .usage)
        }
        Terminal.prompt("\(action) \(records) of \(model.printable)? [y/N] ")
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else {
            throw ToolError("Nothing was changed.", .negative)
        }
    }
}
