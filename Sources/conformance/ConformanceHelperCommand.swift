import ArgumentParser
import Foundation
import StorageConformance

/// `conformance helper`: the second process of the suite's cases, which is killed or shares a store.
struct ConformanceHelperCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "helper", abstract: "Take part in a case of two processes.", shouldDisplay: false)

    @Option var backend = BackendChoice.sqlite
    @Option var place: String
    @Argument var arguments: [String]

    func run() async throws {
        guard let backend = try backend.backend(at: place) else {
            throw ValidationError("The \(backend.rawValue) backend shares nothing with another process.")
        }
        try await ConformanceHelper.run(backend, arguments: arguments)
    }
}
