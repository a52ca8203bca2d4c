/// The toolkit's only error type: a stable code, the context, and a message that gives the way out.
///
/// Every call that runs no closure of the user's throws this type. An error that a transaction's body throws reaches
/// the caller unchanged.
///
/// ```swift
/// do {
///     try await store.insert(person)
/// } catch where error.code == .duplicateKey {
///     try await store.save(person)
/// }
/// ```
public struct StorageError: Error, Sendable {
    /// The kind of error, stable across versions and backends.
    public enum Code: String, Sendable, CaseIterable {
        /// `insert` found a record with the same key.
        case duplicateKey
        /// `update` found no record with the key.
        case notFound
        /// A key is nil, and the call needs one.
        case missingKey
        /// A stored value that the property cannot hold.
        case typeMismatch
        /// A value that cannot be stored.
        case invalidValue
        /// A query that has no meaning: an unknown property, a wrong type, a negative limit.
        case invalidQuery
        /// Another record has the same value of a `@Unique` property.
        case constraint
        /// A record has changed since the commit that is to be undone, or another program's transaction is in the way.
        /// The call has stored no change, and may be repeated.
        case conflict
        /// The connection to the server was lost while it committed, and no server reported the result of the call in time.
        case outcomeUnknown
        /// The requested history is older than the history that is kept, or is not recorded.
        case notKept
        /// The stored schema and the declared one differ in a way that would lose data.
        case schemaMismatch
        /// The store was written by a newer version of the toolkit.
        case schemaNewer
        /// The backend declares that it lacks this capability.
        case unsupported
        /// A value is beyond a declared limit.
        case limitExceeded
        /// A sum, a result or an assigned key is beyond the range of its type.
        case overflow
        /// The store has another place, or is on its way to it, and takes no more writes here. ``StorageError/address`` is the
        /// new place; nil while the store is being moved.
        case moved
        /// Another process writes for longer than the busy timeout, or the call would wait for itself.
        case busy
        /// Another store or process holds the whole store.
        case locked
        /// No space is left.
        case full
        /// The store's file is damaged, or is not a store.
        case corrupt
        /// Reading or writing the store failed.
        case io
        /// The store, transaction or stream is closed.
        case closed
        /// The task was cancelled.
        case cancelled
        /// An unknown or impossible option, URL or model declaration.
        case configuration
    }

    // One pointer: a typed throw of this error costs a register on the path that does not throw.
    private var details: Details

    /// Makes an error of a backend, or of code that uses the toolkit. The store adds the context that it knows.
    public init(
        _ code: Code, _ message: String, operation: String? = nil, model: String? = nil, key: [Value]? = nil,
        property: String? = nil, underlying: (any Error)? = nil
    ) {
        details = Details(
            State(
                code: code, message: message, operation: operation, model: model, key: key, property: property,
                underlying: underlying))
    }

    /// The kind of error, stable across versions and backends.
    public var code: Code { details.state.code }
    /// A description of the error and of the way out, in one or two sentences.
    public var message: String { details.state.message }
    /// The verb that failed: `insert`, `select`, `open`, …
    public var operation: String? { details.state.operation }
    /// The stored name of the model.
    public var model: String? { details.state.model }
    /// The key of the record, one value for each key property.
    public var key: [Value]? { details.state.key }
    /// The property, with its path through children: `pens[2].price`.
    public var property: String? { details.state.property }
    /// The stored value that did not fit, for ``Code/typeMismatch``.
    public var storedValue: Value? { details.state.storedValue }
    /// The index of the failing element, if an array was written.
    public var element: Int? { details.state.element }
    /// The name of the backend.
    public var backend: String? { details.state.backend }
    /// The address to which the store has moved, for ``Code/moved``; nil while it is being moved.
    public var address: String? { details.state.address }
    /// The error that caused this one: of the engine, the file system or a coder.
    public var underlying: (any Error)? { details.state.underlying }

    private final class Details: Sendable {
        let state: State
        init(_ state: State) { self.state = state }
    }

    package struct State: Sendable {
        package var code: Code
        package var message: String
        package var operation: String?
        package var model: String?
        package var key: [Value]?
        package var property: String?
        package var storedValue: Value?
        package var element: Int?
        package var address: String?
        package var backend: String?
        package var underlying: (any Error)?
    }

    /// The same error with more context.
    package func with(_ change: (inout State) -> Void) -> StorageError {
        var state = details.state
        change(&state)
        var error = self
        error.details = Details(state)
        return error
    }

    /// Returns whether it is the other error itself, thrown again.
    package func isSame(as other: StorageError) -> Bool { details === other.details }

    /// The same error with the given context, if it has none yet.
    package func at(operation: String? = nil, model: String? = nil, backend: String? = nil) -> StorageError {
        with {
            $0.operation = $0.operation ?? operation
            $0.model = $0.model ?? model
            $0.backend = $0.backend ?? backend
        }
    }
}

extension StorageError {
    /// For a backend: the same error with the row of the batch that failed.
    public func row(_ index: Int, key: [Value]) -> StorageError {
        with {
            $0.element = index
            $0.key = key
        }
    }
}

/// For a backend: the cause of a `busy` error of a reading session whose snapshot turns out to be older than the tables.
///
/// The store reads again if it has not handed out a part of the result. Throw it where a query would otherwise miss rows that were
/// committed before the session began, or be refused by the engine. A backend whose snapshots keep the tables never throws it.
public struct OutdatedSnapshot: Error {
    /// The cause.
    public init() {}
}

extension StorageError {
    /// Returns whether a read may begin again in a new session.
    package var isOutdatedSnapshot: Bool { underlying is OutdatedSnapshot }

    /// For a backend: the same error with a property.
    public func property(_ name: String?) -> StorageError {
        with { $0.property = name }
    }

    /// For a backend: the same error with the engine's error as its cause.
    public func caused(by error: any Error) -> StorageError {
        with { $0.underlying = error }
    }
}

extension StorageError: CustomStringConvertible {
    /// `duplicateKey in insert of Person, key 7 (sqlite): …`
    public var description: String {
        var text = code.rawValue
        if let operation { text += " in \(operation)" }
        if let model { text += operation == nil ? " in \(model)" : " of \(model)" }
        if let element { text += ", element \(element)" }
        if let key { text += ", key \(key.keyText)" }
        if let property { text += ", property \(property)" }
        if let backend { text += " (\(backend))" }
        text += ": " + message
        if let storedValue { text += " Stored value: \(storedValue)." }
        if let underlying { text += " Cause: \(underlying)" }
        return text
    }
}
