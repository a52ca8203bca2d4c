internal import StorageAPI

extension Trial {
    /// Fails if two values differ by the contract's equality.
    func expect<T>(
        _ actual: T, equals expected: T, _ message: String = "The value is another than expected.",
        file: String = #fileID, line: Int = #line
    ) throws(ConformanceFailure) {
        let differences = Difference.between(expected, actual)
        if !differences.isEmpty { throw ConformanceFailure(message, differences, location: "\(file):\(line)") }
    }

    /// Fails if the condition is false.
    func expect(
        _ condition: Bool, _ message: String, file: String = #fileID, line: Int = #line
    ) throws(ConformanceFailure) {
        if !condition { throw ConformanceFailure(message, location: "\(file):\(line)") }
    }

    /// Returns the value, or fails if there is none.
    func required<T>(
        _ value: T?, _ message: String = "There is no value.", file: String = #fileID, line: Int = #line
    ) throws(ConformanceFailure) -> T {
        guard let value else { throw ConformanceFailure(message, location: "\(file):\(line)") }
        return value
    }

    /// Fails if the body does not throw an error with the code; returns the error.
    @discardableResult
    func expectError<T>(
        _ code: StorageError.Code, file: String = #fileID, line: Int = #line, _ body: () async throws -> T
    ) async throws -> StorageError {
        let place = "\(file):\(line)"
        let result: T
        do {
            result = try await body()
        } catch let error as StorageError where error.code == code {
            return error
        } catch let error as StorageError {
            throw ConformanceFailure(
                "An error has another code than expected: \(error)",
                Difference.between(code, error.code), location: place)
        } catch let error as ConformanceFailure {
            throw error
        } catch {
            throw ConformanceFailure("Expected the error \(code), and this was thrown: \(error)", location: place)
        }
        throw ConformanceFailure(
            "Expected the error \(code), and the call returned \(SwiftSource.text(of: result)).", location: place)
    }
}
