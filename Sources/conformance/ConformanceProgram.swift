import Foundation
import StorageAPI
import StorageConformance

/// The conformance suite as a program, for the backends of this package: `--backend NAME` and the arguments of
/// `ConformanceTool`.
@main
struct ConformanceProgram {
    static func main() async {
        var arguments = Array(CommandLine.arguments.dropFirst())
        guard let backend = takeBackend(from: &arguments) else {
            let names = BackendChoice.allCases.map(\.rawValue).joined(separator: ", ")
            FileHandle.standardError.write(Data("conformance: --backend is one of \(names).\n".utf8))
            exit(64)
        }
        let others = BackendChoice.allCases.map { ($0.rawValue, $0.harness) }
        let code = await ConformanceTool.run(
            backend.harness, arguments, as: ["conformance", "--backend", backend.rawValue],
            against: Dictionary(uniqueKeysWithValues: others))
        exit(code)
    }

    /// Takes `--backend NAME` out of the arguments: SQLite if it is not there, nil if the name is unknown.
    private static func takeBackend(from arguments: inout [String]) -> BackendChoice? {
        guard let place = arguments.firstIndex(where: { $0 == "--backend" || $0.hasPrefix("--backend=") }) else {
            return .sqlite
        }
        let word = arguments.remove(at: place)
        if word != "--backend" { return BackendChoice(rawValue: String(word.dropFirst("--backend=".count))) }
        return place < arguments.count ? BackendChoice(rawValue: arguments.remove(at: place)) : nil
    }
}
