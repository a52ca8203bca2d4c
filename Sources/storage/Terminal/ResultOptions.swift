import ArgumentParser
import StorageAPI
import StorageJSON

/// The form in which a command reports its result.
struct ResultOptions: ParsableArguments, Sendable {
    @Flag(help: "Print JSON.")
    var json = false

    @Flag(help: "Print nothing of what was done; the exit code says whether it was.")
    var quiet = false

    func validate() throws {
        if json, quiet { throw ValidationError("Give --json or --quiet, not both.") }
    }

    /// Prints the sentence, or the object, or nothing.
    func tell(_ sentence: @autoclosure () -> String, _ object: KeyValuePairs<String, JSONValue>) throws {
        guard !quiet else { return }
        var output = Output()
        try output.line(json ? JSONValue.object(object).text : sentence())
        try output.flush()
    }
}

extension JSONValue {
    static func count(_ count: Int) -> JSONValue { .number("\(count)") }
}
