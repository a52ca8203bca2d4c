internal import StorageAPI
import StorageDriver

/// A call that gave something else than it should.
struct ProgramDifference: Sendable {
    let backend: String
    let call: String
    let expected: String
    let actual: String
}

/// The stores on which the same programs run.
struct Comparison {
    private var benches: [Bench] = []

    init(_ places: GeneratedTests.Places, _ mixture: GeneratedTests.Mixture, isObserved: Bool) async throws {
        let places = try await places()
        for (number, place) in places.enumerated() {
            // One of them keeps a history as well.
            benches.append(
                try await Bench(
                    place, mixture, isObserved: isObserved, keepsHistory: isObserved && number == places.count - 1))
        }
    }

    var names: [String] { benches.map(\.name) }

    /// The first call of a program that gives something else than the contract says.
    func difference(_ program: Program, _ expected: [Outcome]) async throws -> ProgramDifference? {
        for bench in benches {
            let outcomes = try await bench.outcomes(of: program)
            guard outcomes != expected else { continue }
            let index = zip(outcomes, expected).enumerated().first { $0.element.0 != $0.element.1 }?.offset
            guard let index else { continue }
            return ProgramDifference(
                backend: bench.name, call: program.steps.flatMap(\.statements)[index],
                expected: expected[index].description, actual: outcomes[index].description)
        }
        return nil
    }

    /// The same on new stores.
    static func difference(
        _ program: Program, _ places: GeneratedTests.Places, mixture: GeneratedTests.Mixture, isObserved: Bool
    ) async throws -> ProgramDifference? {
        let comparison = try await Comparison(places, mixture, isObserved: isObserved)
        let difference = try await comparison.difference(program, ExpectedRun(program).outcomes)
        try await comparison.close()
        return difference
    }

    func close() async throws {
        for bench in benches { try await bench.close() }
    }
}
