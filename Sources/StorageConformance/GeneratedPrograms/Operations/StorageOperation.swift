internal import StorageAPI

/// One call of a program, as a store and as the model test carry it out.
protocol StorageOperation: Sendable {
    /// Makes the call and returns what it gave, as text.
    func run(on verbs: borrowing some WritingVerbs & ~Copyable) throws(StorageError) -> String

    /// Applies the call to the world and returns the expected result.
    func apply(to world: inout World) throws(ExpectedError) -> String

    /// The stored name of the model that an error names.
    var modelName: String { get }

    /// The call as Swift, on a handle called `store`.
    var swift: String { get }

    /// Calls that do less, tried when a failing program is made smaller.
    var simpler: [any StorageOperation] { get }
}

extension StorageOperation {
    var simpler: [any StorageOperation] { [] }
}

/// The outcome of a call: its result or its error, as far as every backend must agree on them.
enum Outcome: Hashable, Sendable {
    case result(String)
    case failure(StorageError.Code, model: String?, key: String?)
    /// The call was not made, as an error had left the transaction around it.
    case skipped

    init(_ error: StorageError) {
        self = .failure(
            error.code, model: error.model,
            key: error.key.map { $0.map(\.description).joined(separator: ", ") })
    }

    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

extension Outcome: CustomStringConvertible {
    var description: String {
        switch self {
        case .result(let text): text
        case .failure(let code, let model, let key):
            "throws \(code.rawValue), model \(model ?? "nil"), key \(key ?? "nil")"
        case .skipped: "is not reached"
        }
    }
}

extension StorageOperation {
    func outcome(on verbs: borrowing some WritingVerbs & ~Copyable) -> Outcome {
        do {
            return .result(try run(on: verbs))
        } catch {
            return Outcome(error)
        }
    }

    func outcome(in world: inout World) -> Outcome {
        do {
            return .result(try apply(to: &world))
        } catch {
            return .failure(error.code, model: modelName, key: error.key)
        }
    }
}

extension Sequence where Element: GeneratedValue {
    /// A result, one line for each record.
    var lines: String { map { $0.swift(.comparable) }.joined(separator: "\n") }
}
