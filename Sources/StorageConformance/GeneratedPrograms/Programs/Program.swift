internal import StorageAPI

/// A list of calls on one store.
struct Program: Sendable {
    var steps: [Step]
}

/// A part of a program.
indirect enum Step: Sendable {
    case call(any StorageOperation)
    /// A transaction, or a savepoint where it stands in one.
    case transaction([Step], Ending)
    /// A query as a stream.
    case stream(any StreamOperation)
    case reopen
    /// The engine's files are rewritten, where it can.
    case compact
    /// A look at the surroundings of the store, where the engine and the harness have them.
    case look(Look)

    enum Look: Sendable {
        /// A backup, made while the store is in use: it has the same contents.
        case backup
        /// A store that another process may have open at the same place, and that stays open: it has the same contents.
        case beside
        /// A copy of the files of which the end is cut off, somewhere: it has the contents after an earlier step.
        case cut(UInt64)
    }

    /// The ending of a transaction.
    enum Ending: String, Sendable {
        case commits
        /// Its body throws at its end.
        case fails
        /// The first error of a call leaves its body.
        case stops
    }
}

/// The error that a failing body throws.
struct ProgramFailure: Error {}

extension Step {
    /// The number of outcomes of the step.
    var count: Int {
        switch self {
        case .transaction(let steps, _): steps.reduce(0) { $0 + $1.count }
        case .call, .stream, .reopen, .compact, .look: 1
        }
    }

    /// The statements with outcomes, in order.
    var statements: [String] {
        switch self {
        case .call(let operation): [operation.swift]
        case .stream(let stream): [stream.swift]
        case .reopen: ["reopen"]
        case .compact: ["compact"]
        case .look(let look): ["look at \(look)"]
        case .transaction(let steps, _): steps.flatMap(\.statements)
        }
    }

    /// Steps that do less.
    var simpler: [[Step]] {
        switch self {
        case .call(let operation): operation.simpler.map { [.call($0)] }
        case .stream, .reopen, .compact, .look: []
        case .transaction(let steps, let ending):
            [steps]
                + steps.indices.map { index in
                    [.transaction(Array(steps[..<index] + steps[(index + 1)...]), ending)]
                }
                + steps.indices.flatMap { index in
                    steps[index].simpler.map { simpler in
                        [.transaction(Array(steps[..<index] + simpler + steps[(index + 1)...]), ending)]
                    }
                }
        }
    }
}

extension Program {
    /// The program as Swift that can be pasted.
    var swift: String { steps.map { $0.swift(indent: "") }.joined(separator: "\n") }
}

extension Step {
    fileprivate func swift(indent: String) -> String {
        switch self {
        case .call(let operation):
            return operation.swift.split(separator: "\n").map { "\(indent)_ = \($0)" }.joined(separator: "\n")
        case .stream(let stream): return "\(indent)\(stream.swift)"
        case .reopen: return "\(indent)// the store is closed and opened again"
        case .compact: return "\(indent)try? await store.compact()"
        case .look(let look): return "\(indent)// \(look) is looked at"
        case .transaction(let steps, let ending):
            let inner = indent + "    "
            var lines = steps.map { $0.swift(indent: inner) }
            if ending == .fails { lines.append("\(inner)throw CancellationError()") }
            let call = indent.isEmpty ? "store.transaction { store in" : "store.savepoint {"
            return "\(indent)try? \(call)\n\(lines.joined(separator: "\n"))\n\(indent)}"
        }
    }
}
